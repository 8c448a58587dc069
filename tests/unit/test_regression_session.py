"""Host programs and their verdict, on scripted kernels: what is right passes, each single fault is seen."""

from __future__ import annotations

import dataclasses
import itertools
from pathlib import Path

import numpy as np
import pytest

from config import EntryGeneration, RunConfig
from golden_model.follow.difference import Category, Difference
from golden_model.records.layout import FaultKind
from sw.runtime import u32
from sw.runtime.messages import CheckFailed, Fault, Launch, LaunchStats, LaunchStatus
from tests.regression.catalogue import find_test
from tests.regression.execute import execute
from tests.regression.images import Images, KernelImage
from tests.regression.kernel_test import KernelTest, kernel_test
from tests.regression.result import Outcome, RunResult
from tests.regression.session import Session
from tests.unit.scripted_backend import ScriptedBackend
from tests.unit.scripted_multikernel import multikernel_functions
from tests.unit.vxbin_files import write_vxbin

KERNELS = ("add_k", "mul_k", "acc_k")


@pytest.fixture
def images(tmp_path: Path) -> Images:
    path = write_vxbin(tmp_path / "multikernel.vxbin", KERNELS)
    return Images(tuple(KernelImage(name, path, name) for name in KERNELS))


def _run(backend: ScriptedBackend, images: Images, test: KernelTest | None = None) -> RunResult:
    return execute(test or find_test("multikernel"), backend, images, backend.config)


def _first(result: RunResult) -> str:
    assert not result.passed
    return f"{result.failures[0].check}: {result.failures[0].message}"


def test_right_kernels_pass(images: Images) -> None:
    result = _run(ScriptedBackend(RunConfig(), multikernel_functions()), images)
    assert result.passed, result.failures
    assert sorted(kernel.kernel for kernel in result.kernels) == sorted(KERNELS)
    assert [check.outcome for check in result.checks] == [Outcome.PASS, Outcome.PASS]
    assert all(kernel.elements == 512 and kernel.ctas == 16 for kernel in result.kernels)


def test_seeds_go_through_all_orders(images: Images) -> None:
    orders = set()
    for seed in range(6):
        backend = ScriptedBackend(RunConfig(seed=seed), multikernel_functions())
        assert _run(backend, images).passed
        orders.add(tuple(launch.kernel for launch in backend.launches()))
    assert orders == set(itertools.permutations(KERNELS))


def test_launches_wait_behind_each_other(images: Images) -> None:
    waiting: list[int] = []

    @kernel_test(kernels=KERNELS, size=16)
    def watched(t: Session) -> None:
        find_test("multikernel").body(t)
        waiting.extend(t.device.queued)

    assert _run(ScriptedBackend(RunConfig(), multikernel_functions()), images, watched).passed
    assert waiting == [1, 2, 3]


def test_size_is_a_knob(images: Images) -> None:
    result = _run(ScriptedBackend(RunConfig(size=32), multikernel_functions()), images)
    assert result.passed
    assert "N=32" in result.repro
    assert {kernel.elements for kernel in result.kernels} == {64}


def test_wrong_element_is_named(images: Images) -> None:
    result = _run(ScriptedBackend(RunConfig(seed=0), multikernel_functions(wrong_index=7)), images)
    assert _first(result).startswith("host-expectation: dst of add_k[7] at 0x")
    assert "expected 519 (0x207), found 518 (0x206) (1 of 256 elements differ)" in _first(result)


def test_store_behind_the_end_is_seen(images: Images) -> None:
    result = _run(ScriptedBackend(RunConfig(), multikernel_functions(overrun=True)), images)
    assert "was written 0 bytes behind its end" in _first(result)


def test_changed_input_is_seen(images: Images) -> None:
    result = _run(ScriptedBackend(RunConfig(), multikernel_functions(clobber_source=True)), images)
    assert "src[0]" in _first(result)


def test_kernel_that_does_nothing_fails(images: Images) -> None:
    assert "256 of 256 elements differ" in _first(_run(ScriptedBackend(RunConfig()), images))


@pytest.mark.parametrize("names", [("add_k",), ("add_k", "mul_k", "acc_k", "no_such_kernel")])
def test_wrong_set_of_names_fails(images: Images, tmp_path: Path, names: tuple[str, ...]) -> None:
    other = images.relocated(write_vxbin(tmp_path / "other.vxbin", names))
    result = _run(ScriptedBackend(RunConfig(), multikernel_functions()), other)
    assert not result.passed
    expected = "has no kernel 'mul_k'" if len(names) == 1 else "the name was accepted"
    assert any(expected in failure.message for failure in result.failures)


def test_one_image_for_each_kernel_makes_names_not_applicable(tmp_path: Path) -> None:
    functions = multikernel_functions()
    paths = {name: write_vxbin(tmp_path / f"{name}.vxbin", (), window=(0x13,) * 5) for name in KERNELS}
    backend = ScriptedBackend(RunConfig(entry=EntryGeneration.DIRECT))
    # Every image calls its kernel `main`: which one runs depends on the image that is loaded.
    order = iter(find_order(backend.config))
    backend.kernels = {"main": lambda device, launch: functions["add_k"](device, _renamed(launch, next(order)))}
    result = _run(backend, Images(tuple(KernelImage(name, path, "main") for name, path in paths.items())))
    assert result.passed, result.failures
    assert [check.outcome for check in result.checks] == [Outcome.NOT_APPLICABLE] * 2


def find_order(config: RunConfig) -> tuple[str, ...]:
    return list(itertools.permutations(KERNELS))[config.seed % 6]


def _renamed(launch: Launch, kernel: str) -> Launch:
    return dataclasses.replace(launch, kernel=kernel)


@pytest.mark.parametrize("compared", [0, 49])
def test_lockstep_must_compare_every_instruction(images: Images, compared: int) -> None:
    backend = ScriptedBackend(RunConfig(), multikernel_functions())
    backend.name = "cosim"
    backend.stats = LaunchStats(cycles=100, instructions=50, compared=compared)
    expected = f"{compared} warp instructions were compared with the golden model, 50 were retired"
    assert expected in _first(_run(backend, images))


def test_counter_of_the_device_must_agree(images: Images) -> None:
    backend = ScriptedBackend(RunConfig(), multikernel_functions())
    backend.uncounted = 1
    assert _first(_run(backend, images)) == "minstret: MINSTRET grew by 153, but 150 instructions were reported"


def test_launch_without_instructions_fails(images: Images) -> None:
    backend = ScriptedBackend(RunConfig(), multikernel_functions())
    backend.stats = LaunchStats()
    assert "no instruction was retired" in _first(_run(backend, images))


def test_test_that_launches_nothing_fails(images: Images) -> None:
    @kernel_test(kernels=KERNELS, size=16)
    def lazy(t: Session) -> None:
        t.expect_different_handles(KERNELS)

    result = _run(ScriptedBackend(RunConfig()), images, lazy)
    assert "never launched: add_k, mul_k, acc_k" in _first(result)


def test_launch_without_expectation_fails(images: Images) -> None:
    @kernel_test(kernels=(), size=16)
    def blind(t: Session) -> None:
        t.launch("add_k", [u32(0)], threads=16, expect={})

    assert "nothing was compared with the host's expectation" in _first(
        _run(ScriptedBackend(RunConfig()), images, blind)
    )


def test_aborted_launches_fail(images: Images) -> None:
    backend = ScriptedBackend(RunConfig(), multikernel_functions())
    backend.status = LaunchStatus.ABORTED
    result = _run(backend, images)
    assert not result.passed
    assert {kernel.outcome for kernel in result.kernels} == {Outcome.FAIL}


@pytest.mark.parametrize("status", [LaunchStatus.TIMEOUT, LaunchStatus.CHECK_FAILED, LaunchStatus.FAULT])
def test_launch_that_does_not_end_well_fails(images: Images, status: LaunchStatus) -> None:
    backend = ScriptedBackend(RunConfig(), multikernel_functions())
    backend.status = status
    assert f"ended as: {status.value}" in _first(_run(backend, images))


def test_fault_comes_before_its_consequences(images: Images) -> None:
    backend = ScriptedBackend(RunConfig(seed=0), multikernel_functions(wrong_index=3))
    backend.extra = [Fault(1, FaultKind.MISALIGNED, core=0, warp=2, tmask=0xF, pc=0x8000_0040, addr=0x1_0002, cycle=99)]
    backend.status = LaunchStatus.FAULT
    result = _run(backend, images)
    assert _first(result).startswith("core-fault: add_k stopped by a fault: misaligned at address 0x10002")
    assert "core 0, warp 2" in result.failures[0].screen


def test_failed_check_comes_first(images: Images) -> None:
    backend = ScriptedBackend(RunConfig(seed=0), multikernel_functions(wrong_index=3))
    backend.extra = [CheckFailed(1, "axi-read-order", "a read passed the write to its block")]
    backend.status = LaunchStatus.CHECK_FAILED
    assert _first(_run(backend, images)) == "axi-read-order: a read passed the write to its block"


def test_first_screen_of_a_difference_is_kept(images: Images) -> None:
    backend = ScriptedBackend(RunConfig(seed=0), multikernel_functions(wrong_index=3))
    difference = Difference("result", Category.RESULT, "lane 2 differs", launch=1, cycle=123, core=0, warp=3, lanes=[2])
    backend.extra = [CheckFailed(1, "result", "lane 2 differs", difference)]
    backend.status = LaunchStatus.CHECK_FAILED
    first = _run(backend, images).failures[0]
    assert (first.check, first.kernel, first.launch, first.cycle) == ("result", "add_k", 1, 123)
    assert first.screen == difference.render()
    assert "core 0, warp 3" in first.screen


def test_lost_device_is_a_failure_not_a_traceback(images: Images, tmp_path: Path) -> None:
    @kernel_test(kernels=(), size=4)
    def losing(t: Session) -> None:
        t.launch("lose_the_device", [], grid=1, block=4, expect={t.output(np.int32, 4): np.zeros(4, np.int32)})

    path = write_vxbin(tmp_path / "x.vxbin", ("lose_the_device",))
    result = _run(
        ScriptedBackend(RunConfig()), Images((KernelImage("lose_the_device", path, "lose_the_device"),)), losing
    )
    assert "exit code 139" in _first(result)
    assert result.kernels[0].outcome is Outcome.FAIL


def test_reports_before_the_loss_come_first(images: Images, tmp_path: Path) -> None:
    @kernel_test(kernels=(), size=4)
    def losing(t: Session) -> None:
        t.launch("lose_the_device", [], grid=1, block=4, expect={t.output(np.int32, 4): np.zeros(4, np.int32)})

    path = write_vxbin(tmp_path / "x.vxbin", ("lose_the_device",))
    backend = ScriptedBackend(RunConfig())
    backend.extra = [CheckFailed(1, "axi-write", "data without an address")]
    result = _run(backend, Images((KernelImage("lose_the_device", path, "lose_the_device"),)), losing)
    assert [failure.check for failure in result.failures] == ["axi-write", "device-lost"]
