"""The golden model as a device: findings, faults, hangs and counters arrive as events."""

from __future__ import annotations

import struct
from pathlib import Path

import numpy as np
import pytest

from config import EntryGeneration, RunConfig
from golden_model.records.layout import FaultKind
from sw.kernel.vxcc import compile_kernel
from sw.runtime import Device, GoldenBackend, LaunchResult
from sw.runtime.errors import DeviceLostError, DeviceTimeoutError
from sw.runtime.messages import LaunchStatus, RegisterRead
from tests.regression.catalogue import KERNELS_FOLDER
from tests.unit.vxbin_files import BASE, WINDOW

KERNEL = BASE + 4 * len(WINDOW)


def _image(path: Path, *code: int) -> Path:
    """An image of one kernel `k` with the given instructions."""
    words = struct.pack(f"<{len(WINDOW) + len(code)}I", *WINDOW, *code)
    footer = b"k" + struct.pack("<IHHQ", 0, 1, 0, KERNEL) + struct.pack("<I", 1) + b"VXSYMTAB"
    path.write_bytes(struct.pack("<QQ", BASE, BASE + len(words)) + words + footer)
    return path


def _run(path: Path, max_cycles: int = 0) -> LaunchResult:
    device = Device(GoldenBackend(RunConfig()))
    return device.launch(device.load_module(path).kernel("k"), 1, 4, max_cycles=max_cycles)


@pytest.mark.parametrize(
    ("code", "kind", "place"),
    [
        ((0x0000_0000,), FaultKind.ILLEGAL_INSTRUCTION, KERNEL),
        ((0x0010_2283,), FaultKind.MISALIGNED, KERNEL),  # lw t0, 1(x0)
        ((0x0000_0067,), FaultKind.FETCH, 0),  # jr x0
    ],
)
def test_faults(code: tuple[int, ...], kind: FaultKind, place: int, tmp_path: Path) -> None:
    result = _run(_image(tmp_path / "fault.vxbin", *code))
    assert result.status is LaunchStatus.FAULT
    assert [(fault.kind, fault.pc, fault.tmask) for fault in result.faults] == [(kind, place, 0xF)]


def test_endless_loop_ends_with_a_report(tmp_path: Path) -> None:
    result = _run(_image(tmp_path / "loop.vxbin", 0x0000_006F), max_cycles=1000)  # j .
    assert result.status is LaunchStatus.TIMEOUT
    assert result.failed_checks[0].check == "hang"
    assert f"pc {KERNEL:#x}" in result.failed_checks[0].message


def test_device_works_after_a_hang(tmp_path: Path) -> None:
    device = Device(GoldenBackend(RunConfig()))
    module = device.load_module(_image(tmp_path / "loop.vxbin", 0x0000_006F))
    device.launch(module.kernel("k"), 1, 4, max_cycles=1000)
    device.unload_module(module)
    good = device.load_module(_image(tmp_path / "good.vxbin", 0x0000_8067)).kernel("k")
    assert device.launch(good, 3, 4).ok


def _run_kernel(name: str, entry: EntryGeneration) -> LaunchResult:
    sources = [KERNELS_FOLDER / name / "kernel.cpp"]
    device = Device(GoldenBackend(RunConfig(entry=entry)))
    kernel = device.load_module(compile_kernel(sources, entry=entry).vxbin).kernel(name)
    src = device.upload(np.arange(256, dtype=np.int32))
    return device.launch(kernel, 16, 16, [src, device.alloc(1024)])


def test_divergent_branch_is_a_failed_check() -> None:
    result = _run_kernel("divergent_bad", EntryGeneration.CTA_ENTRY)
    assert result.status is LaunchStatus.CHECK_FAILED
    assert {check.check for check in result.failed_checks} == {"divergent-branch"}
    detail = result.failed_checks[0].detail
    assert detail is not None
    assert (detail.core, detail.lanes, detail.num_lanes) == (0, [0, 1, 2, 3], 4)


def test_clobbered_s11_is_seen_when_the_warp_is_reused() -> None:
    assert _run_kernel("clobber_s11", EntryGeneration.CTA_ENTRY).ok
    result = _run_kernel("clobber_s11", EntryGeneration.S11)
    assert result.failed_checks[0].check == "wrong-dispatch-call"


def test_instructions_and_blocks_are_counted(tmp_path: Path) -> None:
    device = Device(GoldenBackend(RunConfig()))
    kernel = device.load_module(_image(tmp_path / "k.vxbin", 0x0000_8067)).kernel("k")
    result = device.launch(kernel, 5, 6)  # two warps a block
    assert (result.stats.ctas, result.stats.instructions) == (5, 5 * 2 * 6)
    assert device.counter(0xB02, 0) == 60


def test_reset_drops_what_is_queued(tmp_path: Path) -> None:
    device = Device(GoldenBackend(RunConfig()))
    kernel = device.load_module(_image(tmp_path / "k.vxbin", 0x0000_8067)).kernel("k")
    buffer = device.upload(np.array([42], np.int32))
    dropped = [device.enqueue(kernel, 1, 4), device.enqueue(kernel, 1, 4)]
    device.reset()
    later = device.enqueue(kernel, 1, 4)
    assert [device.wait(launch).status for launch in dropped] == [LaunchStatus.ABORTED] * 2
    assert device.wait(later).ok
    assert device.read(buffer, np.int32)[0] == 42, "memory keeps its contents"


def test_no_bar_registers() -> None:
    backend = GoldenBackend(RunConfig())
    device = Device(backend)
    backend.send(RegisterRead(1, 0, 0))
    with pytest.raises(DeviceLostError, match="no BAR registers"):
        device.read_memory(BASE, 4)


def test_nothing_queued_is_no_hang() -> None:
    with pytest.raises(DeviceTimeoutError, match="nothing is queued"):
        GoldenBackend(RunConfig()).receive()
