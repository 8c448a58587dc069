"""Launches that do not end well, RESET, and launches in hostile address maps (docs/reference/pcie_bar.md)."""

from __future__ import annotations

import pytest

from config import HardwareConfig
from golden_model.device import TABLE_BASE, DeviceConfig, Outcome, TableEntry, Timing
from golden_model.errors import StepError
from golden_model.isa.asm import assemble
from golden_model.records.layout import FaultKind
from tests.unit import device_bench as b
from tests.unit.device_bench import Bench, told

# ---------------------------------------------------------------------- faults, watchdog, RESET

FAULTS = [
    (b.ILLEGAL, FaultKind.ILLEGAL_INSTRUCTION, b.CODE_VMA + 4, b.CODE_VMA + 4),
    ("csrr a0, mscratch\nlw t0, 2(a0)", FaultKind.MISALIGNED, b.ARGS_VMA + 2, b.CODE_VMA + 4),
    ("csrr a0, mscratch\nsh t0, 1(a0)", FaultKind.MISALIGNED, b.ARGS_VMA + 1, b.CODE_VMA + 4),
    ("jr zero", FaultKind.FETCH, 0, 0),
]


@pytest.mark.parametrize(("program", "kind", "addr", "pc"), FAULTS)
def test_a_fault_ends_the_launch(program: str, kind: FaultKind, addr: int, pc: int) -> None:
    bench = Bench()
    bench.unmask()
    bench.stage(program)
    bench.dispatch()
    assert bench.status == b.READY | b.ERROR
    assert bench.errors == b.KERNEL_FAULT
    assert bench.read(b.IRQ_STATUS) == b.IRQ_ERROR  # never KERNEL_DONE as well
    assert bench.vectors() == [2]
    assert bench.read(b.FAULT_KIND) == kind
    assert bench.read64(b.FAULT_ADDR) == addr
    assert bench.read64(b.FAULT_PC) == pc
    assert bench.read(b.FAULT_WARP) == 1 << 16  # core 0, warp 0, lane 0
    assert bench.read(b.LAUNCH_ID) == 1


def test_fault_numbers_are_the_page_s() -> None:
    numbers = {"BUS_READ": 1, "BUS_WRITE": 2, "ILLEGAL_INSTRUCTION": 3, "FETCH": 4, "WATCHDOG": 5, "MISALIGNED": 6}
    assert {kind.name: int(kind) for kind in FaultKind if kind} == numbers


def test_fault_registers_are_those_of_the_last_launch() -> None:
    bench = Bench()
    bench.stage(b.ILLEGAL)
    bench.dispatch()
    bench.write(b.KERNEL_ADDR, b.CODE_VMA + 2)
    bench.dispatch()  # refused: changes nothing else
    assert bench.read(b.FAULT_KIND) == FaultKind.ILLEGAL_INSTRUCTION
    bench.stage()
    bench.dispatch()
    assert bench.read(b.FAULT_KIND) == 0 and bench.read64(b.FAULT_PC) == 0
    assert bench.errors == b.KERNEL_FAULT | b.INVALID_CMD  # stands until it is cleared


def test_watchdog() -> None:
    bench = Bench()
    bench.stage(b.LOOP)
    bench.write64(b.MAX_CYCLES, 100)
    bench.dispatch()
    assert bench.status == b.READY | b.ERROR and bench.errors == b.KERNEL_FAULT
    assert bench.read(b.FAULT_KIND) == 5
    assert bench.read(b.IRQ_STATUS) == b.IRQ_ERROR


def test_abort_resets_the_cores() -> None:
    """The endless warp is gone, and so is the dispatch window size; the next launch runs."""
    bench = Bench()
    bench.write(b.DCR_ADDR, 0x030)
    bench.write(b.DCR_DATA, 16)
    bench.write(b.DCR_CTRL, 1)
    bench.stage(b.LOOP)
    bench.write(b.MAX_CYCLES, 100)
    bench.dispatch()
    assert bench.read(b.FAULT_KIND) == 5
    assert bench.device.machine.kmu.rewind == 20
    bench.stage()
    bench.dispatch()
    assert bench.read(b.IRQ_STATUS) & b.KERNEL_DONE and bench.stored() == b.CODE_VMA


def test_watchdog_has_64_bits_and_is_sampled() -> None:
    bench = told()
    bench.stage(b.LOOP)
    bench.write64(b.MAX_CYCLES, 1 << 32)
    bench.dispatch()
    bench.write64(b.MAX_CYCLES, 1)
    launch = bench.device.launch
    assert launch is not None and launch.finish(1000) is None
    launch.expire()
    assert bench.read(b.FAULT_KIND) == 5 and bench.status & b.READY


def test_no_watchdog_never_expires() -> None:
    bench = told()
    bench.running()
    launch = bench.device.launch
    assert launch is not None and launch.finish(1000) is None
    with pytest.raises(StepError, match="MAX_CYCLES"):
        launch.expire()
    assert bench.status == b.BUSY


def test_a_hang_is_busy_until_the_watchdog_or_reset() -> None:
    waits_for_ever = "li a0, 0\nli a1, 2\nbar a0, a1\ntmc zero"
    bench = Bench()
    bench.stage(waits_for_ever)
    bench.dispatch()
    assert bench.status == b.BUSY
    bench.write(b.GLOBAL_CTRL, 2)
    assert bench.status == b.READY
    bench.write(b.GLOBAL_CTRL, 1)
    bench.stage(waits_for_ever)
    bench.write(b.MAX_CYCLES, 500)
    bench.dispatch()
    assert bench.read(b.FAULT_KIND) == 5


@pytest.mark.parametrize("started", [True, False])
def test_reset_in_mid_launch(started: bool) -> None:
    bench = told()
    bench.running()
    launch = bench.device.launch
    assert launch is not None
    if started:
        launch.advance(20)
    bench.write(b.GLOBAL_CTRL, 2)
    assert launch.outcome is Outcome.ABORTED
    assert bench.status == b.READY
    assert (bench.errors, bench.read(b.IRQ_STATUS), bench.read(b.LAUNCH_ID), bench.read(b.FAULT_KIND)) == (0, 0, 0, 0)
    bench.write(b.GLOBAL_CTRL, 1)
    bench.stage()
    bench.dispatch()
    assert bench.device.launch is not None and bench.device.launch.finish() is Outcome.DONE
    assert bench.read(b.LAUNCH_ID) == 1


def test_vram_and_private_memory_survive_reset_and_launches() -> None:
    keep = "csrr a0, mscratch\nlui t0, 0xd0000\nsw a0, 0(t0)\nnop\ntmc zero"
    recall = "csrr a0, mscratch\nlui t0, 0xd0000\nlw t1, 0(t0)\nsw t1, 8(a0)\ntmc zero"
    bench = Bench()
    bench.stage(keep)
    bench.dispatch()
    bench.device.bar2_write(0x3000, b"kept")
    bench.write(b.GLOBAL_CTRL, 2)
    bench.write(b.GLOBAL_CTRL, 1)
    bench.stage(recall)
    bench.dispatch()
    assert bench.device.bar2_read(b.ARGS + 8, 4) == b.ARGS_VMA.to_bytes(4, "little")
    assert bench.device.bar2_read(0x3000, 4) == b"kept"


def test_launches_back_to_back_count() -> None:
    bench = Bench()
    for number in range(1, 5):
        bench.stage(vortex=number % 2 == 0)
        bench.dispatch()
        assert bench.read(b.LAUNCH_ID) == number
    bench.device.bar2_write(TABLE_BASE, bytes(4))
    bench.stage(vortex=False)
    bench.write(b.KERNEL_ADDR + 4, 0x8000_0000)
    bench.device.bar2_write(TABLE_BASE, bytes(4))
    bench.dispatch()
    assert bench.errors == b.INVALID_CMD and bench.read(b.LAUNCH_ID) == 4


def test_polls() -> None:
    bench = Bench(Timing(launch_polls=3))
    bench.stage()
    bench.dispatch()
    assert [bench.status for _ in range(5)] == [b.BUSY, b.BUSY, b.BUSY, b.READY, b.READY]


# ---------------------------------------------------------------------- strict maps, fetch across a boundary


def test_strict_map_answers_with_bus_errors() -> None:
    read = "csrr a0, mscratch\nlw t0, 0x100(a0)"
    write = "csrr a0, mscratch\nsw a0, 0x100(a0)"
    for program, kind in ((read, FaultKind.BUS_READ), (write, FaultKind.BUS_WRITE)):
        bench = Bench(config=DeviceConfig(strict_map=True))
        bench.stage(program)
        bench.dispatch()
        assert bench.read(b.FAULT_KIND) == kind and bench.read64(b.FAULT_ADDR) == b.ARGS_VMA + 0x100
        relaxed = Bench()
        relaxed.stage(program + "\ntmc zero")
        relaxed.dispatch()
        assert relaxed.errors == 0


def test_strict_map_fetch() -> None:
    bench = Bench(config=DeviceConfig(strict_map=True))
    bench.stage("nop\n" * 16, entries=[TableEntry(b.ARGS_VMA, b.ARGS, 64), TableEntry(b.CODE_VMA, b.CODE, 64)])
    bench.dispatch()
    assert bench.read(b.FAULT_KIND) == FaultKind.BUS_READ and bench.read64(b.FAULT_PC) == b.CODE_VMA + 64


def test_fetch_across_the_end_of_a_mapped_range() -> None:
    """The program's last word, TMC, is in private memory, where an earlier launch stored it."""
    arguments = TableEntry(b.ARGS_VMA, b.ARGS, 0x100)
    bench = Bench()
    bench.stage(
        "lui t0, 0x80000\ncsrr a0, mscratch\nlw t1, 0(a0)\nsw t1, 0x20(t0)\ntmc zero",
        entries=[arguments, TableEntry(0x9000_0000, b.CODE, 0x1000)],
    )
    bench.device.bar2_write(b.ARGS, assemble("tmc zero"))
    bench.write(b.KERNEL_ADDR, 0x9000_0000)
    bench.dispatch()
    assert bench.errors == 0
    bench.stage("nop\n" * 8 + ".word 0", entries=[arguments, TableEntry(b.CODE_VMA, b.CODE, 0x20)])
    bench.dispatch()
    assert bench.errors == 0 and bench.read(b.LAUNCH_ID) == 2


def test_xlen_64_addresses() -> None:
    bench = Bench(config=DeviceConfig(HardwareConfig(xlen=64, axi_addr_width=48)))
    high = 0x12_3456_0000
    bench.stage(entries=[TableEntry(b.ARGS_VMA, b.ARGS, 0x100), TableEntry(high, b.CODE, 0x1000)])
    bench.write64(b.KERNEL_ADDR, high | 1 << 63)
    bench.dispatch()
    assert bench.errors == 0 and bench.stored() == high & 0xFFFF_FFFF
    assert bench.read(0x18) >> 30 == 2
