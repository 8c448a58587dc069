#!/bin/sh
# A browser for the tests that look at pages as people do. Without one those tests are skipped, so this never fails.
set -eu

for program in chromium chromium-browser google-chrome; do
    command -v "$program" >/dev/null 2>&1 && exit 0
done
line="apt-get install -y --no-install-recommends chromium"
if [ "$(id -u)" = 0 ] && command -v apt-get >/dev/null 2>&1; then
    printf 'setup: installing chromium\n' >&2
    export DEBIAN_FRONTEND=noninteractive
    { apt-get update && $line; } >/dev/null 2>&1 && exit 0
    printf 'setup: chromium could not be installed; tests that look at pages are skipped: %s\n' "$line" >&2
else
    printf 'setup: no chromium; tests that look at pages are skipped. Install it with: sudo %s\n' "$line" >&2
fi
