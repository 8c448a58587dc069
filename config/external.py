"""The core under test as a user names it: a file list and what belongs to it, instead of the in-tree core."""

from __future__ import annotations

import re
import shlex
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path

from config.errors import ConfigError

DEFAULT_TOP = "Vortex_axi"
CORE_KNOBS = (
    "RTL_FILELIST",
    "RTL_TOP",
    "RTL_DEFINES",
    "RTL_INCDIRS",
    "RTL_CSRCS",
    "RTL_CFLAGS",
    "RTL_LIBS",
    "RTL_BIND",
    "RTL_PREPARE",
)
_DEFINE = re.compile(r"([A-Za-z_]\w*)(=.*)?", re.DOTALL)
_REPO = Path(__file__).resolve().parents[1]
_IDENTIFIER = re.compile(r"[A-Za-z_]\w*")


@dataclass(frozen=True)
class ExternalCore:
    """A core that replaces the in-tree one (docs/your_own_core.md). Paths are absolute; whether they exist is found
    out when the core is built, because `prepare` may make them.

    Attributes:
        filelist: Verilator's `.f`.
        top: module with the ports of docs/reference/dut_ports.md.
        defines: `NAME` or `NAME=VALUE`, for Verilog and C++.
        incdirs: folders of included files, for both languages.
        csrcs: C and C++ sources with DPI functions of the core.
        cflags: options for these.
        libs: libraries and linker options.
        bind: SystemVerilog files that bind probes to the core; without any its instructions can't be seen.
        prepare: shell command that makes sources, run before anything is read; empty: none.
    """

    filelist: Path
    top: str = DEFAULT_TOP
    defines: tuple[str, ...] = ()
    incdirs: tuple[Path, ...] = ()
    csrcs: tuple[Path, ...] = ()
    cflags: tuple[str, ...] = ()
    libs: tuple[str, ...] = ()
    bind: tuple[Path, ...] = ()
    prepare: str = ""

    @classmethod
    def from_knobs(cls, given: Mapping[str, str]) -> ExternalCore | None:
        """The core that the RTL_* knobs describe, or None without RTL_FILELIST.

        Values with several items are split as a shell does it; relative paths start where the command runs.

        Raises:
            ConfigError: knobs that make no sense.
        """
        if not given.get("RTL_FILELIST"):
            others = [name for name in CORE_KNOBS if given.get(name)]
            if others:
                raise ConfigError(f"{others[0]} belongs to a core of your own; name its file list in RTL_FILELIST")
            return None
        filelists = _paths(given, "RTL_FILELIST")
        if len(filelists) != 1:
            raise ConfigError(f"RTL_FILELIST={given['RTL_FILELIST']}: must be one file; a list can name others with -f")
        top = given.get("RTL_TOP") or DEFAULT_TOP
        if not _IDENTIFIER.fullmatch(top):
            raise ConfigError(f"RTL_TOP={top}: must be the name of a module")
        defines = _words(given, "RTL_DEFINES")
        for define in defines:
            check_define(define, "RTL_DEFINES")
        return cls(
            filelist=filelists[0],
            top=top,
            defines=defines,
            incdirs=_paths(given, "RTL_INCDIRS"),
            csrcs=_paths(given, "RTL_CSRCS"),
            cflags=_words(given, "RTL_CFLAGS"),
            libs=_words(given, "RTL_LIBS"),
            bind=_paths(given, "RTL_BIND"),
            prepare=given.get("RTL_PREPARE", ""),
        )

    def knobs(self, *, absolute: bool = False) -> dict[str, str]:
        """The knobs that describe this core, those that are needed, quoted for `from_knobs`.

        Paths below the repository are written from its root, unless `absolute`.
        """
        here = None if absolute else _REPO
        values = {
            "RTL_FILELIST": _join((self.filelist,), here),
            "RTL_TOP": self.top if self.top != DEFAULT_TOP else "",
            "RTL_DEFINES": shlex.join(self.defines),
            "RTL_INCDIRS": _join(self.incdirs, here),
            "RTL_CSRCS": _join(self.csrcs, here),
            "RTL_CFLAGS": shlex.join(self.cflags),
            "RTL_LIBS": shlex.join(self.libs),
            "RTL_BIND": _join(self.bind, here),
            "RTL_PREPARE": self.prepare,
        }
        return {name: value for name, value in values.items() if value}

    def label(self) -> str:
        """Short name for folders: the file list's, and what tells two variants of one list apart."""
        variant = re.sub(r"\W+", "_", "-".join(self.defines)).strip("_")
        return "-".join(part for part in (self.filelist.stem, variant[:40]) if part)


def check_define(define: str, where: str) -> tuple[str, str | None]:
    """Name and value of `NAME` or `NAME=VALUE`.

    Raises:
        ConfigError: it is neither; `where` is said in the message.
    """
    match = _DEFINE.fullmatch(define)
    if match is None:
        raise ConfigError(f"{where}: {define!r} is no define; write NAME or NAME=VALUE, without -D")
    return match[1], match[2][1:] if match[2] else None


def _words(given: Mapping[str, str], knob: str) -> tuple[str, ...]:
    try:
        return tuple(shlex.split(given.get(knob, "")))
    except ValueError as error:
        raise ConfigError(f"{knob}={given[knob]}: {error}") from error


def _paths(given: Mapping[str, str], knob: str) -> tuple[Path, ...]:
    return tuple(Path(word).expanduser().resolve() for word in _words(given, knob))


def _join(paths: tuple[Path, ...], here: Path | None) -> str:
    return shlex.join(str(path.relative_to(here) if here and path.is_relative_to(here) else path) for path in paths)
