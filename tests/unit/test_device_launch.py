"""DISPATCH and what becomes of a launch: every rule of docs/reference/pcie_bar.md by itself."""

from __future__ import annotations

import pytest

from config import HardwareConfig
from golden_model import kmu
from golden_model.device import TABLE_BASE, DeviceConfig, FaultRecord, LaunchPhase, Outcome, TableEntry, Timing
from golden_model.errors import StepError
from golden_model.isa.asm import assemble
from golden_model.records.layout import FaultKind
from tests.unit import device_bench as b
from tests.unit.device_bench import Bench, told


@pytest.mark.parametrize("vortex", [True, False])
def test_a_launch_that_ends_well(vortex: bool) -> None:
    bench = Bench()
    bench.stage(vortex=vortex)
    bench.dispatch()
    assert bench.status == b.READY
    assert bench.read(b.IRQ_STATUS) == b.KERNEL_DONE
    assert bench.errors == 0
    assert bench.stored() == (b.CODE_VMA if vortex else b.CODE)
    assert bench.read(b.LAUNCH_ID) == 1
    assert bench.read(b.FAULT_KIND) == 0
    assert bench.device.bar2_read(b.ARGS, 4) == bytes(4)


# What DISPATCH must refuse, as register writes on top of a good launch.
REFUSALS: list[tuple[str, list[tuple[int, int]]]] = [
    ("DISABLED", [(b.GLOBAL_CTRL, 0)]),
    *(("ZERO_GRID", [(b.GRID_DIM + 4 * axis, 0)]) for axis in range(3)),
    *(("ZERO_BLOCK", [(b.BLOCK_DIM + 4 * axis, 0)]) for axis in range(3)),
    ("TOO_MANY_THREADS", [(b.BLOCK_DIM, 17)]),
    ("TOO_MANY_THREADS", [(b.BLOCK_DIM + 4, 6), (b.BLOCK_DIM + 8, 3)]),
    ("TOO_MUCH_LMEM", [(b.SHARED_MEM_SIZE, (1 << 14) + 1)]),
    ("TOO_MUCH_LMEM", [(b.SHARED_MEM_SIZE, 0xFFFF_FFFF)]),
    ("ENTRY_MISALIGNED", [(b.KERNEL_ADDR, b.CODE_VMA + 2)]),
    ("ENTRY_MISALIGNED", [(b.KERNEL_ADDR, b.CODE_VMA + 1)]),
    ("STARTUP_MISALIGNED", [(b.STARTUP_ADDR, b.CODE_VMA + 2)]),
    ("ARGS_MISALIGNED", [(b.KERNEL_ARGS, b.ARGS_VMA + 2)]),
    ("ADDRESS_TOO_WIDE", [(b.KERNEL_ADDR + 4, 0x8000_0001)]),
    ("ADDRESS_TOO_WIDE", [(b.STARTUP_ADDR + 4, 1)]),
    ("ADDRESS_TOO_WIDE", [(b.KERNEL_ARGS + 4, 1)]),
    ("GRID_NOT_WHOLE_CLUSTERS", [(b.CLUSTER_DIM, 2)]),
    ("CLUSTER_TOO_LARGE", [(b.CLUSTER_DIM, 5), (b.GRID_DIM, 5)]),
]


@pytest.mark.parametrize(("name", "writes"), REFUSALS)
def test_dispatch_is_refused(name: str, writes: list[tuple[int, int]]) -> None:
    bench = Bench()
    bench.unmask()
    bench.stage()
    for offset, value in writes:
        bench.write(offset, value)
    registers = [bench.read(offset) for offset in range(0x300, 0x364, 4)]
    bench.dispatch()
    assert bench.refusals() == [name]
    assert bench.errors == b.INVALID_CMD
    assert bench.status == b.READY | b.ERROR
    assert bench.read(b.IRQ_STATUS) == b.IRQ_ERROR
    assert bench.vectors() == [2]
    assert bench.read(b.LAUNCH_ID) == 0 and bench.stored() == 0
    assert [bench.read(offset) for offset in range(0x300, 0x364, 4)] == registers


@pytest.mark.parametrize("axes", [(0, 1), (1, 2), (0, 1, 2)])
def test_products_wider_than_32_bits_are_not_truncated(axes: tuple[int, ...]) -> None:
    """65536 × 65536 is 0 modulo 2^32: a truncated product would look like an empty block."""
    bench = Bench()
    bench.stage()
    for axis in axes:
        bench.write(b.BLOCK_DIM + 4 * axis, 0x1_0000)
    bench.dispatch()
    assert bench.refusals() == ["TOO_MANY_THREADS"]


def test_largest_block_and_all_local_memory_fit() -> None:
    bench = Bench()
    bench.stage()
    bench.write(b.BLOCK_DIM, 16)
    bench.write(b.SHARED_MEM_SIZE, 1 << 14)
    bench.dispatch()
    assert bench.read(b.IRQ_STATUS) == b.KERNEL_DONE and bench.errors == 0


@pytest.mark.parametrize(
    ("block", "step"),
    [
        ((1, 1, 1), (0, 0, 0)),
        ((5, 1, 1), (4, 0, 0)),
        ((3, 4, 1), (1, 1, 0)),
        ((2, 1, 3), (0, 0, 2)),
        ((16, 1, 1), (4, 0, 0)),
    ],
)
def test_device_computes_block_size_and_warp_step(block: tuple[int, int, int], step: tuple[int, int, int]) -> None:
    """With four lanes; expected steps worked out by hand from docs/reference/vortex.md §8.3."""
    bench = told()
    bench.stage()
    for axis, size in enumerate(block):
        bench.write(b.BLOCK_DIM + 4 * axis, size)
    bench.dispatch()
    launch = bench.device.launch
    assert launch is not None
    launch.read_table()
    registers = bench.device.machine.kmu
    assert registers.read(kmu.BLOCK_SIZE) == block[0] * block[1] * block[2]
    assert tuple(registers.read(kmu.WARP_STEP + axis) for axis in range(3)) == step


def test_dcrs_of_a_launch() -> None:
    bench = told()
    bench.stage()
    bench.write(b.STARTUP_ADDR, b.CODE_VMA + 0x40)
    bench.write(b.GRID_DIM + 4, 6)
    bench.write(b.CLUSTER_DIM + 4, 3)
    bench.write(b.SHARED_MEM_SIZE, 100)
    bench.dispatch()
    assert bench.device.launch is not None
    bench.device.launch.read_table()
    read = bench.device.machine.kmu.read
    assert read(kmu.KERNEL_ENTRY) == b.CODE_VMA and read(kmu.KERNEL_ENTRY + 1) == 0  # without bit 63
    assert read(kmu.STARTUP_ADDR) == b.CODE_VMA + 0x40
    assert read(kmu.STARTUP_ARG) == b.ARGS_VMA
    assert [read(kmu.GRID_DIM + axis) for axis in range(3)] == [1, 6, 1]
    assert [read(kmu.CLUSTER_DIM + axis) for axis in range(3)] == [1, 3, 1]  # 0 counts as 1
    assert read(kmu.LMEM_SIZE) == 100


def test_startup_0_is_kernel_addr() -> None:
    bench = told()
    bench.stage()
    bench.dispatch()
    assert bench.device.launch is not None
    bench.device.launch.read_table()
    assert bench.device.machine.kmu.read(kmu.STARTUP_ADDR) == b.CODE_VMA


def test_no_argument_block() -> None:
    """KERNEL_ARGS = 0 needs no entry; the word above address 0 is private."""
    bench = Bench()
    bench.stage()
    bench.write64(b.KERNEL_ARGS, 0)
    bench.dispatch()
    assert bench.errors == 0 and bench.stored() == 0
    assert bench.device.memory.private.read(4, 4) == b.CODE_VMA.to_bytes(4, "little")


# ---------------------------------------------------------------------- while BUSY


def test_busy_and_ready_while_a_launch_runs() -> None:
    bench = told()
    bench.running()
    assert bench.status == b.BUSY
    assert bench.device.launch is not None
    bench.device.launch.advance(50)
    assert bench.status == b.BUSY


GUARDED = [*range(0x300, 0x32C, 4)]


@pytest.mark.parametrize("offset", GUARDED)
def test_launch_registers_are_refused_while_busy(offset: int) -> None:
    bench = told()
    bench.running()
    before = bench.read(offset)
    bench.write(offset, before ^ 0x10)
    assert bench.read(offset) == before
    assert bench.errors == b.INVALID_CMD
    assert bench.read(b.IRQ_STATUS) == b.IRQ_ERROR
    assert bench.status == b.BUSY | b.ERROR


@pytest.mark.parametrize(
    "offset", [b.MAX_CYCLES, b.STARTUP_ADDR, b.CLUSTER_DIM, b.RELEASE_ADDR, b.RELEASE_CTRL, b.DCR_ADDR]
)
def test_other_registers_are_not(offset: int) -> None:
    bench = told()
    bench.running()
    bench.write(offset, 5)
    assert bench.read(offset) == 5
    assert bench.errors == 0


def test_dispatch_while_busy_is_refused() -> None:
    bench = told()
    bench.running()
    bench.dispatch()
    assert bench.refusals() == ["BUSY"]
    assert bench.device.launch is not None
    bench.device.launch.read_table()
    assert bench.read(b.LAUNCH_ID) == 1


def test_partial_write_to_a_guarded_register_is_ignored_not_refused() -> None:
    bench = told()
    bench.running()
    bench.device.bar0_write(b.GRID_DIM, 7, 0x3)
    assert bench.errors == 0


def test_clearing_enable_does_not_stop_a_launch() -> None:
    bench = told()
    bench.stage()
    bench.dispatch()
    bench.write(b.GLOBAL_CTRL, 0)
    assert bench.device.launch is not None and bench.device.launch.finish() is Outcome.DONE
    assert bench.read(b.IRQ_STATUS) == b.KERNEL_DONE


# ---------------------------------------------------------------------- bad tables


def test_a_bad_table_is_found_while_busy() -> None:
    bench = told()
    bench.stage()
    bench.device.bar2_write(TABLE_BASE, b"NOPE")
    bench.dispatch()
    assert bench.status == b.BUSY and bench.errors == 0
    launch = bench.device.launch
    assert launch is not None and launch.phase is LaunchPhase.TABLE
    launch.read_table()
    assert bench.status == b.READY | b.ERROR
    assert bench.errors == b.INVALID_CMD and bench.read(b.IRQ_STATUS) == b.IRQ_ERROR
    assert bench.read(b.LAUNCH_ID) == 0


def test_table_counts_as_it_was_at_dispatch() -> None:
    bench = told()
    bench.stage()
    bench.dispatch()
    bench.device.bar2_write(TABLE_BASE, bytes(64))
    assert bench.device.launch is not None and bench.device.launch.finish() is Outcome.DONE
    assert bench.stored() == b.CODE_VMA


def test_raw_launch_reads_no_table() -> None:
    bench = Bench()
    bench.stage(vortex=False)
    bench.device.bar2_write(TABLE_BASE, bytes([0xFF]) * 64)
    bench.dispatch()
    assert bench.errors == 0 and bench.stored() == b.CODE


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


# ---------------------------------------------------------------------- a follower's choices


def test_complete_demands_idle_cores() -> None:
    bench = told()
    bench.stage()
    bench.dispatch()
    launch = bench.device.launch
    assert launch is not None
    with pytest.raises(StepError, match="not been read"):
        launch.complete()
    launch.read_table()
    with pytest.raises(StepError, match="still busy"):
        launch.complete()
    launch.advance()
    assert bench.status == b.BUSY  # the cores are done, BUSY is a choice
    launch.complete()
    assert bench.status == b.READY and bench.stored() == b.CODE_VMA


def test_a_fault_of_hardware_is_adopted() -> None:
    bench = told()
    bench.running()
    launch = bench.device.launch
    assert launch is not None
    launch.read_table()
    with pytest.raises(StepError):
        launch.adopt_fault(FaultRecord(FaultKind.WATCHDOG))
    launch.adopt_fault(FaultRecord(FaultKind.BUS_READ, 0x1_2345_6789, 0x8000_0010, core=3, warp=2, mask=0xF_8001))
    assert bench.errors == b.KERNEL_FAULT
    assert bench.read64(b.FAULT_ADDR) == 0x1_2345_6789
    assert bench.read(b.FAULT_WARP) == 0x8001_0302


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
    assert bench.read(b.FAULT_KIND) == 4 and bench.read64(b.FAULT_PC) == b.CODE_VMA + 64


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
