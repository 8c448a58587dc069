"""Clean kernels have no finding with all checks, whole host programs, on the compiled tier."""

from __future__ import annotations

from pathlib import Path

import pytest

from config import HardwareConfig, RunConfig
from golden_model import Machine
from golden_model.diagnosis import Check, Diagnosis
from tests.regression.pipeline import Request, run_test
from tests.unit.golden_tiers import needs_compiler

pytestmark = needs_compiler
CLEAN = ("multikernel", "vecadd_i", "sgemm_i", "lmem_reduce", "split_join", "isa_programs")
SIZES = {"sgemm_i": 16, "isa_programs": 16}


def diagnosed(test: str, config: HardwareConfig, folder: Path, monkeypatch: pytest.MonkeyPatch) -> tuple[bool, int]:
    """Whether the host program passed with every check (a finding fails it), and how many launches were checked."""
    original, launches = Machine.start, 0

    def start(machine: Machine) -> None:
        nonlocal launches
        machine.tier = "fast"
        if machine.diagnosis is None:
            machine.diagnosis = Diagnosis(machine, Check)
        original(machine)
        launches += 1

    monkeypatch.setattr(Machine, "start", start)
    run = RunConfig(test=test, size=SIZES.get(test, 0), hardware=config)
    result = run_test(Request(run, "golden", folder=folder)).result
    for failure in result.failures:
        print(failure.screen)
    return result.passed, launches


@pytest.mark.parametrize("test", CLEAN)
def test_clean_kernels(test: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    passed, launches = diagnosed(test, HardwareConfig(), tmp_path, monkeypatch)
    assert passed
    assert launches


def test_a_wrong_kernel_fails_the_same_way(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    passed, _ = diagnosed("divergent_bad", HardwareConfig(), tmp_path, monkeypatch)
    assert not passed


def test_two_cores(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Constructors and thread-local data of many warps are no race."""
    passed, _ = diagnosed("multikernel", HardwareConfig(num_cores=2, num_threads=2), tmp_path, monkeypatch)
    assert passed
