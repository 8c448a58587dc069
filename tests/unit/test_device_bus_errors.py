"""VRAM that answers with bus errors, cores without fault ports, a shell without ready (decisions 9, 22, 31)"""

from __future__ import annotations

import pytest

from golden_model.device import DeviceConfig, TableEntry
from golden_model.records.layout import FaultKind
from tests.unit import device_bench as b
from tests.unit.device_bench import Bench

FAILS = 0x3_0000  # one page of VRAM
LOAD = "csrr a0, mscratch\nlw t0, 0x48(a0)\ntmc zero"
STORE = "csrr a0, mscratch\nsw a0, 0x48(a0)\ntmc zero"


def failing(bench: Bench) -> Bench:
    bench.device.vram_failing.add(FAILS, 0x1000)
    return bench


# ---------------------------------------------------------------------- VRAM


def test_bar2_hands_the_error_on() -> None:
    bench = failing(Bench())
    device = bench.device
    device.bar2_write(FAILS - 70, bytes(range(1, 101)))
    assert device.bar2_error
    assert device.bar2_read(FAILS - 70, 70) == bytes(range(1, 71)) and not device.bar2_error
    device.bar2_read(FAILS - 1, 2)
    assert device.bar2_error and bench.errors == 0
    device.bar2_read(FAILS + 0x1000, 4)
    assert not device.bar2_error
    device.bar2_write(FAILS + 4, bytes(4), enables=bytes(4))
    assert not device.bar2_error


@pytest.mark.parametrize("to_host", [True, False])
def test_a_transfer_ends_at_the_block_that_fails(to_host: bool) -> None:
    bench = failing(Bench())
    bench.host.write(0x1000, bytes([7]) * 200)
    bench.device.bar2_write(FAILS - 100, bytes([9]) * 100)
    bench.dma(to_host, 0x1000, FAILS - 100, 200)
    assert bench.read(b.DMA_STATUS) == 4 and bench.errors == b.DMA_FAULT
    if to_host:  # pieces of 64 bytes: the second one has 36 bytes that can be read
        assert bench.host.read(0x1000, 200) == bytes([9]) * 64 + bytes([7]) * 136
    else:  # its first block has been written
        assert bench.device.bar2_read(FAILS - 100, 100) == bytes([7]) * 100


def test_a_release_that_fails_is_a_vram_fault() -> None:
    bench = failing(Bench())
    bench.stage()
    bench.write64(b.RELEASE_ADDR, FAILS)
    bench.write(b.RELEASE_CTRL, 1)
    bench.dispatch()
    assert bench.errors == b.VRAM_FAULT and bench.read(b.IRQ_STATUS) & b.KERNEL_DONE


@pytest.mark.parametrize(
    ("program", "kind", "addr", "pc"),
    [(LOAD, FaultKind.BUS_READ, b.ARGS_VMA + 0x48, b.CODE_VMA + 4), (STORE, FaultKind.BUS_WRITE, b.ARGS_VMA + 0x40, 0)],
)
def test_cores_meet_the_error(program: str, kind: FaultKind, addr: int, pc: int) -> None:
    bench = failing(Bench())
    bench.stage(program, entries=[TableEntry(b.ARGS_VMA, FAILS, 0x100), TableEntry(b.CODE_VMA, b.CODE, 0x1000)])
    bench.dispatch()
    assert bench.errors == b.KERNEL_FAULT and bench.read(b.FAULT_KIND) == kind
    assert bench.read64(b.FAULT_ADDR) == addr and bench.read64(b.FAULT_PC) == pc
    assert bench.device.vram.read(FAILS, 0x100) == bytes(0x100)


def test_a_block_with_one_failing_byte_cannot_be_read() -> None:
    bench = failing(Bench())
    bench.stage(LOAD, entries=[TableEntry(b.ARGS_VMA, FAILS - 0x7F, 0x100), TableEntry(b.CODE_VMA, b.CODE, 0x1000)])
    bench.dispatch()
    assert bench.read(b.FAULT_KIND) == FaultKind.BUS_READ


# ---------------------------------------------------------------------- cores without fault ports


def test_without_fault_ports_a_core_that_stops_ends_the_launch() -> None:
    bench = Bench(config=DeviceConfig(core_faults=False))
    for program in ("nop\n.word 0", "csrr a0, mscratch\nlw t0, 1(a0)", "jr zero"):
        bench.stage(program)
        bench.dispatch()
        assert bench.errors == 0 and bench.read(b.IRQ_STATUS) == b.KERNEL_DONE
        bench.write(b.IRQ_ACK, b.KERNEL_DONE)


@pytest.mark.parametrize(("program", "kind"), [(LOAD, FaultKind.BUS_READ), (STORE, FaultKind.BUS_WRITE)])
def test_without_fault_ports_a_bus_error_tells_kind_and_block(program: str, kind: FaultKind) -> None:
    bench = Bench(config=DeviceConfig(strict_map=True, core_faults=False))
    bench.stage(program, entries=[TableEntry(b.ARGS_VMA, b.ARGS, 0x20), TableEntry(b.CODE_VMA, b.CODE, 0x1000)])
    bench.dispatch()
    assert bench.read(b.FAULT_KIND) == kind and bench.read64(b.FAULT_ADDR) == b.ARGS_VMA + 0x40
    assert bench.read64(b.FAULT_PC) == 0 and bench.read(b.FAULT_WARP) == 0


# ---------------------------------------------------------------------- a shell that takes no messages


def test_one_message_waits_and_others_are_pending() -> None:
    bench = Bench()
    bench.unmask()
    msix = bench.device.msix
    msix.set_sink(False)
    for vector in (5, 3, 9, 5):
        bench.write(b.RAISE, vector)
    assert bench.vectors() == [] and msix.waiting is not None and msix.waiting.vector == 5
    assert bench.read(b.MSIX_PBA) == 1 << 3 | 1 << 5 | 1 << 9
    bench.write(b.MSIX_TABLE + 16 * 5 + 8, 77)  # too late for the message that waits
    assert not msix.adopt_waiting(4) and msix.adopt_waiting(9)
    assert bench.read(b.MSIX_PBA) == 1 << 3 | 1 << 5
    msix.set_sink(True)
    assert [(one.vector, one.data) for one in bench.device.take_messages()] == [(9, 9), (3, 3), (5, 77)]


def test_reset_does_not_take_the_waiting_message_back() -> None:
    bench = Bench()
    bench.unmask()
    bench.device.msix.set_sink(False)
    bench.write(b.RAISE, 2)
    bench.write(b.RAISE, 3)
    bench.write(b.GLOBAL_CTRL, 2)
    bench.device.msix.set_sink(True)
    assert bench.vectors() == [2]
