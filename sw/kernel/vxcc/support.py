"""Objects that images link beside the kernels: start-up code always, library functions only if something calls them.

Start-up code depends on configuration and entry, the library on the extensions alone; each file is built once and kept.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass
from functools import cache as remember
from pathlib import Path

from elftools.elf.elffile import ELFFile

from sw.kernel.elf_functions import undefined_symbols
from sw.kernel.vxcc import cache, flags, passes
from sw.kernel.vxcc.request import Request, compile_file, report_of

_START_FILES = ("vx_start.S", "vx_init.S")
_LEGACY_START_FILES = ("vx_start_legacy.S", "vx_init.S")
# A function at the start of a line; the library defines none by a macro.
_DEFINITION = re.compile(
    r"^(?!static|typedef|TOOL|VX_SINGLE_LANE static)[A-Za-z_][\w ]*[ *](\w+)\([^;{]*\) \{", re.MULTILINE
)


@dataclass(frozen=True)
class SupportObjects:
    """Object files by the way in which they are linked.

    Attributes:
        start: always linked, first.
        library: what the kernels need, directly or through each other.
        frames: the compiler's stack reports of the library.
    """

    start: tuple[Path, ...]
    library: tuple[Path, ...]
    frames: tuple[Path, ...]


def support_objects(request: Request, cache_dir: Path, objects: Sequence[Path], legacy: bool = False) -> SupportObjects:
    """Build what an image of these object files needs, or find it in the cache. Raises VxccError."""
    start = _start_objects(request, cache_dir / "support", legacy)
    library: dict[str, Path] = {}
    pending = [*start, *objects]
    while pending:
        with pending.pop().open("rb") as handle:
            wanted = undefined_symbols(ELFFile(handle))
        for symbol in sorted(wanted):
            name = library_index().get(symbol)
            if name is not None and name not in library:
                library[name] = library_object(request, cache_dir, name)
                pending.append(library[name])
    paths = tuple(library[name] for name in sorted(library))
    return SupportObjects(start, paths, tuple(path.with_suffix(".su") for path in paths))


@remember
def library_index() -> dict[str, str]:
    """Which file of the library defines a function."""
    index: dict[str, str] = {}
    for path in sorted(flags.LIBRARY_DIR.glob("*.c")):
        for name in _DEFINITION.findall(path.read_text(encoding="utf-8")):
            index[name] = path.name
    return index


def library_object(request: Request, cache_dir: Path, name: str) -> Path:
    """The object of one file of the library. Raises VxccError."""
    arguments = [*flags.library_flags(request.hardware), *passes.plugin_flags(request.plugin)]
    parts = [request.tools.identity().encode(), passes.plugin_identity(request.plugin), "\n".join(arguments).encode()]
    parts += [path.read_bytes() for path in flags.own_files(f"lib/{name}", "lib/*.h", "include/*")]
    root, key = cache_dir / "support", cache.digest(parts)
    if not (root / key).is_dir():
        with cache.new_entry(root, key) as scratch:
            target = scratch / f"{name}.o"
            report = None if request.plugin is None else report_of(target)
            compile_file(request.tools, arguments, flags.LIBRARY_DIR / name, target, report)
    return root / key / f"{name}.o"


def _start_objects(request: Request, root: Path, legacy: bool) -> tuple[Path, ...]:
    names = _LEGACY_START_FILES if legacy else _START_FILES
    assembly = flags.common_flags(request.hardware, request.entry, {})
    parts = [request.tools.identity().encode(), "\n".join([*assembly, *names]).encode()]
    parts += [path.read_bytes() for path in flags.own_files("src/*", "include/*.h")]
    key = cache.digest(parts)
    if not (root / key).is_dir():
        with cache.new_entry(root, key) as scratch:
            for name in names:
                compile_file(request.tools, assembly, flags.SOURCE_DIR / name, scratch / f"{name}.o")
    return tuple(root / key / f"{name}.o" for name in names)
