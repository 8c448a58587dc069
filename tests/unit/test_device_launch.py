"""DISPATCH and what becomes of a launch: every rule of docs/reference/pcie_bar.md by itself."""

from __future__ import annotations

import pytest

from golden_model import kmu
from golden_model.device import TABLE_BASE, FaultRecord, LaunchPhase, Outcome
from golden_model.errors import StepError
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
