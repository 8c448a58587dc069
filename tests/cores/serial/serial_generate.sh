#!/bin/sh
# Makes the included files of the serial core in the folder $1; run by RTL_PREPARE.
set -e
mkdir -p "$1"
echo '`define SERIAL_OFFSET 30' > "$1/serial_generated.svh"
echo '#define SERIAL_OFFSET 30' > "$1/serial_generated.h"
