"""Objects that images link beside the kernels: start-up code always, memory and C++ functions only if used.

They depend on configuration and entry generation alone, so they are built once for all kernels.
"""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path

from sw.kernel.vxcc import cache, flags, passes
from sw.kernel.vxcc.request import Request, compile_file, report_of

_START_FILES = ("vx_start.S", "vx_init.S")
_LIBRARY_FILES = ("vx_mem.c", "vx_cxx.c")
# Without Zicond the back end compares double words with branches, which the check of the divergence pass refuses.
_ZICOND_FILES = ("vx_div64.c",)


@dataclass(frozen=True)
class SupportObjects:
    """Object files by the way in which they are linked."""

    start: tuple[Path, ...]
    library: tuple[Path, ...]


def support_objects(request: Request, cache_dir: Path) -> SupportObjects:
    """Build the objects, or find them in the cache. Raises VxccError."""
    library = _LIBRARY_FILES + (_ZICOND_FILES if request.hardware.ext_zicond else ())
    assembly = flags.common_flags(request.hardware, request.entry, {})
    # The level is fixed, so that these loops don't become slow when a kernel is compiled for debugging.
    c_code = [*assembly, *flags.language_flags("2"), *flags.c_flags(), *passes.plugin_flags(request.plugin)]
    parts = [request.tools.identity().encode(), passes.plugin_identity(request.plugin), "\n".join(c_code).encode()]
    parts += [path.read_bytes() for path in flags.own_files("src/*", "include/*.h")]
    root, key = cache_dir / "support", cache.digest(parts)
    if not (root / key).is_dir():
        with cache.new_entry(root, key) as scratch:
            for name in _START_FILES:
                compile_file(request.tools, assembly, flags.SOURCE_DIR / name, scratch / f"{name}.o")
            for name in library:
                target = scratch / f"{name}.o"
                report = None if request.plugin is None else report_of(target)
                compile_file(request.tools, c_code, flags.SOURCE_DIR / name, target, report)
    return SupportObjects(
        start=tuple(root / key / f"{name}.o" for name in _START_FILES),
        library=tuple(root / key / f"{name}.o" for name in library),
    )
