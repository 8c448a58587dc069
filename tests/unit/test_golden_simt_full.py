"""Asynchronous and global barriers, WSPAWN and traps (docs/reference/vortex.md §2.4, §2.7, §2.13)."""

from __future__ import annotations

from dataclasses import replace

import pytest

from config import HardwareConfig
from golden_model import FindingKind, HangError, Machine
from golden_model.barrier import BarrierUnit
from golden_model.records.layout import BarrierOp
from tests.unit.golden_program import OUT, bare_warp, launch_of, machine_with, program, words

FULL = HardwareConfig(ext_simt_full=True)
TIERS = ["readable", "fast"]


def run(kernel: str, tier: str, config: HardwareConfig = FULL, grid: int = 1, block: int = 16) -> Machine:
    image = program(kernel)
    machine = machine_with(image, config)
    machine.tier = "fast" if tier == "fast" else "readable"
    machine.launch(launch_of(image, grid=(grid, 1, 1), block=(block, 1, 1)))
    machine.run(100_000)
    return machine


# ------------------------------------------------------------------ arrive and wait


def test_a_token_is_one_bit_of_the_phase() -> None:
    unit = BarrierUnit(FULL)
    for phase in (0, 1, 0, 1):
        assert unit.arrive(5, 2).phase == phase
        assert unit.wait(0, 5, phase | 0xFFFE).released == 0, "suspended: this phase is still running"
        event = unit.arrive(5, 2)
        assert (event.op, event.phase, event.released) == (BarrierOp.ARRIVE, phase, 0b1)
        assert unit.wait(0, 5, phase).released == 1, "over: goes on"
        assert unit.entry(5).waiters == 0


def test_expected_transactions_hold_the_phase() -> None:
    unit = BarrierUnit(FULL)
    assert unit.expect(0, 2).op is BarrierOp.EXPECT_TX
    assert unit.sync(1, 0, 1).released == 0, "the count is complete, but two transactions are not"
    assert unit.entry(0).phase == 0
    assert unit.complete(0) == 0
    assert unit.complete(0) == 0b10
    assert (unit.entry(0).phase, unit.entry(0).events, unit.entry(0).count) == (1, 0, 0)


def test_transactions_that_end_before_the_arrivals() -> None:
    unit = BarrierUnit(FULL)
    unit.expect(0, 1)
    unit.arrive(0, 2)
    assert unit.complete(0) == 0, "an arrival is outstanding"
    assert unit.entry(0).phase == 0
    unit.arrive(0, 2)
    assert unit.entry(0).phase == 1


@pytest.mark.parametrize("tier", TIERS)
def test_producer_and_consumers(tier: str) -> None:
    """Warp 0 writes and arrives after a while; the others arrive at once and wait. Five phases in a row."""
    kernel = """
        csrr t0, cta_rank
        csrr t1, cta_id
        li t2, 4
        li s1, 5
    again:
        bnez t0, consume
        li t3, 40
    slow:
        addi t3, t3, -1
        bnez t3, slow
        sw s1, 0(a0)
        bar.arrive t4, t1, t2
        j next
    consume:
        bar.arrive t4, t1, t2
        bar.wait t1, t4
        lw t5, 0(a0)
        slli t6, t0, 2
        add t6, t6, a0
        lw a1, 0(t6)
        add a1, a1, t5
        sw a1, 0(t6)
    next:
        bar t1, t2
        addi s1, s1, -1
        bnez s1, again
        ret
    """
    machine = run(kernel, tier)
    assert words(machine, 4) == [1, 15, 15, 15]
    assert not machine.findings


@pytest.mark.parametrize("source", ["bar.arrive a0, a1, a2", "bar a1, a2"])
def test_zero_participants_are_illegal(source: str) -> None:
    machine, warp = bare_warp(source, config=FULL)
    assert warp.step().fault is not None
    assert FindingKind.BARRIER_COUNT in machine.findings.kinds()


# ------------------------------------------------------------------ across cores

GLOBAL = """
    csrr t0, core_id
    csrr t1, num_cores
    li t2, 0x80000100
    li s1, 3
loop:
    bnez t0, fast
    li t3, 60
slow:
    addi t3, t3, -1
    bnez t3, slow
fast:
    csrr t3, mhartid
    slli t3, t3, 2
    add t3, t3, a0
    sw s1, 0(t3)
    {barrier}
    lw t4, 0(a0)            # hart 0 is on the slow core
    bne t4, s1, wrong
    bar t2, t1
    addi s1, s1, -1
    bnez s1, loop
    ret
wrong:
    sw t1, 1024(a0)
    ret
"""


@pytest.mark.parametrize("tier", TIERS)
@pytest.mark.parametrize("barrier", ["bar t2, t1", "bar.arrive t5, t2, t1\n nop\n nop\n bar.wait t2, t5"])
@pytest.mark.parametrize("cores", [1, 2, 3])
def test_cores_wait_for_each_other(barrier: str, cores: int, tier: str) -> None:
    machine = run(GLOBAL.format(barrier=barrier), tier, replace(FULL, num_cores=cores), grid=cores)
    assert words(machine, 1, OUT + 1024) == [0]
    assert words(machine, 16 * cores) == [1] * 16 * cores
    assert not machine.findings


def test_a_core_that_never_arrives_is_a_hang() -> None:
    kernel = "csrr t0, core_id\n bnez t0, out\n li t2, 0x80000000\n li t1, 2\n bar t2, t1\nout: ret"
    with pytest.raises(HangError):
        run(kernel, "readable", replace(FULL, num_cores=2), grid=2)


def test_warps_that_end_no_longer_count() -> None:
    kernel = """
        csrr t0, cta_rank
        beqz t0, out
        li t2, 0x80000000
        csrr t1, num_cores
        bar t2, t1
    out:
        ret
    """
    for tier in TIERS:
        machine = run(kernel, tier, replace(FULL, num_cores=2), grid=2)
        assert not machine.findings


# ------------------------------------------------------------------ WSPAWN

SPAWN = """
    csrr t0, wid_csr
    li t1, 1
    tmc t1
    li t2, 4
    lla t3, worker
    wspawn t2, t3
    j work
worker:
    csrr a0, mscratch
    csrr t0, warp_id
    csrr t4, active_threads
    slli t5, t0, 2
    add t5, t5, a0
    addi t4, t4, 10
    sw t4, 0(t5)
    tmc zero
work:
    sw t2, 0(a0)
    wspawn t1, t3             # count 1: waits until everybody else has ended
    lw t4, 12(a0)
    sw t4, 16(a0)
    ret
""".replace("wid_csr", "warp_id")


@pytest.mark.parametrize("tier", TIERS)
def test_wspawn(tier: str) -> None:
    machine = run(SPAWN, tier, block=4)
    assert words(machine, 5) == [4, 11, 11, 11, 11]
    assert not machine.findings
    assert not machine.busy


@pytest.mark.parametrize("tier", TIERS)
def test_wspawn_of_a_warp_that_is_never_alone_is_a_hang(tier: str) -> None:
    with pytest.raises(HangError, match="wspawn"):
        run("li t0, 2\n lla t1, x\nx: wspawn t0, t1\n ret", tier, block=8)


# ------------------------------------------------------------------ traps

TRAP = """
    lla t0, handler
    csrw mtvec, t0
    li t1, 5
    tmc t1
    {instruction}
    csrr t2, active_threads
    sw t2, 12(a0)
    ret
handler:
    csrr t3, mcause
    sw t3, 0(a0)
    csrr t3, mepc
    lw t4, 0(t3)
    sw t4, 4(a0)
    li t4, 15
    tmc t4                    # a handler may change the mask; MRET brings it back
    csrr t3, mepc
    addi t3, t3, 4
    csrw mepc, t3
    csrr t3, mtval
    sw t3, 8(a0)
    {ret}
"""


@pytest.mark.parametrize("tier", TIERS)
@pytest.mark.parametrize(("name", "cause", "word"), [("ecall", 11, 0x73), ("ebreak", 3, 0x100073)])
@pytest.mark.parametrize("ret", ["mret", "sret", "uret"])
def test_traps(name: str, cause: int, word: int, ret: str, tier: str) -> None:
    machine = run(TRAP.format(instruction=name, ret=ret), tier, block=4)
    assert words(machine, 4) == [cause, word, 0, 5]
    assert not machine.findings


def test_a_trap_without_handler_is_a_fetch_at_0() -> None:
    machine = run("csrw mtvec, zero\n ecall\n ret", "fast")
    assert machine.findings.kinds() == {FindingKind.FETCH_FAULT}
