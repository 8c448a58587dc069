"""Something goes wrong between host, device and memory; the first report must say what. Same process as scenes.py."""

from __future__ import annotations

import numpy as np
import pytest

from golden_model.device import MsixMessage, register
from golden_model.device.sequences.actions import Action, ReadRegister
from hw.tb.bar_host.server import BarServer, SimulationStoppedError
from hw.tb.top.abi import InjectKind
from sw.runtime import Buffer, Kernel, LaunchResult, u32
from sw.runtime.messages import LaunchStatus
from tests.cosim.bar_launch.bars import Bars, done
from tests.cosim.bar_launch.scenes import scene

SIZE = 16


def _prepare(bars: Bars) -> tuple[Kernel, list[Buffer]]:
    """A kernel and its two inputs and output, all in memory."""
    kernel = bars.kernel("vecadd_i")
    inputs = [bars.device.upload(np.arange(SIZE, dtype=np.int32) + base) for base in (100, 200)]
    dst = bars.device.alloc(4 * SIZE)
    bars.device.write(dst, bytes(4 * SIZE))
    bars.device.read(dst, np.int32)  # everything that was queued has happened
    return kernel, [*inputs, dst]


def _launch(bars: Bars, kernel: Kernel, buffers: list[Buffer]) -> LaunchResult:
    return bars.launch(kernel, [u32(SIZE), *buffers], blocks=SIZE // 4)


def _fails(result: LaunchResult, check: str) -> None:
    assert result.status is LaunchStatus.CHECK_FAILED, result.status
    assert result.failed_checks[0].check == check, [(found.check, found.message) for found in result.failed_checks]


@scene()
def corrupt_read(bars: Bars) -> None:
    """One byte of a read on the device's memory port is inverted."""
    kernel, buffers = _prepare(bars)
    bars.backend.harness.inject(InjectKind.CORRUPT_READ, 2, 3)
    _fails(_launch(bars, kernel, buffers), "axi read data")


@scene()
def swapped_reads(bars: Bars) -> None:
    """Two reads on the device's memory port get each other's data."""
    kernel, buffers = _prepare(bars)
    bars.backend.harness.inject(InjectKind.SWAP_READS)
    _fails(_launch(bars, kernel, buffers), "axi read data")


@scene()
def dropped_strobe(bars: Bars) -> None:
    """One byte of one of the kernel's stores never reaches VRAM."""
    kernel, buffers = _prepare(bars)
    bars.backend.harness.inject(InjectKind.DROP_STROBE, 2, 0)
    _fails(_launch(bars, kernel, buffers), "final memory")


@scene()
def vram_changed_behind_the_device(bars: Bars) -> None:
    """A byte of VRAM that nobody reads changes during a launch."""
    spare = bars.device.upload(np.ones(4096, np.uint8))
    kernel, buffers = _prepare(bars)
    done(_launch(bars, kernel, buffers))
    offset = next(entry.vram_offset for entry in bars.host.table() if entry.vma == spare.address)

    def change(launch: object) -> None:
        bars.backend.harness.vram[offset + 2048] ^= 0x40

    bars.backend.while_busy = change
    _fails(_launch(bars, kernel, buffers), "final memory")


@scene()
def wrong_register_value(bars: Bars) -> None:
    """A register reads with one bit changed."""
    server, drive = bars.transport.server, BarServer._drive
    launch_id = ReadRegister(0, register("LAUNCH_ID").offset)

    async def changed(action: Action) -> int | bytes | None:
        value = await drive(server, action)
        return value ^ 4 if action == launch_id and isinstance(value, int) else value

    server._drive = changed  # type: ignore[method-assign]
    with pytest.raises(SimulationStoppedError, match=r"the read of BAR0 0x370 gave 0x00000004"):
        bars.host.read_register("LAUNCH_ID")


@scene()
def lost_interrupt(bars: Bars) -> None:
    """The model sends a message that the device does not."""
    kernel, buffers = _prepare(bars)
    scoreboard = bars.transport.server._judge.device
    assert scoreboard is not None
    scoreboard._golden_messages.append(MsixMessage(7, 0xFEE0_0000, 7))
    _fails(_launch(bars, kernel, buffers), "msix message")
