"""Speed of a fixed design (reference.sv in a thin loop), so that figures of two machines can be compared."""

from __future__ import annotations

import json
import subprocess
from pathlib import Path

from hw.tb.bench.measure import BenchError, Figure
from hw.tb.build.toolchain import Toolchain

HERE = Path(__file__).parent
SOURCES = ("reference_cell.sv", "reference.sv", "reference_main.cpp")
NAME = "Vreference"


def build_reference(folder: Path) -> Path:
    """Verilate and compile it in `folder`, with the options of a fast model; returns the program.

    Raises:
        BenchError: Verilator or the compiler refused.
        ToolError: one of them is missing.
    """
    tools = Toolchain.find()
    folder.mkdir(parents=True, exist_ok=True)
    sources = [str(HERE / name) for name in SOURCES]
    verilate = [str(tools.verilator), "--cc", "--exe", "-O3", "-Wall", "--top-module", "reference"]
    make = [tools.make, "-C", str(folder), "-f", f"{NAME}.mk", "OPT_FAST=-O3", "OPT_GLOBAL=-O3"]
    for command in (
        [*verilate, "-CFLAGS", "-std=c++20", "-Mdir", str(folder), *sources],
        [*make, "CFG_CXXFLAGS_PCH_I=-include"],
    ):
        done = subprocess.run(command, env=tools.environment(), capture_output=True, text=True, check=False)
        if done.returncode != 0:
            raise BenchError(f"the reference design was not built: {(done.stderr or done.stdout).strip()}")
    return folder / NAME


def measure_reference(program: Path, cycles: int) -> Figure:
    """Simulate so many cycles.

    Raises:
        BenchError: the program failed.
    """
    done = subprocess.run([str(program), str(cycles)], capture_output=True, text=True, timeout=600, check=False)
    if done.returncode != 0:
        raise BenchError(f"the reference design ended with exit code {done.returncode}: {done.stderr.strip()}")
    figures = json.loads(done.stdout)
    return Figure(figures["cycles"], figures["seconds"])
