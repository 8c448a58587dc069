"""The second core passes, without and with probes; the wrong one fails, and the first screen says where."""

from __future__ import annotations

from pathlib import Path

from config import RunConfig
from tests.cores.refused import SERIAL, TOP
from tests.cosim.runs import assert_lockstep
from tests.regression.pipeline import Request, run_test
from tests.regression.result import RunResult

WRONG = SERIAL.parent / "wrong" / "wrong.f"
_BIND = SERIAL / "serial_bind.sv"


def run(folder: Path, backend: str, **knobs: str) -> RunResult:
    """multikernel on a core of this folder."""
    config = RunConfig.from_knobs({"RTL_TOP": TOP, "N": "64", **knobs})
    return run_test(Request(config=config, backend=backend, folder=folder / "run")).result


def test_serial_core_without_probes(tmp_path: Path) -> None:
    """Free mode; and everything that a core may bring along: defines, DPI sources, libraries, generated files."""
    generated = tmp_path / "generated"
    result = run(
        tmp_path,
        "rtl",
        RTL_FILELIST=str(SERIAL / "serial.f"),
        RTL_DEFINES="SERIAL_ANSWER=12",
        RTL_INCDIRS=str(generated),
        RTL_CSRCS=str(SERIAL / "serial_dpi.cpp"),
        RTL_CFLAGS="-DSERIAL_LANES=4",
        RTL_LIBS="-lm",
        RTL_PREPARE=f"sh {SERIAL / 'serial_generate.sh'} {generated}",
        LAUNCH="kmu",
    )
    assert result.passed, result.failures
    assert [kernel.compared for kernel in result.kernels] == [0, 0, 0]
    assert result.notes[0].startswith("free mode sees results only: it misses an instruction that is executed twice")


def test_serial_core_in_lockstep_on_both_launch_paths(tmp_path: Path) -> None:
    result = run(tmp_path, "cosim", RTL_FILELIST=str(SERIAL / "serial.f"), RTL_BIND=str(_BIND), LAUNCH="both")
    assert_lockstep(result)
    assert [kernel.path for kernel in result.kernels] == ["kmu"] * 3 + ["bar"] * 3


def test_wrong_core(tmp_path: Path) -> None:
    """Its multiplier drops bits: lockstep names the instruction, free mode the element; one model serves both."""
    knobs = {"RTL_FILELIST": str(WRONG), "RTL_BIND": str(_BIND), "LAUNCH": "kmu"}
    found = run(tmp_path / "lockstep", "cosim", **knobs).failures[0]
    assert (found.check, found.category) == ("lane result", "rtl result")
    for text in ("mul_k", "mul ", "expected", "kernel.cpp:", "cycle"):
        assert text in found.screen
    free = run(tmp_path / "free", "rtl", MODE="free", **knobs)
    assert (free.failures[0].check, free.failures[0].kernel) == ("final memory", "mul_k")
    assert "in buffer dst of mul_k + 0x3d" in free.failures[0].message
