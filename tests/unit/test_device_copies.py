"""BAR2, host DMA and the DCR window (docs/reference/pcie_bar.md)."""

from __future__ import annotations

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from golden_model.device import WHEN_TOLD, Device, DeviceConfig, Timing
from tests.unit import device_bench as b
from tests.unit.device_bench import Bench, told

VRAM = 0x20_0000
COMPLETE, DMA_BUSY, DMA_ERROR = 2, 1, 4
HOST = 0x12_3456_0000


def small(timing: Timing = WHEN_TOLD) -> Bench:
    return Bench(timing, DeviceConfig(vram_size=VRAM))


# ---------------------------------------------------------------------- BAR2


@pytest.mark.parametrize("offset", [0, 1, 63, 0xFFF, VRAM - 300])
@pytest.mark.parametrize("size", [1, 2, 3, 64, 65, 300])
def test_any_size_and_alignment(offset: int, size: int) -> None:
    bench = small()
    data = bytes(range(1, 251)) * 2
    bench.device.bar2_write(offset, data[:size])
    assert bench.device.bar2_read(offset, size) == data[:size]
    assert bench.device.bar2_read(max(0, offset - 1), 1) == (data[:1] if offset == 0 else b"\0")
    assert bench.errors == 0


def test_byte_enables() -> None:
    bench = small()
    bench.device.bar2_write(0x100, b"abcdef")
    bench.device.bar2_write(0x100, b"UVWXYZ", bytes([1, 0, 0, 1, 0, 1]))
    assert bench.device.bar2_read(0x100, 6) == b"UbcXeZ"


@pytest.mark.parametrize(("offset", "size", "inside"), [(VRAM, 4, 0), (VRAM - 1, 2, 1), (VRAM + 0x1000, 64, 0)])
def test_past_vram_s_end(offset: int, size: int, inside: int) -> None:
    bench = small()
    bench.unmask()
    bench.device.bar2_write(offset, b"x" * size)
    assert bench.errors == b.VRAM_FAULT and bench.status == b.READY | b.ERROR
    assert bench.read(b.IRQ_STATUS) == b.IRQ_ERROR and bench.vectors() == [2]
    bench.write(b.ERROR_STATUS, 0xF)
    assert bench.device.bar2_read(offset, size) == b"x" * inside + bytes(size - inside)
    assert bench.errors == b.VRAM_FAULT
    bench.write(b.ERROR_STATUS, 0xF)
    bench.device.bar2_write(offset, b"y" * size, bytes([1] * inside + [0] * (size - inside)))
    assert bench.errors == 0  # no enabled byte is past the end
    with pytest.raises(ValueError, match="outside BAR2"):
        bench.device.bar2_read((64 << 20) - 1, 2)


def test_vram_may_lie_in_a_shared_buffer() -> None:
    shared = bytearray(VRAM)
    device = Device(DeviceConfig(vram_size=VRAM), vram_buffer=memoryview(shared))
    device.bar2_write(0x123, b"seen")
    assert shared[0x123:0x127] == b"seen"
    shared[0x200:0x204] = b"back"
    assert device.bar2_read(0x200, 4) == b"back"


# ---------------------------------------------------------------------- DMA


def finished(bench: Bench) -> int:
    bench.device.advance_dma(None)
    return bench.read(b.DMA_STATUS)


@settings(max_examples=60, deadline=None)
@given(
    to_host=st.booleans(),
    host=st.integers(0, 200),
    vram=st.integers(0, 200),
    size=st.integers(1, 700),
    piece=st.sampled_from([4, 64, 256]),
    step=st.integers(1, 5),
)
def test_transfers_move_exactly_these_bytes(
    to_host: bool, host: int, vram: int, size: int, piece: int, step: int
) -> None:
    bench = Bench(WHEN_TOLD, DeviceConfig(vram_size=VRAM, dma_piece=piece))
    host_image, vram_image = bytearray(i * 7 % 251 for i in range(1000)), bytearray(i * 11 % 241 for i in range(1000))
    bench.host.write(HOST, bytes(host_image))
    bench.device.bar2_write(0, bytes(vram_image))
    bench.dma(to_host, HOST + host, vram, size)
    assert bench.read(b.DMA_STATUS) == DMA_BUSY
    while not bench.device.advance_dma(step):
        assert bench.read(b.DMA_STATUS) == DMA_BUSY
    if to_host:
        host_image[host : host + size] = vram_image[vram : vram + size]
    else:
        vram_image[vram : vram + size] = host_image[host : host + size]
    assert bench.read(b.DMA_STATUS) == COMPLETE
    assert bench.host.read(HOST, 1000) == host_image
    assert bench.device.bar2_read(0, 1000) == vram_image
    assert bench.read(b.IRQ_STATUS) == b.DMA_DONE and bench.errors == 0
    assert sum(access.size for access in bench.device.take_host_accesses()) == size


def test_dma_without_its_interrupt_bit() -> None:
    bench = small()
    bench.dma(True, HOST, 0, 4, irq=False)
    assert finished(bench) == COMPLETE
    assert bench.read(b.IRQ_STATUS) == 0


def test_ctrl_without_start_starts_nothing() -> None:
    bench = small()
    bench.write(b.DMA_SIZE, 4)
    bench.write(b.DMA_CTRL, 6)
    assert bench.read(b.DMA_STATUS) == 0 and bench.read(b.DMA_CTRL) == 6
    bench.write(b.DMA_CTRL, 7)
    assert bench.read(b.DMA_STATUS) == DMA_BUSY and bench.read(b.DMA_CTRL) == 6


@pytest.mark.parametrize("offset", [*range(b.DMA_SRC, b.DMA_STATUS, 4)])
def test_dma_registers_are_refused_while_dma_busy(offset: int) -> None:
    bench = small()
    bench.dma(False, HOST, 0, 100)
    before = bench.read(offset)
    bench.write(offset, before ^ 2)
    assert bench.read(offset) == before
    assert bench.errors == b.INVALID_CMD and bench.read(b.IRQ_STATUS) == b.IRQ_ERROR
    assert finished(bench) == COMPLETE


def test_kernel_busy_does_not_guard_dma_nor_the_other_way_round() -> None:
    bench = told()
    bench.running()
    bench.dma(True, HOST, 0, 64)
    bench.write(b.CLUSTER_DIM, 1)
    assert bench.errors == 0
    assert finished(bench) == COMPLETE and bench.status == b.BUSY
    idle = told()
    idle.dma(True, HOST, 0, 64)
    idle.write(b.KERNEL_ADDR, 4)
    assert idle.errors == 0 and idle.status == b.READY  # BUSY is the launch's


@pytest.mark.parametrize("to_host", [True, False])
@pytest.mark.parametrize(
    ("host", "vram", "size", "name"),
    [
        (HOST, 0, 0, "EMPTY"),
        (HOST, VRAM - 3, 4, "OUTSIDE_VRAM"),
        (HOST, 1 << 63, 4, "OUTSIDE_VRAM"),
        (HOST, 0, 0xFFFF_FFFF, "OUTSIDE_VRAM"),
        ((1 << 64) - 3, 0, 4, "WRAPS_HOST"),
    ],
)
def test_bad_transfers(to_host: bool, host: int, vram: int, size: int, name: str) -> None:
    bench = small()
    bench.unmask()
    bench.dma(to_host, host, vram, size)
    assert bench.read(b.DMA_STATUS) == DMA_ERROR
    assert bench.errors == b.DMA_FAULT and bench.refusals() == [name]
    assert bench.read(b.IRQ_STATUS) == b.IRQ_ERROR and bench.vectors() == [2]
    assert bench.device.take_host_accesses() == []


def test_last_bytes_of_both_memories() -> None:
    bench = small()
    bench.device.bar2_write(VRAM - 4, b"last")
    bench.dma(True, (1 << 64) - 4, VRAM - 4, 4)
    assert finished(bench) == COMPLETE
    assert bench.host.read((1 << 64) - 4, 4) == b"last"


@pytest.mark.parametrize("skip", [0, 10])
@pytest.mark.parametrize("to_host", [True, False])
def test_bus_error_in_the_middle(to_host: bool, skip: int) -> None:
    bench = small()
    bench.host.write(HOST, b"h" * 300)
    bench.host.failing.add(HOST + 150, 1)
    bench.device.bar2_write(0, b"v" * 300)
    bench.dma(to_host, HOST + skip, 0, 300 - skip)
    assert finished(bench) == DMA_ERROR
    assert bench.errors == b.DMA_FAULT and bench.read(b.IRQ_STATUS) == b.IRQ_ERROR
    bench.host.failing.clear()
    moved = 128 - skip  # pieces end at multiples of 64 bytes of the host address
    if to_host:
        assert bench.host.read(HOST, 300) == b"h" * skip + b"v" * moved + b"h" * (300 - 128)
    else:
        assert bench.device.bar2_read(0, 300) == b"h" * moved + b"v" * (300 - moved)
    bench.dma(to_host, HOST, 0, 4)
    assert finished(bench) == COMPLETE  # ERROR is that of the last transfer
    assert bench.errors == b.DMA_FAULT


def test_reset_drops_a_transfer() -> None:
    bench = small()
    bench.host.write(HOST, b"h" * 256)
    bench.dma(False, HOST, 0, 256)
    bench.device.advance_dma(1)
    bench.write(b.GLOBAL_CTRL, 2)
    assert bench.read(b.DMA_STATUS) == 0
    assert bench.device.advance_dma(None)
    assert bench.device.bar2_read(0, 256) == b"h" * 64 + bytes(192)
    assert bench.read(b.IRQ_STATUS) == 0


def test_dma_during_a_launch_is_seen_by_the_cores() -> None:
    """The kernel waits for a word that only the transfer can bring; nothing is copied at DISPATCH."""
    bench = told()
    bench.host.write(HOST, (1).to_bytes(4, "little"))
    bench.stage("csrr a0, mscratch\nwait: lw t0, 0(a0)\nbeqz t0, wait\nsw t0, 8(a0)\ntmc zero")
    bench.dispatch()
    launch = bench.device.launch
    assert launch is not None and launch.finish(500) is None
    bench.dma(False, HOST, b.ARGS, 4)
    assert launch.finish(500) is None
    bench.device.advance_dma(None)
    assert launch.finish(500) is not None
    assert bench.device.bar2_read(b.ARGS + 8, 4) == (1).to_bytes(4, "little")


def test_dma_polls() -> None:
    bench = small(Timing(dma_polls=2))
    bench.dma(True, HOST, 0, 1000)
    assert [bench.read(b.DMA_STATUS) for _ in range(3)] == [DMA_BUSY, DMA_BUSY, COMPLETE]


# ---------------------------------------------------------------------- DCR window


def dcr(bench: Bench, command: int, addr: int, data: int) -> None:
    bench.write(b.DCR_ADDR, addr)
    bench.write(b.DCR_DATA, data)
    bench.write(b.DCR_CTRL, command)


def test_dcr_write_reaches_the_kmu() -> None:
    bench = Bench()
    dcr(bench, 1, 0x01C, 0x80)
    assert bench.device.machine.kmu.read(0x01C) == 0x80
    assert bench.read(b.DCR_CTRL) == 0 and bench.errors == 0
    dcr(bench, 1, 0x030, 16)
    assert bench.device.machine.kmu.rewind == 16
    dcr(bench, 1, 0x030, 13)  # no window has that size: ignored
    assert bench.device.machine.kmu.rewind == 16
    dcr(bench, 1, 0xFFF, 1)  # unknown: ignored
    assert bench.errors == 0


def test_rewind_survives_launches_and_not_reset() -> None:
    bench = Bench()
    dcr(bench, 1, 0x030, 16)
    bench.stage()
    bench.dispatch()
    assert bench.device.machine.kmu.rewind == 16
    bench.write(b.GLOBAL_CTRL, 2)
    assert bench.device.machine.kmu.rewind == 20


def test_dcr_read() -> None:
    bench = told()
    bench.stage()
    bench.dispatch()
    assert bench.device.launch is not None
    bench.device.launch.finish()
    dcr(bench, 2, 0x001, 2 << 16)  # MINSTRET of core 0
    assert bench.read(b.DCR_CTRL) == 1 << 8
    dcr(bench, 2, 0x001, 0)
    assert bench.errors == b.INVALID_CMD and bench.refusals() == ["PENDING"]
    bench.device.answer_dcr()
    assert bench.read(b.DCR_CTRL) == 1 << 9
    assert bench.read(b.DCR_RSP) == 5
    dcr(bench, 2, 0x001, 0)
    assert bench.read(b.DCR_CTRL) == 1 << 8  # valid is that of the last read
    bench.device.answer_dcr(1234)
    assert bench.read(b.DCR_RSP) == 1234


@pytest.mark.parametrize(
    ("command", "addr", "data", "name"),
    [
        (3, 0x01C, 0, "BOTH"),
        (2, 0x010, 0, "NO_ANSWER"),
        (2, 0x030, 0, "NO_ANSWER"),
        (2, 0x000, 1, "NO_ANSWER"),  # there is one core
        (2, 0x001, 0xFFFF, "NO_ANSWER"),
    ],
)
def test_dcr_commands_that_are_refused(command: int, addr: int, data: int, name: str) -> None:
    bench = Bench()
    dcr(bench, command, addr, data)
    assert bench.errors == b.INVALID_CMD and bench.refusals() == [name]
    assert bench.read(b.DCR_CTRL) == 0


@pytest.mark.parametrize("addr", [0x010, 0x01D, 0x023, 0x030])
def test_kmu_registers_are_refused_while_busy(addr: int) -> None:
    bench = told()
    bench.running()
    dcr(bench, 1, addr, 12)
    assert bench.errors == b.INVALID_CMD and bench.refusals() == ["LAUNCH_RUNNING"]
    bench.write(b.ERROR_STATUS, 0xF)
    dcr(bench, 2, 0x000, 0)
    dcr(bench, 0, addr, 0)
    assert bench.errors == 0


@pytest.mark.parametrize("addr", [0x00F, 0x024, 0x02F, 0x031, 0x040])
def test_other_dcrs_may_be_written_while_busy(addr: int) -> None:
    bench = told()
    bench.running()
    dcr(bench, 1, addr, 12)
    assert bench.errors == 0


def test_reset_drops_a_pending_dcr_read() -> None:
    bench = told()
    dcr(bench, 2, 0x000, 0)
    bench.write(b.GLOBAL_CTRL, 2)
    bench.device.answer_dcr()
    assert bench.read(b.DCR_CTRL) == 0
