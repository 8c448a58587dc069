"""From the RTL_* knobs to something that can be built: prepare, read the list, compare ports, find the id width.

```
 ExternalCore ─ RTL_PREPARE ─▶ file list ─▶ CoreSources ─ elaborate ─▶ ports ─ compare ─▶ ResolvedCore ─▶ ModelSpec
```
"""

from __future__ import annotations

import dataclasses
import fcntl
import hashlib
import re
import subprocess
from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import TypeVar

from config import ExternalCore, HardwareConfig
from config.external import check_define
from hw.tb.build import elaborate
from hw.tb.build.elaborate import CoreError, Elaborated
from hw.tb.build.filelist import VERILOG_SUFFIXES, FileListError, read_filelist
from hw.tb.build.ports import FAULT_PORTS, PARAMETERS, misfits, report
from hw.tb.build.toolchain import Toolchain

_HEADER_SUFFIXES = {".h", ".hh", ".hpp", ".hxx"}
_TAIL_LINES = 8
_T = TypeVar("_T")
_SHAPE_KNOBS = {
    "VX_CFG_NUM_CLUSTERS": "CLUSTERS",
    "VX_CFG_NUM_CORES": "CORES",
    "VX_CFG_NUM_WARPS": "WARPS",
    "VX_CFG_NUM_THREADS": "THREADS",
    "VX_CFG_SIMD_WIDTH": "SIMD_WIDTH",
}


@dataclass(frozen=True)
class CoreSources:
    """Everything that a build of a foreign core consists of; paths are absolute and exist.

    Attributes:
        verilog: Verilog files and waivers in the order of the list.
        options: Verilator options of the list, `-y`, `-v` and `+libext+` among them.
        defines: `NAME` or `NAME=VALUE`, for Verilog and C++.
        fault_ports: the core has the optional `fault_*` outputs.
    """

    top: str
    verilog: tuple[Path, ...]
    incdirs: tuple[Path, ...]
    libdirs: tuple[Path, ...]
    libfiles: tuple[Path, ...]
    options: tuple[str, ...]
    defines: tuple[str, ...]
    csrcs: tuple[Path, ...]
    cflags: tuple[str, ...]
    libs: tuple[str, ...]
    bind: tuple[Path, ...]
    fault_ports: bool = False

    def verilator_args(self) -> list[str]:
        """Options; the files themselves are `verilog`."""
        return [
            *self.options,
            *(f"+incdir+{folder}" for folder in self.incdirs),
            *(argument for folder in self.libdirs for argument in ("-y", str(folder))),
            *(argument for file in self.libfiles for argument in ("-v", str(file))),
            *(f"-D{define}" for define in self.defines),
        ]

    def text(self) -> str:
        """Everything of a build key that is not the contents of a file."""
        parts = (self.top, self.options, self.defines, self.cflags, self.libs, self.fault_ports)
        names = ([path.name for path in paths] for paths in (self.verilog, self.libfiles, self.csrcs, self.bind))
        return repr((parts, *names))

    def content_files(self) -> list[Path]:
        """Every file whose contents make the model, those that may be included among them."""
        searched = [*self.incdirs, *self.libdirs, *{path.parent for path in self.csrcs}]
        libraries = (Path(item) for item in self.libs if not item.startswith("-"))
        return [
            *self.verilog,
            *self.libfiles,
            *self.csrcs,
            *self.bind,
            *(path for path in libraries if path.is_file()),
            *sorted(set(_includable(searched)) - {*self.verilog, *self.libfiles, *self.csrcs, *self.bind}),
        ]


@dataclass(frozen=True)
class ResolvedCore:
    """A core that fits, the configuration with its id width, and what a user should know about it."""

    sources: CoreSources
    hardware: HardwareConfig
    notes: tuple[str, ...]


def resolve_core(
    core: ExternalCore,
    hardware: HardwareConfig,
    cache: Path,
    progress: Callable[[str], None] = lambda text: None,
) -> ResolvedCore:
    """Make `core` ready to be built.

    Args:
        cache: folder of finished elaborations and logs.
        progress: told about each step that takes time.

    Raises:
        CoreError: the core can't be used; the message says why.
        ToolError: a tool is missing.
    """
    cache.mkdir(parents=True, exist_ok=True)
    if core.prepare:
        progress("RTL_PREPARE")
        _prepare(core.prepare, cache)
    sources, notes = collect(core, hardware)
    tools = Toolchain.find()
    parameters = {
        "AXI_DATA_WIDTH": hardware.axi_data_width,
        "AXI_ADDR_WIDTH": hardware.axi_addr_width,
        "AXI_NUM_BANKS": hardware.axi_num_banks,
    }
    arguments = [
        *(f"-D{name}={value}" for name, value in sorted(hardware.verilog_defines().items())),
        *sources.verilator_args(),
        *(f"-G{name}={value}" for name, value in parameters.items()),
        *(str(path) for path in sources.verilog),
    ]
    folder = cache / _digest(sources, hardware, tools)
    found = elaborate.load(folder / "ports.json")
    if found is None:
        progress(f"elaborating {core.top}")
        found = elaborate.elaborate(core.top, arguments, tools, folder)
        elaborate.save(found, folder / "ports.json")
    tid_width = _check(core.top, found, hardware)
    has_faults = {port.name for port in found.ports} >= set(FAULT_PORTS)
    if not has_faults:
        notes.append(f"{core.top} has no fault ports: a warp that stops by a fault looks like one that ended")
    fitted = dataclasses.replace(hardware, axi_tid_width=tid_width)
    return ResolvedCore(dataclasses.replace(sources, fault_ports=has_faults), fitted, tuple(notes))


def collect(core: ExternalCore, hardware: HardwareConfig) -> tuple[CoreSources, list[str]]:
    """The file list and the knobs together, with notes about what is strange in them.

    Raises:
        CoreError: something is missing or contradicts the configuration.
    """
    try:
        named = read_filelist(core.filelist)
    except FileListError as error:
        raise CoreError(str(error)) from error
    for knob, paths in (("RTL_CSRCS", core.csrcs), ("RTL_BIND", core.bind)):
        for path in paths:
            if not path.is_file():
                raise CoreError(f"{knob}: the file {path} does not exist")
    for folder in core.incdirs:
        if not folder.is_dir():
            raise CoreError(f"RTL_INCDIRS: the folder {folder} does not exist")
    libexts = [f"+libext+{'+'.join(named.libexts)}"] if named.libexts else []
    sources = CoreSources(
        top=core.top,
        verilog=tuple(named.sources),
        incdirs=_unique((*core.incdirs, *named.incdirs)),
        libdirs=tuple(named.libdirs),
        libfiles=tuple(named.libfiles),
        options=(*named.options, *libexts),
        defines=_unique((*named.defines, *core.defines)),
        csrcs=_unique((*named.csrcs, *core.csrcs)),
        cflags=(*named.cflags, *core.cflags),
        libs=(*named.libs, *core.libs),
        bind=core.bind,
    )
    _check_defines(sources, hardware)
    return sources, [*named.notes, *_unmentioned(core.defines, sources)]


def _check(top: str, found: Elaborated, hardware: HardwareConfig) -> int:
    """Id width of a core that fits.

    Raises:
        CoreError: port by port what does not.
    """
    has = {port.name: port for port in found.ports}
    tid_width = has["m_axi_awid"].width if "m_axi_awid" in has else hardware.axi_tid_width
    problems = [f"{top}: parameter {name} is missing" for name in PARAMETERS if name not in found.parameters] + misfits(
        top, found.ports, hardware, tid_width
    )
    if problems:
        raise CoreError(report(problems))
    if not 1 <= tid_width <= 64:
        raise CoreError(f"{top}: ids of {tid_width} bits; the harness carries 1 to 64")
    return tid_width


def _check_defines(sources: CoreSources, hardware: HardwareConfig) -> None:
    """A define must not contradict the shape that harness and golden model are built for."""
    decided = hardware.verilog_defines()
    values: dict[str, str | None] = {}
    for define in sources.defines:
        name, value = check_define(define, "RTL_DEFINES")
        if name in values and values[name] != value:
            raise CoreError(f"the macro {name} is defined as {values[name]} and as {value}")
        values[name] = value
        if name in decided and value != decided[name]:
            knob = f"; use {_SHAPE_KNOBS[name]}=" if name in _SHAPE_KNOBS else ""
            raise CoreError(
                f"the define {name}={value} contradicts the configuration, in which it is {decided[name]}{knob}"
            )


def _unmentioned(defines: Iterable[str], sources: CoreSources) -> list[str]:
    """A define that nothing reads is probably misspelt."""
    names = [check_define(define, "RTL_DEFINES")[0] for define in defines]
    if not names:
        return []
    texts = [path.read_text(encoding="utf-8", errors="replace") for path in sources.content_files()]
    return [
        f"RTL_DEFINES: none of the core's {len(texts)} files mentions {name}; is it spelt right?"
        for name in names
        if not any(re.search(rf"\b{name}\b", text) for text in texts)
    ]


def _prepare(command: str, cache: Path) -> None:
    """Run RTL_PREPARE, one process at a time, in the working folder.

    Raises:
        CoreError: it failed; the message ends with its last lines.
    """
    name = hashlib.sha256(f"{command}\0{Path.cwd()}".encode()).hexdigest()[:16]
    log = cache / f"prepare-{name}.log"
    with (cache / f"prepare-{name}.lock").open("w") as lock:
        fcntl.flock(lock, fcntl.LOCK_EX)
        with log.open("wb") as output:
            code = subprocess.run(
                command, shell=True, stdin=subprocess.DEVNULL, stdout=output, stderr=subprocess.STDOUT, check=False
            ).returncode
    if code != 0:
        tail = log.read_text(encoding="utf-8", errors="replace").splitlines()[-_TAIL_LINES:]
        lines = [
            f"RTL_PREPARE={command}: ended with exit code {code}",
            *(f"  | {line}" for line in tail),
            f"  log: {log}",
        ]
        raise CoreError("\n".join(lines))


def _digest(sources: CoreSources, hardware: HardwareConfig, tools: Toolchain) -> str:
    digest = hashlib.sha256(f"{tools.versions()}\0{hardware.key()}\0{sources.text()}".encode())
    for path in sources.content_files():
        digest.update(path.read_bytes())
    return f"{sources.top}-{digest.hexdigest()[:20]}"


def _includable(folders: Iterable[Path]) -> Iterator[Path]:
    for folder in {*folders}:
        for path in folder.rglob("*"):
            if path.suffix.lower() in VERILOG_SUFFIXES | _HEADER_SUFFIXES and path.is_file():
                yield path


def _unique(items: Iterable[_T]) -> tuple[_T, ...]:
    return tuple(dict.fromkeys(items))
