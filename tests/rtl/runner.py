"""Builds one RTL module with Verilator and runs cocotb tests on it.

A test file holds both sides: functions decorated with `cocotb.test` run inside the simulator, and a pytest function
calls `run`. A build remembers the contents of every source that it read, so an unchanged
block is not built again.
"""

from __future__ import annotations

import fcntl
import hashlib
import json
import os
import re
import shutil
import subprocess
import xml.etree.ElementTree as ET
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path

import cocotb_tools.config
from cocotb_tools.runner import get_runner

from config import HardwareConfig
from hw.tb.build.toolchain import Toolchain

REPO = Path(__file__).parents[2]
# Another tree of sources is how a test is seen failing (tests/rtl/seeded).
RTL = Path(os.environ.get("VX_RTL_TEST_SOURCES") or REPO / "hw" / "rtl")
BUILDS = REPO / "build" / "rtl-tests"
_HARDWARE = "VX_RTL_TEST_HARDWARE"
_PARAMETERS = "VX_RTL_TEST_PARAMETERS"
_LOG_TAIL = 60
# Warnings of style must not stop a build here (the lint test is for them), but $fatal and $error at elaboration must.
ELABORATION_ERRORS = ("-Werror-USERFATAL", "-Werror-USERERROR")


@dataclass(frozen=True)
class Block:
    """One module in one shape.

    Attributes:
        module: name of the module and, with `.sv`, of its file somewhere below `rtl`.
        hardware: overrides of `HardwareConfig`; they become the VX_CFG_* macros.
        parameters: the module's own parameters (`-G`).
        rtl: root of the sources; a copy with a change in it is how a test is seen failing.
        extra_sources: more files, such as a wrapper in the test's folder that is the `module`.
    """

    module: str
    hardware: Mapping[str, object] = field(default_factory=dict)
    parameters: Mapping[str, int] = field(default_factory=dict)
    rtl: Path = RTL
    extra_sources: Sequence[Path] = ()

    def config(self) -> HardwareConfig:
        return HardwareConfig.load(overrides=self.hardware)

    def sources(self) -> list[Path]:
        """Packages in dependency order, then the extra files; Verilator finds the other modules by name."""
        first = [self.rtl / "vx_pkg.sv", self.rtl / "vx_trace_pkg.sv"]
        packages = [*first, *sorted(path for path in self.rtl.rglob("*_pkg.sv") if path not in first)]
        own = list(self.rtl.rglob(f"{self.module}.sv"))
        if not own and not any(path.stem == self.module for path in self.extra_sources):
            raise FileNotFoundError(f"there is no {self.module}.sv below {self.rtl}")
        return [*packages, *self.extra_sources, *own]

    def arguments(self) -> list[str]:
        folders = sorted({path.parent for path in self.rtl.rglob("*.sv")})
        return [
            *(f"-I{folder}" for folder in folders),
            *(f"-D{name}={value}" for name, value in sorted(self.config().verilog_defines().items())),
            *(f"-G{name}={value}" for name, value in sorted(self.parameters.items())),
        ]

    def key(self, versions: str) -> str:
        """Name of the build folder: shape and tools; the contents of the sources are in the folder's manifest."""
        what = [versions, self.config().key(), sorted(self.parameters.items()), str(self.rtl), _digest(Path(__file__))]
        return f"{self.module}-{hashlib.sha256(json.dumps(what).encode()).hexdigest()[:16]}"


def build(block: Block) -> Path:
    """Folder with the executable of `block`.

    Raises:
        AssertionError: Verilator or the compiler refused it; the message ends with their output.
        ToolError: a tool is missing.
    """
    tools = Toolchain.find()
    folder = BUILDS / block.key(tools.versions())
    BUILDS.mkdir(parents=True, exist_ok=True)
    manifest = folder / "manifest.json"
    with (BUILDS / f"{folder.name}.lock").open("w") as lock:
        fcntl.flock(lock, fcntl.LOCK_EX)
        if not _up_to_date(manifest):
            shutil.rmtree(folder, ignore_errors=True)
            folder.mkdir()
            _build(block, folder, tools)
            used = [
                Path(name) for name in re.findall(r"\S+\.svh?\b", (folder / "Vtop__ver.d").read_text(encoding="utf-8"))
            ]
            manifest.write_text(json.dumps({str(path): _digest(path) for path in used}, indent=1), encoding="utf-8")
    return folder


def _digest(path: Path) -> str:
    return hashlib.sha256(path.read_bytes()).hexdigest() if path.is_file() else ""


def _up_to_date(manifest: Path) -> bool:
    """True if every source that the build read still has the same contents."""
    if not manifest.is_file():
        return False
    return all(
        _digest(Path(name)) == digest for name, digest in json.loads(manifest.read_text(encoding="utf-8")).items()
    )


def _build(block: Block, folder: Path, tools: Toolchain) -> None:
    libs = cocotb_tools.config.libs_dir
    main = cocotb_tools.config.share_dir / "lib" / "verilator" / "verilator.cpp"
    verilate = [
        *(
            str(tools.verilator),
            "--cc",
            "--exe",
            "--vpi",
            *("--public-depth", "1"),  # what a test drives and reads are ports
            "--assert",
            "-Wno-fatal",
            *ELABORATION_ERRORS,
        ),
        *("--x-assign", "unique", "--x-initial", "unique", "--timescale", "1ns/1ns"),
        *("--prefix", "Vtop", "--top-module", block.module, "-Mdir", str(folder), "-o", block.module),
        *("-LDFLAGS", f"-Wl,-rpath,{libs} -L{libs} -lcocotbvpi_verilator"),
        *block.arguments(),
        str(main),
        *(str(path) for path in block.sources()),
    ]
    # In one piece: a block is so small that reading headers and writing precompiled ones is most of the time.
    flags = ["OPT_FAST=-O0", "VM_PARALLEL_BUILDS=0"]
    compile_ = [tools.make, "-C", str(folder), "-f", "Vtop.mk", "-j2", *flags]
    _execute(block, verilate, tools)
    # Verilator gives the top's class a method `trace`, which clashes with a port of that name. Nothing here calls it.
    header = folder / "Vtop.h"
    header.write_text(
        re.sub(r".*void trace\(VerilatedTraceBaseC.*\n", "", header.read_text(encoding="utf-8")), encoding="utf-8"
    )
    _execute(block, compile_, tools)


def _execute(block: Block, command: Sequence[str], tools: Toolchain) -> None:
    result = subprocess.run(command, capture_output=True, text=True, check=False, env=tools.environment())
    if result.returncode != 0:
        output = (result.stdout + result.stderr)[-4000:]
        raise AssertionError(f"{block.module} could not be built: {' '.join(command[:2])} …\n{output}")


def run(block: Block, test_module: str, *, testcase: str | None = None, seed: int = 1) -> dict[str, float]:
    """Build `block` and run the cocotb tests of `test_module` (all, or the one named `testcase`).

    Args:
        test_module: dotted name; normally the caller's `__name__`.
        seed: of everything random; COCOTB_RANDOM_SEED in the environment has precedence.

    Returns:
        Simulated nanoseconds of each test that passed.

    Raises:
        AssertionError: a test failed or none ran; the message carries the end of the simulator's log and a repro line.
    """
    folder = build(block)
    seed = int(os.environ.get("COCOTB_RANDOM_SEED", seed))
    run_folder = folder / f"{test_module.rsplit('.', 1)[-1]}-{testcase or 'all'}-{seed}"
    log = run_folder / "sim.log"
    results = run_folder / "results.xml"
    runner = get_runner("verilator")
    error = ""
    try:
        runner.test(
            test_module=test_module,
            hdl_toplevel=block.module,
            hdl_toplevel_lang="verilog",
            build_dir=folder,
            test_dir=run_folder,
            testcase=testcase,
            seed=seed,
            results_xml=str(results),
            plusargs=["+verilator+rand+reset+2", f"+verilator+seed+{seed % 2147483647 or 1}"],
            extra_env={
                "PYTHONPATH": f"{REPO}{os.pathsep}{os.environ.get('PYTHONPATH', '')}",
                _HARDWARE: json.dumps(dict(block.hardware)),
                _PARAMETERS: json.dumps(dict(block.parameters)),
            },
            log_file=log,
        )
    except (SystemExit, RuntimeError, AssertionError, subprocess.SubprocessError) as problem:
        error = str(problem)
    text = log.read_text(encoding="utf-8", errors="replace") if log.is_file() else ""
    passed, failed = _outcomes(results)
    # A violated SystemVerilog assertion must fail the test even if cocotb's own checks passed.
    violated = re.search(r"%Error|Assertion failed", text) is not None
    if error or failed or violated or not passed:
        tail = "\n".join(text.splitlines()[-_LOG_TAIL:])
        what = ", ".join(failed) or error or ("an assertion of the RTL" if violated else "no test ran")
        raise AssertionError(f"{block.module} (seed {seed}): failed: {what}; log: {log}\n{tail}")
    return passed


def _outcomes(results: Path) -> tuple[dict[str, float], list[str]]:
    passed: dict[str, float] = {}
    failed: list[str] = []
    if results.is_file():
        for case in ET.parse(results).getroot().iter("testcase"):
            name = case.get("name", "?")
            if case.find("failure") is not None or case.find("error") is not None:
                failed.append(name)
            elif case.find("skipped") is None:
                passed[name] = float(case.get("sim_time_ns", 0))
    return passed, failed


def hardware() -> HardwareConfig:
    """Inside a simulation: the configuration that the block was built with."""
    return HardwareConfig.load(overrides=json.loads(os.environ[_HARDWARE]))


def parameter(name: str, default: int) -> int:
    """Inside a simulation: the value of one of the block's own parameters."""
    return int(json.loads(os.environ[_PARAMETERS]).get(name, default))
