"""Builds a model once and hands it to everybody who asks for the same key."""

from __future__ import annotations

import fcntl
import json
import os
import re
import shutil
import subprocess
import sys
import time
from collections.abc import Callable, Iterator, Sequence
from concurrent.futures import ThreadPoolExecutor
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path

import cocotb_tools.config

from hw.tb.build.diagnose import compiler_sentences, listed, verilator_sentences
from hw.tb.build.dpi_sources import compile_commands, library_arguments
from hw.tb.build.spec import CPP_INCLUDES, CPP_SOURCES, FOREIGN_SYMBOLS, MAINS, REPO, ModelKind, ModelSpec
from hw.tb.build.toolchain import Toolchain

MODELS = REPO / "build" / "models"
CORES = REPO / "build" / "cores"  # elaborations of foreign cores
_JOBS = 2
_FIRST_ERRORS = 8


class BuildError(RuntimeError):
    """A model could not be built; the message names the step, the log and the first error lines."""


@dataclass(frozen=True)
class Model:
    """A finished build.

    Attributes:
        key: its name under build/models.
        folder: contains the executables, `verilog/` with the generated code, and `build.log`.
    """

    key: str
    folder: Path

    def executable(self, main: str = "cocotb") -> Path:
        return self.folder / f"sim_{main}"


def build(spec: ModelSpec, *, models: Path = MODELS, progress: Callable[[str], None] = lambda text: None) -> Model:
    """Return the model for `spec`, building it if nobody has yet; parallel callers wait for the one that builds.

    Args:
        progress: called with one line at the start of a real build and of each step.

    Raises:
        BuildError: a step failed; nothing half-built stays under the key.
        ToolError: a tool is missing.
    """
    toolchain = Toolchain.find()
    key = spec.key(toolchain.versions())
    folder = models / key
    if (folder / "done.json").is_file():
        return Model(key, folder)
    models.mkdir(parents=True, exist_ok=True)
    with _lock(models / f"{key}.lock", progress):
        if not (folder / "done.json").is_file():
            _build(spec, key, folder, toolchain, progress)
    return Model(key, folder)


def is_built(spec: ModelSpec, *, models: Path = MODELS) -> bool:
    """Whether `build` would return at once. Raises ToolError if a tool is missing."""
    return (models / spec.key(Toolchain.find().versions()) / "done.json").is_file()


@contextmanager
def _lock(path: Path, progress: Callable[[str], None]) -> Iterator[None]:
    with path.open("w") as file:
        try:
            fcntl.flock(file, fcntl.LOCK_EX | fcntl.LOCK_NB)
        except BlockingIOError:
            progress("waiting for another process that builds the same model")
            fcntl.flock(file, fcntl.LOCK_EX)
        yield


def _build(spec: ModelSpec, key: str, folder: Path, tools: Toolchain, progress: Callable[[str], None]) -> None:
    began = time.monotonic()
    progress(f"building {spec.kind.value} model {spec.hardware.label()} ({key})")
    # A build that was killed may have left a folder; its name is ours, we hold the lock.
    shutil.rmtree(folder, ignore_errors=True)
    verilog = folder / "verilog"
    verilog.mkdir(parents=True)
    log = folder / "build.log"
    env = tools.environment()
    for name, text in spec.generated_headers().items():
        (folder / name).write_text(text, encoding="utf-8")

    command = [str(tools.verilator), *spec.verilator_args(), "-Mdir", str(verilog)]
    command += [str(path) for path in spec.verilog_sources()]
    foreign = spec.core is not None
    _run("Verilator", command, folder, env, log, foreign=foreign)
    progress("compiling the generated C++")
    # A debug model is compiled more often than it runs long.
    optimise = "-O1" if spec.quick or spec.kind is ModelKind.DEBUG else "-O3"
    _run(
        "the C++ compiler (generated code)",
        [
            tools.make,
            "-C",
            str(verilog),
            "-f",
            "Vtop.mk",
            f"-j{_JOBS}",
            f"OPT_FAST={optimise}",
            f"OPT_GLOBAL={optimise}",
            "CFG_CXXFLAGS_PCH_I=-include",  # without it a large design fails on a precompiled header
        ],
        folder,
        env,
        log,
        foreign=foreign,
    )
    progress("compiling the harness")
    _compile_harness(spec, folder, verilog, tools, env, log)
    for path in verilog.glob("*"):  # objects are in the libraries; keep sources for reading
        if path.suffix in {".o", ".gch", ".d"} or path.name.endswith(".gch"):
            path.unlink()
    seconds = time.monotonic() - began
    summary = {"key": key, "hardware": spec.hardware.key(), "kind": spec.kind.value, "seconds": round(seconds, 1)}
    temporary = folder / "done.json.new"
    temporary.write_text(json.dumps(summary, indent=1) + "\n", encoding="utf-8")
    temporary.rename(folder / "done.json")
    progress(f"built in {seconds:.0f} s")


def _compile_harness(
    spec: ModelSpec, folder: Path, verilog: Path, tools: Toolchain, env: dict[str, str], log: Path
) -> None:
    root = tools.verilator_root / "include"
    trace = int(spec.kind is ModelKind.DEBUG)
    # Hidden symbols and link-time optimisation let the probe functions be inlined into the model.
    optimise = ["-O1"] if spec.quick else ["-O3", "-flto=auto"]
    flags = ["-std=c++20", *optimise, "-fvisibility=hidden", "-Wall", "-Wextra", "-Werror"]
    flags += ["-DVL_TIME_CONTEXT", f"-I{folder}"]
    # Headers of Verilator and cocotb are not ours to keep free of warnings.
    flags += [f"-isystem{path}" for path in (verilog, root, root / "vltstd")]
    flags += [f"-I{path}" for path in CPP_INCLUDES]
    flags += [f"-DVM_TRACE={trace}", f"-DVM_TRACE_FST={trace}", "-DVM_TRACE_VCD=0", "-DVM_SC=0", "-DVM_COVERAGE=0"]
    compiler = [tools.ccache, tools.cxx] if tools.ccache else [tools.cxx]
    objects = folder / "objects"
    objects.mkdir(exist_ok=True)

    sources = [*CPP_SOURCES, *([FOREIGN_SYMBOLS] if spec.core is not None else [])]

    def compile_one(source: Path) -> None:
        command = [*compiler, *flags, "-c", str(source), "-o", str(objects / f"{source.stem}.o")]
        _run("the C++ compiler (harness)", command, folder, env, objects / f"{source.stem}.log")

    with ThreadPoolExecutor(_JOBS) as pool:
        list(pool.map(compile_one, (*sources, *MAINS.values())))
    shared = [str(objects / f"{source.stem}.o") for source in sources]
    libraries = [str(verilog / "libVtop.a"), str(verilog / "libverilated.a")]
    if spec.core is not None:
        for command, target in compile_commands(spec.core, spec.hardware, folder, tools):
            _run("the C++ compiler (RTL_CSRCS)", command, folder, env, log, foreign=True)
            shared.append(str(target))
        libraries += library_arguments(spec.core)
    for name, source in MAINS.items():
        command = [tools.cxx, "-rdynamic", *optimise, str(objects / f"{source.stem}.o"), *shared, *libraries]
        if name == "cocotb":
            libs = cocotb_tools.config.libs_dir
            command += [f"-L{libs}", f"-Wl,-rpath,{libs}", "-lcocotbvpi_verilator"]
        command += ["-lz", "-lpthread", "-ldl", "-o", str(folder / f"sim_{name}")]
        if trace:
            command.insert(-2, "-llz4")
        _run("the linker", command, folder, env, log, foreign=spec.core is not None)


def _run(
    what: str, command: Sequence[str], folder: Path, env: dict[str, str], log: Path, *, foreign: bool = False
) -> None:
    """Run one step; what fails with a foreign core is said in sentences about that core."""
    with log.open("a", encoding="utf-8") as file:
        file.write("$ " + " ".join(command) + "\n")
        file.flush()
        start = file.tell()
        code = subprocess.run(
            command, cwd=folder, env=env, stdout=file, stderr=subprocess.STDOUT, check=False
        ).returncode
    if code == 0:
        return
    with log.open("rb") as raw:
        raw.seek(start)
        output = raw.read().decode("utf-8", errors="replace")
    if foreign:
        sentences = verilator_sentences(output) or compiler_sentences(output)
        raise BuildError(f"{what} refuses the core:\n{listed(sentences, log)}")
    raise BuildError(f"{what} failed with exit code {code}; log: {log}\n{_first_errors(output)}")


def _first_errors(output: str) -> str:
    """The lines that say what went wrong; the last lines of the output if none looks like an error."""
    lines = output.splitlines()
    errors = [line for line in lines if re.search(r"%Error|\berror\b|undefined reference|Error:|No such file", line)]
    return "\n".join(f"  {line}" for line in (errors or lines[-_FIRST_ERRORS:])[:_FIRST_ERRORS])


def default_progress(text: str) -> None:
    """Progress on a terminal; silent when nobody looks."""
    if sys.stderr.isatty() or os.environ.get("VX_PROGRESS"):
        print(f"[model] {text}", file=sys.stderr, flush=True)
