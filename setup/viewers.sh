#!/bin/sh
# Programs for the tests that look at results as people do: a browser for pages; GTKWave, and a screen that nobody sees,
# for waves. Without one its tests are skipped, so this never fails.
set -eu

missing=
need() { # package, then the commands of which one is enough
    package=$1
    shift
    for program in "$@"; do command -v "$program" >/dev/null 2>&1 && return 0; done
    missing="$missing $package"
}
need chromium chromium chromium-browser google-chrome
need gtkwave gtkwave
need xvfb xvfb-run

[ -n "$missing" ] || exit 0
line="apt-get install -y --no-install-recommends$missing"
if [ "$(id -u)" = 0 ] && command -v apt-get >/dev/null 2>&1; then
    printf 'setup: installing%s\n' "$missing" >&2
    export DEBIAN_FRONTEND=noninteractive
    { apt-get update && $line; } >/dev/null 2>&1 && exit 0
    printf 'setup: could not be installed:%s; tests that need them are skipped: %s\n' "$missing" "$line" >&2
else
    printf 'setup: missing:%s; tests that need them are skipped. Install them with: sudo %s\n' "$missing" "$line" >&2
fi
