"""From kernel sources to a `.vxbin`: preprocess, look in the cache, compile, export kernels, link, convert, check.

kernel.cpp ─clang─▶ kernel.o ─▶ names of the kernels ─▶ aliases or stubs ─┐
src/vx_start.S, vx_init.S ─clang─▶ objects ───────────────────────────────┼─lld─▶ kernel.elf ─vxbin─▶ kernel.vxbin
lib/*.c ─clang─▶ objects of the functions that are used ──────────────────┘
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path

from config import EntryGeneration, HardwareConfig
from sw.kernel import vxbin
from sw.kernel.divergence import FunctionReport, read_report
from sw.kernel.vxbin.build import write_atomically
from sw.kernel.vxbin.generation import Generation, detect_generation
from sw.kernel.vxcc import cache, diagnostics, flags, kernels, passes
from sw.kernel.vxcc.errors import ImageError, SourceError
from sw.kernel.vxcc.image import check_image
from sw.kernel.vxcc.legacy import defines_main
from sw.kernel.vxcc.request import SUFFIXES, Request, shown
from sw.kernel.vxcc.stack import check_stack, read_frames
from sw.kernel.vxcc.support import support_objects
from sw.kernel.vxcc.toolchain import Toolchain, run_tool

DEFAULT_CACHE = flags.REPO_ROOT / "build" / "kernels"


@dataclass(frozen=True)
class Artifacts:
    """What a build left in the cache; valid until the cache is removed.

    Attributes:
        vxbin: the module to load.
        elf: the linked image with symbols and line numbers (paths in it are relative to the repository).
        kernels: entry address by exported name, as the strict loader read them.
        key: the build key.
        cached: whether nothing had to be built.
        divergence: every function of the kernels' sources as the divergence pass saw it; empty without the pass.
        generation: entry generation as the image's code has it.
    """

    vxbin: Path
    elf: Path
    kernels: dict[str, int]
    key: str
    cached: bool
    divergence: tuple[FunctionReport, ...]
    generation: Generation


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
    divergence: bool = True,
    plugin: Path | None = None,
    toolchain: Toolchain | None = None,
    cache_dir: Path = DEFAULT_CACHE,
) -> Artifacts:
    """Build a module, or find it in the cache.

    Args:
        sources: C++, C or assembly files; the folder of each is searched for its headers.
        out: where to copy the `.vxbin`; None leaves it in the cache only.
        hardware: shape of the processor: decides `-march`, addresses and `VX_CFG_*` macros. None is the default one.
        entry: entry generation of the start-up code; sources without a `__kernel` but with `main()` make a legacy
            image, which has a start-up code of its own.
        opt: optimisation level, one of 0 1 2 3 s.
        kernel: which kernel a `direct` image calls; only there.
        defines: further macros.
        include_dirs: further folders for headers.
        divergence: whether the divergence pass runs; without it only uniform branches are right.
        plugin: another pass plugin for clang in its place; it must leave the same report.
        toolchain: programs to use; None looks on PATH.
        cache_dir: the cache.

    Raises:
        VxccError: one of its subclasses, with a text for people. `out` is then untouched.
    """
    tools = toolchain or Toolchain.find()
    if plugin is None and divergence:
        plugin = passes.build_plugin()
    request = Request(
        sources=tuple(_checked_source(Path(source)) for source in sources),
        hardware=hardware or HardwareConfig(),
        entry=entry,
        opt=opt,
        kernel=kernel,
        include_flags=tuple(f"-I{Path(folder).resolve()}" for folder in include_dirs),
        defines=dict(defines or {}),
        plugin=plugin,
        tools=tools,
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
            _build(request, scratch, cache_dir)
    module = vxbin.load(folder / "kernel.vxbin", layout=_layout(request.hardware))
    if out is not None:
        write_atomically(Path(out), (folder / "kernel.vxbin").read_bytes())
    reports = tuple(function for path in sorted(folder.glob("*.divergence.json")) for function in read_report(path))
    return Artifacts(
        folder / "kernel.vxbin", folder / "kernel.elf", module.kernels, key, cached, reports, detect_generation(module)
    )


def _checked_source(source: Path) -> Path:
    if source.suffix not in SUFFIXES:
        raise SourceError(f"{source} is not a source file: the name must end in {', '.join(sorted(SUFFIXES))}")
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


def _key(request: Request) -> str:
    """Hash of everything that a build depends on; the sources count as the preprocessor sees them."""
    parts = [request.tools.identity().encode(), passes.plugin_identity(request.plugin), str(request.kernel).encode()]
    parts.append("\n".join(flags.link_flags(request.hardware)).encode())
    for source in request.sources:
        parts.append("\n".join([str(source), *request.compile_flags(source)]).encode())
        parts.append(request.preprocess(source))
    own = flags.own_files("src/*", "lib/*", "scripts/*", "include/*", "vxcc/*.py", "vxbin/*.py")
    return cache.digest(parts + [path.read_bytes() for path in own])


def _build(request: Request, scratch: Path, cache_dir: Path) -> None:
    objects = [
        request.compile(source, scratch / f"{index}_{source.stem}.o") for index, source in enumerate(request.sources)
    ]
    names = kernels.find_kernels(objects)
    legacy = not names and defines_main(objects)
    if not names and not legacy:
        where = ", ".join(str(shown(source)) for source in request.sources)
        raise SourceError(f"{where}: no function is marked __kernel, and there is no main() for a legacy image")
    exports = [] if legacy else kernels.export_flags(request.entry, names, request.kernel)
    if request.entry is EntryGeneration.S11 and not legacy:
        stubs = scratch / "vx_stubs.S"
        stubs.write_text(kernels.stub_source(names), encoding="utf-8")
        objects.append(request.compile(stubs, scratch / "vx_stubs.o"))
    support = support_objects(request, cache_dir, objects, legacy)
    elf = scratch / "kernel.elf"
    command = [*flags.link_flags(request.hardware), *map(str, support.start), *map(str, objects), *exports]
    command += [*map(str, support.library), "-o", str(elf)]
    done = run_tool(request.tools.lld, command)
    if done.status != 0:
        raise diagnostics.link_error(done.stderr)
    content = elf.read_bytes()
    check_image(content, None if legacy else request.entry)
    check_stack(content, read_frames([*scratch.glob("*.su"), *support.frames]), 1 << request.hardware.stack_log2_size)
    try:
        data = vxbin.build_from_elf(content, "the linked image")
        vxbin.load(data, layout=_layout(request.hardware))
    except vxbin.VxbinError as error:
        raise ImageError(f"the linked image is not a valid module: {error}") from error
    (scratch / "kernel.vxbin").write_bytes(data)
    for path in scratch.iterdir():
        if path.name not in ("kernel.elf", "kernel.vxbin") and not path.name.endswith(".divergence.json"):
            path.unlink()
