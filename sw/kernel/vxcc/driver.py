"""From kernel sources to a `.vxbin`: preprocess, look in the cache, compile, export kernels, link, convert, check.

kernel.cpp ─clang─▶ kernel.o ─▶ names of the kernels ─▶ aliases or stubs ─┐
src/vx_start.S, vx_init.S ─clang─▶ objects ───────────────────────────────┼─lld─▶ kernel.elf ─vxbin─▶ kernel.vxbin
src/vx_mem.c, vx_cxx.c ─clang─▶ objects, linked only if used ─────────────┘
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path

from config import EntryGeneration, HardwareConfig
from sw.kernel import vxbin
from sw.kernel.vxbin.build import write_atomically
from sw.kernel.vxcc import cache, diagnostics, flags, kernels, passes
from sw.kernel.vxcc.errors import ImageError, SourceError
from sw.kernel.vxcc.image import check_image
from sw.kernel.vxcc.toolchain import Toolchain, run_tool

DEFAULT_CACHE = flags.REPO_ROOT / "build" / "kernels"
_START_FILES = ("vx_start.S", "vx_init.S")
_LIBRARY_FILES = ("vx_mem.c", "vx_cxx.c")
_CXX_SUFFIXES = {".cpp", ".cc", ".cxx"}
_SUFFIXES = _CXX_SUFFIXES | {".c", ".S", ".s"}


@dataclass(frozen=True)
class Artifacts:
    """What a build left in the cache; valid until the cache is removed.

    Attributes:
        vxbin: the module to load.
        elf: the linked image with symbols and line numbers (paths in it are relative to the repository).
        kernels: entry address by exported name, as the strict loader read them.
        key: the build key.
        cached: whether nothing had to be built.
    """

    vxbin: Path
    elf: Path
    kernels: dict[str, int]
    key: str
    cached: bool


@dataclass(frozen=True)
class _Request:
    sources: tuple[Path, ...]
    hardware: HardwareConfig
    entry: EntryGeneration
    opt: str
    kernel: str | None
    include_flags: tuple[str, ...]
    defines: Mapping[str, str]
    plugin: Path | None
    tools: Toolchain

    def compile_flags(self, source: Path, optimise: str | None = None) -> list[str]:
        result = flags.common_flags(self.hardware, self.entry, self.defines) + list(self.include_flags)
        if source.suffix in (".S", ".s"):
            return result
        result += flags.language_flags(optimise or self.opt)
        result += flags.cxx_flags() if source.suffix in _CXX_SUFFIXES else ["-std=c11"]
        return result + passes.plugin_flags(self.plugin)


def compile_kernel(
    sources: Sequence[str | Path],
    out: str | Path | None = None,
    hardware: HardwareConfig | None = None,
    entry: EntryGeneration = EntryGeneration.CTA_ENTRY,
    opt: str = "3",
    *,
    kernel: str | None = None,
    defines: Mapping[str, str] | None = None,
    include_dirs: Sequence[str | Path] = (),
    plugin: Path | None = None,
    toolchain: Toolchain | None = None,
    cache_dir: Path = DEFAULT_CACHE,
) -> Artifacts:
    """Build a module, or find it in the cache.

    Args:
        sources: C++, C or assembly files; the folder of each is searched for its headers.
        out: where to copy the `.vxbin`; None leaves it in the cache only.
        hardware: shape of the processor: decides `-march`, addresses and `VX_CFG_*` macros. None is the default one.
        entry: entry generation of the start-up code.
        opt: optimisation level, one of 0 1 2 3 s.
        kernel: which kernel a `direct` image calls; only there.
        defines: further macros.
        include_dirs: further folders for headers.
        plugin: a pass plugin for clang.
        toolchain: programs to use; None looks on PATH.
        cache_dir: the cache.

    Raises:
        VxccError: one of its subclasses, with a text for people. `out` is then untouched.
    """
    request = _Request(
        sources=tuple(_checked_source(Path(source)) for source in sources),
        hardware=hardware or HardwareConfig(),
        entry=entry,
        opt=opt,
        kernel=kernel,
        include_flags=tuple(f"-I{Path(folder).resolve()}" for folder in include_dirs),
        defines=dict(defines or {}),
        plugin=plugin,
        tools=toolchain or Toolchain.find(),
    )
    if not request.sources:
        raise SourceError("no source file was given")
    if kernel is not None and entry is not EntryGeneration.DIRECT:
        raise SourceError(f"a kernel is chosen only for generation direct; {entry.value} exports all of them")
    key = _key(request)
    folder = cache_dir / key
    cached = folder.is_dir()
    if not cached:
        with cache.new_entry(cache_dir, key) as scratch:
            _build(request, scratch)
    module = vxbin.load(folder / "kernel.vxbin", layout=_layout(request.hardware))
    if out is not None:
        write_atomically(Path(out), (folder / "kernel.vxbin").read_bytes())
    return Artifacts(folder / "kernel.vxbin", folder / "kernel.elf", module.kernels, key, cached)


def _checked_source(source: Path) -> Path:
    if source.suffix not in _SUFFIXES:
        raise SourceError(f"{source} is not a source file: the name must end in {', '.join(sorted(_SUFFIXES))}")
    if not source.is_file():
        raise SourceError(f"source file {source} does not exist")
    return source.resolve()


def _layout(hardware: HardwareConfig) -> vxbin.MemoryLayout:
    return vxbin.MemoryLayout(
        xlen=hardware.xlen,
        harts=hardware.total_harts,
        stack_base=hardware.stack_base_addr,
        stack_log2_size=hardware.stack_log2_size,
        lmem_log_size=hardware.lmem_log_size,
    )


def _key(request: _Request) -> str:
    """Hash of everything that a build depends on; the sources count as the preprocessor sees them."""
    parts = [request.tools.identity().encode(), passes.plugin_identity(request.plugin), str(request.kernel).encode()]
    parts.append("\n".join(flags.link_flags(request.hardware)).encode())
    for source in request.sources:
        arguments = request.compile_flags(source)
        parts.append("\n".join([str(source), *arguments]).encode())
        done = run_tool(request.tools.clang, [*arguments, "-E", str(source)])
        if done.status != 0:
            raise diagnostics.compile_error(_shown(source), done.stderr)
        parts.append(done.stdout)
    own = [
        path for pattern in ("src/*", "scripts/*", "include/*.h", "vxcc/*.py", "vxbin/*.py") for path in _own(pattern)
    ]
    parts += [path.read_bytes() for path in own]
    return cache.digest(parts)


def _own(pattern: str) -> list[Path]:
    return sorted(path for path in flags.KERNEL_ROOT.glob(pattern) if path.is_file())


def _shown(source: Path) -> Path:
    return source.relative_to(flags.REPO_ROOT) if source.is_relative_to(flags.REPO_ROOT) else source


def _build(request: _Request, scratch: Path) -> None:
    objects = [
        _compile(request, source, scratch / f"{index}_{source.stem}.o") for index, source in enumerate(request.sources)
    ]
    names = kernels.find_kernels(objects)
    if not names:
        raise SourceError(
            f"{', '.join(str(_shown(source)) for source in request.sources)}: no function is marked __kernel"
        )
    exports = kernels.export_flags(request.entry, names, request.kernel)
    start = [_compile(request, flags.SOURCE_DIR / name, scratch / f"{name}.o") for name in _START_FILES]
    # At -O0 these loops would be slow and their behaviour is fixed anyway.
    library = [_compile(request, flags.SOURCE_DIR / name, scratch / f"{name}.o", "2") for name in _LIBRARY_FILES]
    if request.entry is EntryGeneration.S11:
        stubs = scratch / "vx_stubs.S"
        stubs.write_text(kernels.stub_source(names), encoding="utf-8")
        start.append(_compile(request, stubs, scratch / "vx_stubs.S.o"))
    elf = scratch / "kernel.elf"
    command = flags.link_flags(request.hardware) + [str(path) for path in start + objects] + exports
    command += ["--start-lib", *(str(path) for path in library), "--end-lib", "-o", str(elf)]
    done = run_tool(request.tools.lld, command)
    if done.status != 0:
        raise diagnostics.link_error(done.stderr)
    content = elf.read_bytes()
    check_image(content, request.entry)
    try:
        data = vxbin.build_from_elf(content, "the linked image")
        vxbin.load(data, layout=_layout(request.hardware))
    except vxbin.VxbinError as error:
        raise ImageError(f"the linked image is not a valid module: {error}") from error
    (scratch / "kernel.vxbin").write_bytes(data)
    for path in [*start, *objects, *library]:
        path.unlink()


def _compile(request: _Request, source: Path, target: Path, optimise: str | None = None) -> Path:
    arguments = request.compile_flags(source, optimise)
    done = run_tool(request.tools.clang, [*arguments, "-c", str(source), "-o", str(target)])
    if done.status != 0:
        raise diagnostics.compile_error(_shown(source), done.stderr)
    return target
