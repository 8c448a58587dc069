"""The external programs: where they are and how they are run."""

from __future__ import annotations

import os
import shutil
import subprocess
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path

from sw.kernel.vxcc.errors import MissingToolError

_PACKAGES = {"clang-19": "clang-19", "ld.lld-19": "lld-19"}


@dataclass(frozen=True)
class Toolchain:
    """Paths of clang and of the linker."""

    clang: Path
    lld: Path

    @classmethod
    def find(cls, search_path: str | None = None) -> Toolchain:
        """Look the programs up in `search_path` (default: PATH). Raises MissingToolError naming the packages."""
        found = {name: shutil.which(name, path=search_path) for name in _PACKAGES}
        missing = [name for name, path in found.items() if path is None]
        if missing:
            packages = " ".join(_PACKAGES[name] for name in missing)
            raise MissingToolError(
                f"{' and '.join(missing)} not found on PATH: install the Debian package(s) {packages} "
                f"(apt-get install {packages})"
            )
        return cls(clang=Path(str(found["clang-19"])), lld=Path(str(found["ld.lld-19"])))

    def identity(self) -> str:
        """Text that changes when a program is replaced, without starting it (part of a build key)."""
        parts = []
        for tool in (self.clang, self.lld):
            real = tool.resolve()
            status = real.stat()
            parts.append(f"{real} {status.st_size} {status.st_mtime_ns}")
        return "\n".join(parts)


@dataclass(frozen=True)
class ToolResult:
    """What a program wrote, and its exit status."""

    status: int
    stdout: bytes
    stderr: str


def run_tool(program: Path, arguments: Sequence[str], extra: Mapping[str, str] | None = None) -> ToolResult:
    """Run a program to its end with messages in English and `extra` environment variables.

    Raises:
        MissingToolError: it can't be started.
    """
    environment = {**os.environ, "LC_ALL": "C", **(extra or {})}
    try:
        done = subprocess.run([str(program), *arguments], capture_output=True, check=False, env=environment)
    except OSError as error:
        raise MissingToolError(f"{program} cannot be started: {error.strerror}") from error
    return ToolResult(done.returncode, done.stdout, done.stderr.decode("utf-8", errors="replace"))
