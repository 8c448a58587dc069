"""C++ names for people."""

from __future__ import annotations

import shutil
import subprocess


def demangle(name: str) -> str:
    """`name` as the source has it; unchanged if it is no C++ name or no demangler is installed."""
    tool = shutil.which("c++filt")
    if tool is None or not name.startswith("_Z"):
        return name
    done = subprocess.run([tool, name], capture_output=True, text=True, check=False)
    return done.stdout.strip() or name
