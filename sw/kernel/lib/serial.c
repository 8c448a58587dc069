/* One lane after the other. */

#include "serial.h"

void vx_serial(vx_serial_cb callback, const void *argument) { serially(callback, (void *)argument); }
