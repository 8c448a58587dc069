#!/bin/sh
# Makes requirements.txt from requirements.in: every package pinned with the hashes of all its files.
set -eu
tool=$(mktemp -d)
trap 'rm -rf "$tool"' EXIT
"${PYTHON:-python3}" -m venv "$tool/venv"
"$tool/venv/bin/python" -m pip install --quiet --disable-pip-version-check pip-tools==7.6.2
"$tool/venv/bin/pip-compile" --quiet --generate-hashes --allow-unsafe --strip-extras --no-header \
    --no-emit-index-url --no-emit-find-links --no-emit-trusted-host requirements.in -o requirements.txt
