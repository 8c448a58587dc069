"""Scenes inside one simulator process; each is a cocotb test with a device that has just been powered on."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import cocotb
import numpy as np

from config import CopyMode, LaunchPath
from golden_model.device import ErrorBit
from golden_model.records.layout import FaultKind
from hw.tb.agents.axi.policy import ErrorWindow, MemoryPolicy
from hw.tb.client import BarOptions, run_client
from hw.tb.top.abi import VRAM_SIZE
from sw.runtime import messages as m
from sw.runtime import u32, u64
from sw.runtime.bar import LaunchMode
from sw.runtime.messages import LaunchStatus
from tests.cosim.bar_launch.bars import Bars, config, done, images_of, on_bars
from tests.regression.catalogue import find_test
from tests.regression.execute import execute

RAW_KERNELS = 0x10_0000  # docs/reference/pcie_bar.md: raw kernels from there
BLOCK = 0x2_0000  # a 64-byte block that no buffer of the allocator reaches
PRIVATE = BLOCK + 48
VRAM_SELECT = 1 << 32
HOST_BUFFER = 0x1234_5678_9000_0020
DMA_TO_HOST = 2
WATCHDOG = 3000
STAGING = 0x200_0000


def scene(
    options: BarOptions | None = None, policy: MemoryPolicy | None = None
) -> Callable[[Callable[[Bars], None]], Any]:
    """A function of `Bars` as a cocotb test of the same name."""

    def declare(body: Callable[[Bars], None]) -> Any:
        async def run(dut: Any) -> None:
            await on_bars(dut, body, options, policy)

        run.__name__ = run.__qualname__ = body.__name__
        run.__doc__ = body.__doc__
        return cocotb.test()(run)

    return declare


def _multikernel(bars: Bars, startup: int | None = None) -> None:
    test = find_test("multikernel")
    result = execute(test, bars.backend, images_of("multikernel", startup), config(), LaunchPath.BAR)
    assert result.passed, [failure.screen for failure in result.failures]
    assert all(kernel.compared == kernel.instructions > 0 for kernel in result.kernels)


@scene(BarOptions(mode=LaunchMode.RAW))
def raw_mode(bars: Bars) -> None:
    """multikernel without a table: addresses are VRAM offsets."""
    _multikernel(bars, RAW_KERNELS)


@scene(BarOptions(skew=37), MemoryPolicy.preset("hostile", 5))
def incongruent_ranges(bars: Bars) -> None:
    """Ranges begin 37 bytes behind a block of VRAM, so every access of a buffer has two pieces."""
    _multikernel(bars)


@scene(BarOptions(skew=21))
def two_buffers_and_private_bytes_in_one_block(bars: Bars) -> None:
    """Three ranges of VRAM and private memory share a block; results go to VRAM, to private memory and back."""
    kernel = bars.kernel("vecadd_i")
    rng = np.random.default_rng(config().seed)
    a, b = (rng.integers(0, 1 << 30, 4, np.int32) for _ in range(2))
    for vma in (BLOCK, BLOCK + 16, BLOCK + 32):  # 16 bytes each; the last 16 of the block are private
        bars.host.map(vma, 16)
    bars.host.write(BLOCK, a.tobytes() + b.tobytes() + bytes(16))
    first, second, third = (u64(address) for address in (BLOCK, BLOCK + 16, BLOCK + 32))
    done(bars.launch(kernel, [u32(4), first, second, third]))
    done(bars.launch(kernel, [u32(4), third, second, u64(PRIVATE)]))
    done(bars.launch(kernel, [u32(4), u64(PRIVATE), third, first]))
    found = np.frombuffer(bars.host.read(BLOCK, 48), np.int32)
    assert found.tolist() == [*(2 * a + 3 * b).tolist(), *b.tolist(), *(a + b).tolist()]
    private = bars.backend.harness.memory[PRIVATE : PRIVATE + 16].view(np.int32)
    assert private.tolist() == (a + 2 * b).tolist()
    assert not bars.backend.harness.memory[BLOCK:PRIVATE].any(), "mapped bytes reached private memory"


@scene(BarOptions(skew=10))
def fetch_across_ranges(bars: Bars) -> None:
    """Code lies in two ranges that meet in the middle of an instruction of the kernel."""
    image = images_of("vecadd_i").kernels[0]
    cut: list[int] = []

    def load(min_vma: int, max_vma: int, data: bytes) -> None:
        at = cut[0]
        bars.host.map(min_vma, at - min_vma)
        bars.host.map(0xA000, 100)  # so that the second part is not just behind the first in VRAM
        bars.host.map(at, max_vma - at)
        bars.host.write(min_vma, data + bytes(max_vma - min_vma - len(data)))

    bars.host.load = load  # type: ignore[assignment, method-assign]
    kernel = bars.device.load_module(image.path).kernel(image.exported)
    cut.append(kernel.pc + 6)
    _vecadd(bars, kernel)


@scene()
def fetch_behind_the_end_of_a_range(bars: Bars) -> None:
    """The range of the image ends within the kernel: what follows is private memory, zeros, and no instruction."""
    image = images_of("vecadd_i").kernels[0]
    end: list[int] = []

    def load(min_vma: int, max_vma: int, data: bytes) -> None:
        bars.host.map(min_vma, end[0] - min_vma)
        bars.host.write(min_vma, data[: end[0] - min_vma])

    bars.host.load = load  # type: ignore[assignment, method-assign]
    kernel = bars.device.load_module(image.path).kernel(image.exported)
    end.append(kernel.pc + 8)
    result = bars.launch(kernel, [u32(4), u64(BLOCK), u64(BLOCK), u64(BLOCK)])
    assert result.status is LaunchStatus.FAULT, result.status
    assert [(fault.kind, fault.pc) for fault in result.faults] == [(FaultKind.ILLEGAL_INSTRUCTION, kernel.pc + 8)]


def _vecadd(bars: Bars, kernel: Any, size: int = 16) -> None:
    """One launch, with the result compared."""
    a, b = (np.random.default_rng(seed).integers(0, 1 << 30, size, np.int32) for seed in (1, 2))
    inputs = bars.device.upload(a), bars.device.upload(b)
    dst = bars.device.alloc(4 * size)
    done(bars.launch(kernel, [u32(size), *inputs, dst], blocks=size // 4))
    assert bars.device.read(dst, np.int32).tolist() == (a + b).tolist()


@scene()
def launches_back_to_back(bars: Bars) -> None:
    """No time between the end of a launch and the next DISPATCH; while one runs, another one is refused."""
    kernel = bars.kernel("vecadd_i")
    refused: list[ErrorBit] = []

    def again(launch: m.Launch) -> None:
        bars.host.write_register("DISPATCH", 1)
        bars.host.write_register("GRID_DIM_X", 77)
        refused.append(ErrorBit(bars.host.read_register("ERROR_STATUS")))
        bars.host.write_register("ERROR_STATUS", int(refused[-1]))

    bars.backend.while_busy = again
    for _ in range(4):
        _vecadd(bars, kernel)
    assert refused == [ErrorBit.INVALID_CMD] * 4
    assert bars.host.read_register("LAUNCH_ID") == 4


@scene()
def reset_in_mid_launch(bars: Bars) -> None:
    """RESET while a kernel runs that would never end; the next launch finds a device like new."""
    _vecadd(bars, bars.kernel("vecadd_i"))
    endless = bars.kernel("endless")

    def reset(launch: m.Launch) -> None:
        bars.transport.run(1500)
        assert bars.host.busy()
        bars.host.reset()
        assert not bars.host.busy()
        assert bars.host.read_register("LAUNCH_ID") == 0

    bars.backend.while_busy = reset
    assert bars.launch(endless).status is LaunchStatus.ABORTED
    bars.backend.while_busy = lambda launch: None
    _vecadd(bars, bars.kernel("vecadd_i"))
    assert bars.host.read_register("LAUNCH_ID") == 1


@scene()
def watchdog(bars: Bars) -> None:
    """MAX_CYCLES ends an endless kernel; the next launch is a good one."""
    endless = bars.kernel("endless")
    result = bars.launch(endless, max_cycles=WATCHDOG)
    assert result.status is LaunchStatus.TIMEOUT
    assert bars.host.read_register("FAULT_KIND") == FaultKind.WATCHDOG
    _vecadd(bars, bars.kernel("vecadd_i"))
    assert bars.host.read_register("FAULT_KIND") == FaultKind.NONE


@scene(policy=MemoryPolicy(windows=(ErrorWindow(VRAM_SELECT + VRAM_SIZE // 4, VRAM_SELECT + VRAM_SIZE // 4 + 63),)))
def bus_faults_in_mid_launch(bars: Bars) -> None:
    """Memory answers an access of a load, then of a store, with an error; then everything works again."""
    kernel = bars.kernel("vecadd_i")
    bars.host.map(BLOCK, 16, offset=VRAM_SIZE // 4 + 16)
    bars.host.map(BLOCK + 64, 16)
    for args, kind in (
        ([u32(4), u64(BLOCK), u64(BLOCK + 64), u64(BLOCK + 64)], FaultKind.BUS_READ),
        ([u32(4), u64(BLOCK + 64), u64(BLOCK + 64), u64(BLOCK)], FaultKind.BUS_WRITE),
    ):
        result = bars.launch(kernel, args)
        assert result.status is LaunchStatus.FAULT, (result.status, result.failed_checks)
        assert [(fault.kind, fault.addr) for fault in result.faults] == [(kind, BLOCK)]
    _vecadd(bars, kernel)


@scene(policy=MemoryPolicy.preset("hostile", 3))
def dma_during_a_launch(bars: Bars) -> None:
    """Transfers in both directions, at odd addresses, while a kernel runs on other bytes of VRAM."""
    kernel = bars.kernel("vecadd_i")
    data = np.random.default_rng(9).integers(0, 256, 1500, np.uint8).tobytes()
    offset = STAGING + 0x10_0003
    bars.transport.host_write(HOST_BUFFER, data)
    seen: list[bool] = []

    def transfer(source: int, target: int, control: int) -> None:
        bars.host.write_wide("DMA_SRC", source)
        bars.host.write_wide("DMA_DST", target)
        bars.host.write_register("DMA_SIZE", len(data))
        bars.host.write_register("DMA_CTRL", 1 | control)

    def during(launch: m.Launch) -> None:
        transfer(HOST_BUFFER, offset, 0)
        seen.append(bars.host.busy())
        assert bars.transport.wait_transfer()
        transfer(offset, HOST_BUFFER + 0x1_0001, DMA_TO_HOST)

    bars.backend.while_busy = during
    _vecadd(bars, kernel, 64)
    assert seen == [True]
    assert bars.transport.wait_transfer()
    assert bars.host.read_register("DMA_STATUS") == 2
    assert bars.transport.host_read(HOST_BUFFER + 0x1_0001, len(data)) == data
    assert bars.transport.bar2_read(offset, len(data)) == data


@scene()
def release_on_completion(bars: Bars) -> None:
    """A launch writes its payload and the time to host memory before the interrupt."""
    kernel = bars.kernel("vecadd_i")
    bars.host.write_wide("RELEASE_ADDR", HOST_BUFFER)
    bars.host.write_wide("RELEASE_PAYLOAD", 0x1122_3344_5566_7788)
    bars.host.write_register("RELEASE_CTRL", 0xF)
    _vecadd(bars, kernel)
    released = bars.transport.host_read(HOST_BUFFER, 16)
    assert int.from_bytes(released[:8], "little") == 0x1122_3344_5566_7788
    nanoseconds = int.from_bytes(released[8:], "little")
    assert 0 < nanoseconds <= int(bars.backend.harness.status.device_cycles) * 5 // 2
    assert 0 in bars.transport.take_interrupts() or 0 in bars.device.interrupts


@cocotb.test()
async def copies_by_bus_and_back_door_are_equal(dut: Any) -> None:
    """The same host program leaves the same VRAM, whichever way its bytes take."""
    left: dict[CopyMode, bytes] = {}

    for mode in CopyMode:

        def work(bars: Bars, mode: CopyMode = mode) -> None:
            bars.transport.copy = mode
            _vecadd(bars, bars.kernel("vecadd_i"), 64)
            bars.transport.copy = CopyMode.BACKDOOR
            left[mode] = bars.transport.bar2_read(STAGING, 0x2_0000)

        await on_bars(dut, work)
    assert left[CopyMode.BACKDOOR] == left[CopyMode.BAR]
    assert any(left[CopyMode.BAR])


@cocotb.test()
async def paths_in_one_process(dut: Any) -> None:
    """The KMU agent, the BARs and the KMU agent again: nothing of one path is left for the next one."""

    def work(backend: Any) -> list[int]:
        result = execute(find_test("vecadd_i"), backend, images_of("vecadd_i"), config(), LaunchPath.KMU)
        assert result.passed, [failure.screen for failure in result.failures]
        return [result.instructions, result.cycles]

    kmu = await run_client(dut, work)
    bar = await run_client(dut, work, path=LaunchPath.BAR)
    assert await run_client(dut, work) == kmu
    assert bar[0] == kmu[0]
