"""Each finding raised by one small program, and none by a clean one."""

from __future__ import annotations

from dataclasses import replace

import pytest

from config import EntryGeneration, HardwareConfig
from golden_model import Finding, FindingKind, HangError, Launch, Machine
from golden_model.diagnosis import EXTRA
from golden_model.findings import FindingLog
from golden_model.records.layout import FaultKind
from tests.unit.golden_program import (
    BASE,
    OUT,
    PROLOGUE,
    Program,
    bare_warp,
    launch_of,
    machine_with,
    program,
    run_kernel,
    words,
)

K = FindingKind
PER_LANE = "csrr t0, thread_id\n slli t1, t0, 2\n add t1, t1, a0\n"  # t0 = lane, t1 = address of its word

# kind -> kernel body (a0 = OUT, all registers but those of the prologue undefined) and the lanes of the finding
BY_KERNEL: dict[FindingKind, tuple[str, int]] = {
    K.DIVERGENT_BRANCH: (PER_LANE + "sltiu t2, t0, 3\n bnez t2, x\nx: ret", 0xF),
    K.DIVERGENT_JUMP: (PER_LANE + "sltiu t2, t0, 2\n slli t2, t2, 3\n add ra, ra, t2\n jalr zero, 0(ra)", 0b0011),
    K.FETCH_OUTSIDE_IMAGE: ("li t0, 0x30000\n li t2, 0x8067\n sw t2, 0(t0)\n jr t0", 0xF),
    K.UNDEFINED_ADDRESS: (PER_LANE + "lw t2, 0(s5)\n ret", 0xF),
    K.UNDEFINED_BRANCH: ("beq s5, zero, x\nx: ret", 0xF),
    K.UNDEFINED_JUMP: ("mv s5, s6\n add s5, s5, zero\n jalr ra, 0(s5)", 0xF),
    K.UNDEFINED_PREDICATE: ("split s1, s5\n join s1\n ret", 0xF),
    K.UNDEFINED_MASK: ("tmc s5", 0b1000),
    K.UNDEFINED_BARRIER: ("li t0, 1\n bar s5, t0\n ret", 0b1000),
    K.UNDEFINED_JOIN: ("join s5\n ret", 0b1000),
    K.UNDEFINED_CSR: ("csrw mepc, s5\n ret", 0b1000),
    K.UNDEFINED_STORE: (PER_LANE + "sw s5, 0(t1)\n ret", 0xF),
    K.IPDOM_OVERFLOW: (
        "csrr t0, thread_id\n andi t2, t0, 1\n li t3, -1\n" + "split s1, t2\n tmc t3\n" * 4,
        0xF,
    ),
    K.IPDOM_MISMATCH: ("li s1, 5\n join s1\n ret", 0xF),
    K.IPDOM_NOT_EMPTY: ("csrr t0, thread_id\n andi t0, t0, 1\n split s1, t0\n tmc zero", 0b1010),
    K.BARRIER_COUNT: ("bar zero, zero\n ret", 0xF),
    K.ILLEGAL_INSTRUCTION: (".word 0\n ret", 0xF),
    K.MISALIGNED_ACCESS: ("lw t0, 2(a0)\n ret", 0xF),
    K.FETCH_FAULT: ("jr zero", 0xF),
}
# Raised together with another one because the second follows from the first.
ALSO: dict[FindingKind, set[FindingKind]] = {
    K.UNDEFINED_JUMP: {K.FETCH_FAULT},
    K.IPDOM_OVERFLOW: {K.ILLEGAL_INSTRUCTION},
    K.IPDOM_MISMATCH: {K.ILLEGAL_INSTRUCTION},
    K.BARRIER_COUNT: {K.ILLEGAL_INSTRUCTION},
}


@pytest.mark.parametrize("kind", BY_KERNEL, ids=lambda kind: kind.value)
def test_each_finding_by_its_program(kind: FindingKind) -> None:
    kernel, lanes = BY_KERNEL[kind]
    machine = run_kernel(kernel)
    assert machine.findings.kinds() == {kind} | ALSO.get(kind, set())
    finding = next(finding for finding in machine.findings if finding.kind is kind)
    assert (finding.core, finding.warp, finding.lanes) == (0, 0, lanes)
    assert kind.value in str(finding)
    assert f"{finding.pc:#010x}" in str(finding)
    assert finding.pc >= BASE or kind in (K.FETCH_FAULT, K.FETCH_OUTSIDE_IMAGE)


def test_all_kinds_have_a_program() -> None:
    elsewhere = {K.WRONG_DISPATCH_CALL, K.MALFORMED_WINDOW, K.BUS_FAULT}  # below; a bus fault needs XLEN 64
    elsewhere.add(K.DIFFERENT_JOINS)
    diagnosed = set().union(*(check.kinds for check in EXTRA))  # tests/unit/test_golden_diag.py
    assert set(BY_KERNEL) | elsewhere | diagnosed == set(FindingKind)


CLEAN = """
    csrr t0, cta_thread_id_x
    csrr t1, cta_block_id_x
    csrr t2, cta_block_dim_x
    mul t1, t1, t2
    add t0, t0, t1
    addi sp, sp, -16
    sw s5, 0(sp)             # a spill of a register never written is fine
    sw ra, 4(sp)
    andi t1, t0, 1
    split s1, t1
    beqz t1, even
    addi t3, t0, 1000
    j done
even:
    addi t3, t0, 2000
done:
    join s1
    csrr t4, cta_lmem_addr
    csrr t2, cta_thread_id_x
    slli t2, t2, 2
    add t4, t4, t2
    sw t3, 0(t4)
    csrr t5, cta_id
    csrr t6, cta_size
    bar t5, t6
    lw t3, 0(t4)
    slli t0, t0, 2
    add t0, t0, a0
    sw t3, 0(t0)
    lw s5, 0(sp)
    lw ra, 4(sp)
    addi sp, sp, 16
    fence
    ret
"""


@pytest.mark.parametrize("seed", [None, 1, 2, 3])
def test_a_clean_program_has_no_findings(seed: int | None) -> None:
    image = program(CLEAN)
    machine = machine_with(image)
    machine.launch(launch_of(image, grid=(6, 1, 1), block=(10, 1, 1), lmem=40))
    machine.run(100_000, seed)
    assert not machine.findings, [str(finding) for finding in machine.findings]
    assert words(machine, 60) == [i + (1000 if i % 2 else 2000) for i in range(60)]


# ------------------------------------------------------------------ undefined values


def test_undefined_spreads_through_computation_and_memory() -> None:
    """A spilled undefined register stays undefined when it is loaded again, and so does what is computed from it."""
    machine = run_kernel(PER_LANE + "sw s5, -4(sp)\n lw t3, -4(sp)\n addi t3, t3, 1\n sw t3, 0(t1)\n ret")
    assert machine.findings.kinds() == {K.UNDEFINED_STORE}


def test_undefined_is_per_lane() -> None:
    """Lanes 2 and 3 never got s5."""
    kernel = (
        PER_LANE + "sltiu t2, t0, 2\n csrr s2, active_threads\n pred t2, s2\n li s5, 7\n tmc s2\n sw s5, 0(t1)\n ret"
    )
    machine = run_kernel(kernel.replace("tmc s2", "csrr s3, mtval\n li s4, 15\n tmc s4"))
    finding = next(iter(machine.findings))
    assert (finding.kind, finding.lanes) == (K.UNDEFINED_STORE, 0b1100)
    assert words(machine, 2) == [7, 7]


def test_memory_never_written_is_undefined() -> None:
    machine = run_kernel(PER_LANE + "li t2, 0x50000\n lw t3, 0(t2)\n sw t3, 0(t1)\n ret")
    assert machine.findings.kinds() == {K.UNDEFINED_STORE}
    machine = run_kernel(PER_LANE + "csrr t2, cta_lmem_addr\n lw t3, 0(t2)\n sw t3, 0(t1)\n ret")
    assert machine.findings.kinds() == {K.UNDEFINED_STORE}, "local memory is not cleared either"


def test_undefined_data_outside_host_buffers_is_no_finding() -> None:
    assert not run_kernel("li t0, 0x60000\n sw s5, 0(t0)\n sw s5, -8(sp)\n ret").findings


def test_x0_and_constants_are_defined() -> None:
    assert not run_kernel(
        PER_LANE + "add t2, zero, zero\n sw t2, 0(t1)\n sw zero, 0(t1)\n lui t3, 1\n sw t3, 0(t1)\n ret"
    ).findings


_DEFINED_SELECTS = {
    "czero.eqz with a zero": "li t2, 0\n czero.eqz t3, s5, t2",
    "czero.nez with a one": "li t2, 1\n czero.nez t3, s5, t2",
    "select whose other side has no value": "li t2, 1\n czero.eqz t3, t0, t2\n czero.nez t4, s5, t2\n or t3, t3, t4",
    "and with zero": "and t3, s5, zero",
    "zero and": "and t3, zero, s5",
}
_UNDEFINED_SELECTS = {
    "xor of itself": "xor t3, s5, s5",
    "difference with itself": "sub t3, s5, s5",
    "czero.eqz that passes it on": "li t2, 1\n czero.eqz t3, s5, t2",
    "czero.nez that passes it on": "li t2, 0\n czero.nez t3, s5, t2",
    "choice without a value": "li t2, 1\n czero.eqz t3, t2, s5",
    "and with a value": "li t2, 1\n and t3, s5, t2",
    "and with itself": "and t3, s5, s5",
}


@pytest.mark.parametrize("idiom", _DEFINED_SELECTS.values(), ids=_DEFINED_SELECTS)
def test_a_zero_that_is_forced_is_defined(idiom: str) -> None:
    """Compilers select with czero or a mask; the side that was not chosen may have no value."""
    for tier in ("readable", "fast"):
        assert not run_kernel(PER_LANE + idiom + "\n sw t3, 0(t1)\n ret", tier=tier).findings


@pytest.mark.parametrize("idiom", _UNDEFINED_SELECTS.values(), ids=_UNDEFINED_SELECTS)
def test_what_is_not_forced_stays_undefined(idiom: str) -> None:
    for tier in ("readable", "fast"):
        findings = run_kernel(PER_LANE + idiom + "\n sw t3, 0(t1)\n ret", tier=tier).findings
        assert findings.kinds() == {K.UNDEFINED_STORE}


def test_a_select_is_judged_lane_by_lane() -> None:
    """Lane i passes s5 on if i is odd."""
    machine = run_kernel(PER_LANE + "andi t2, t0, 1\n czero.eqz t3, s5, t2\n sw t3, 0(t1)\n ret")
    finding = next(iter(machine.findings))
    assert (finding.kind, finding.lanes) == (K.UNDEFINED_STORE, 0b1010)


def test_registers_stay_defined_over_launches() -> None:
    image = program(PER_LANE + "sw s5, 0(t1)\n ret\nkernel_writer: li s5, 3\n ret")
    machine = machine_with(image)
    machine.launch(launch_of(image, "writer"))
    machine.run()
    machine.launch(launch_of(image))
    machine.run()
    assert not machine.findings
    assert words(machine, 4) == [3] * 4
    machine.reset()
    machine.launch(launch_of(image))
    machine.run()
    assert machine.findings.kinds() == {K.UNDEFINED_STORE}


def test_lanes_outside_the_block_have_no_thread_index() -> None:
    """A block of 2 threads: lanes 2 and 3, woken by TMC, have nothing to say about threadIdx."""
    machine = run_kernel(
        "li t0, 15\n csrr ra, mepc\n tmc t0\n csrr t1, cta_thread_id_x\n csrr t2, cta_rank\n tmc zero", block=(2, 1, 1)
    )
    warp = machine.cores[0].warps[0]
    assert warp.undef[6] == 0b1100
    assert warp.undef[7] == 0


def test_stale_stack_pointer_of_a_lane_that_ran_no_prologue() -> None:
    """Upstream's hazard (§5.7): a warp first used with two lanes is reused with four."""
    plain = "_start: csrr t1, mhartid\n li sp, 0xffff0000\n slli t1, t1, 13\n sub sp, sp, t1\n"
    kernel = "addi sp, sp, -8\n sw ra, 0(sp)\n lw ra, 0(sp)\n addi sp, sp, 8\n ret"
    for prologue, expected in ((plain, {K.UNDEFINED_ADDRESS, K.UNDEFINED_JUMP}), (PROLOGUE, set())):
        image = program(kernel, prologue=prologue)
        machine = machine_with(image, HardwareConfig(num_warps=1))
        machine.launch(launch_of(image, grid=(2, 1, 1), block=(4, 1, 1)))
        first = machine.accept_cta(0)
        assignment = machine.cores[0].start_warp()
        warp = machine.cores[0].warps[0]
        warp.set_mask(0b0011)  # as if the first block had two threads
        assert (first.slot, assignment.first_use) == (0, True)
        while warp.active:
            warp.step()
        machine.run()
        assert machine.findings.kinds() == expected


# ------------------------------------------------------------------ dispatch windows


def two_kernels(entry: EntryGeneration) -> Program:
    return program("li t3, 1\n sw t3, 0(a0)\n ret\nkernel_other: li t3, 2\n sw t3, 0(a0)\n ret", entry)


@pytest.mark.parametrize("entry", list(EntryGeneration))
def test_right_calls_are_no_finding(entry: EntryGeneration) -> None:
    image = two_kernels(entry)
    machine = machine_with(image, entry=entry)
    machine.launch(launch_of(image, entry=entry, grid=(9, 1, 1)))
    machine.run()
    assert not machine.findings, [str(finding) for finding in machine.findings]


def run_with_entry(image: Program, entry_pc: int) -> Machine:
    machine = machine_with(image)
    machine.launch(Launch(entry_pc, BASE, OUT, (1, 1, 1), (4, 1, 1)))
    machine.run()
    return machine


def test_window_calls_no_exported_kernel() -> None:
    image = two_kernels(EntryGeneration.CTA_ENTRY)
    machine = run_with_entry(image, image.kernels["k"] + 4)
    assert machine.findings.kinds() == {K.WRONG_DISPATCH_CALL, K.UNDEFINED_STORE}
    assert "no exported kernel" in next(iter(machine.findings)).detail


def test_window_calls_another_kernel_than_the_launched_one() -> None:
    """The window reads CTA_ENTRY into s11, but something else is called."""
    good = two_kernels(EntryGeneration.CTA_ENTRY)
    offset = good.labels["window"] + 8 - BASE
    other = good.labels["kernel_other"] - good.labels["kernel"]
    patched = bytearray(good.image)
    patched[offset : offset + 4] = (other << 20 | 0x000D80E7).to_bytes(4, "little")
    machine = run_with_entry(replace(good, image=bytes(patched)), good.kernels["k"])
    assert machine.findings.kinds() == {K.WRONG_DISPATCH_CALL}
    assert "the kernel of this launch is" in next(iter(machine.findings)).detail
    assert words(machine, 1) == [2]


def test_s11_clobbered_by_the_kernel_is_found_when_the_warp_is_reused() -> None:
    entry = EntryGeneration.S11
    image = program("li t3, 1\n lla s11, kernel_other\n ret\nkernel_other: ret", entry)
    machine = machine_with(image, entry=entry)
    machine.launch(launch_of(image, entry=entry, grid=(4, 1, 1)))
    machine.run()
    assert not machine.findings, "every warp ran one block"
    machine.launch(launch_of(image, entry=entry, grid=(5, 1, 1)))
    machine.run()
    finding = next(iter(machine.findings))
    assert finding.kind is K.WRONG_DISPATCH_CALL
    assert "the launched stub at" in finding.detail
    assert finding.pc == image.labels["window"] + 4


def test_s11_launch_without_a_stub() -> None:
    entry = EntryGeneration.S11
    image = two_kernels(entry)
    machine = machine_with(image, entry=entry)
    machine.launch(Launch(BASE, BASE, OUT, (1, 1, 1), (4, 1, 1)))
    machine.run()
    assert machine.findings.kinds() == {K.UNDEFINED_JUMP, K.WRONG_DISPATCH_CALL, K.FETCH_FAULT}
    assert any("holds no stub" in finding.detail for finding in machine.findings)


def test_direct_call_out_of_the_image() -> None:
    entry = EntryGeneration.DIRECT
    good = program("ret", entry)
    patched = bytearray(good.image)
    offset = good.labels["window"] + 4 - BASE
    patched[offset : offset + 4] = (0x100000EF).to_bytes(4, "little")  # jal ra, +0x100
    bad = replace(good, image=bytes(patched))
    machine = machine_with(bad, entry=entry)
    machine.write(BASE + offset + 0x100, (0x8067).to_bytes(4, "little"))
    machine.launch(launch_of(bad, entry=entry))
    machine.run()
    assert machine.findings.kinds() == {K.WRONG_DISPATCH_CALL, K.FETCH_OUTSIDE_IMAGE}


def test_warp_reused_after_a_tmc_that_ends_no_window() -> None:
    image = program("tmc zero")
    machine = machine_with(image, HardwareConfig(num_warps=1))
    machine.launch(launch_of(image, grid=(2, 1, 1)))
    machine.run()
    finding = next(iter(machine.findings))
    assert (finding.kind, len(machine.findings)) == (K.MALFORMED_WINDOW, 1)
    assert finding.pc == image.labels["kernel"] + 4 - 20


def test_image_of_another_generation() -> None:
    image = two_kernels(EntryGeneration.CTA_ENTRY)
    machine = machine_with(image, HardwareConfig(num_warps=1), EntryGeneration.S11)
    machine.launch(launch_of(image, grid=(2, 1, 1)))
    machine.run()
    assert machine.findings.kinds() == {K.WRONG_DISPATCH_CALL}, (
        "its last 16 bytes are a window of s11, its entry no stub"
    )
    machine = machine_with(image, HardwareConfig(num_warps=1), EntryGeneration.DIRECT)
    machine.launch(launch_of(image, grid=(2, 1, 1)))
    machine.run()
    assert K.MALFORMED_WINDOW in machine.findings.kinds()


# ------------------------------------------------------------------ faults and the log


def test_bus_fault_needs_an_address_outside_memory() -> None:
    config = HardwareConfig(xlen=64, stack_base_addr=0x1_FFFF_0000)
    for name, kind in (("ld", FaultKind.BUS_READ), ("sd", FaultKind.BUS_WRITE)):
        machine, warp = bare_warp(f"{name} a0, 0(a1)", config=config)
        warp.regs[11] = [OUT, 1 << 33, OUT, OUT]
        step = warp.step()
        assert step.fault is not None
        assert (step.fault.kind, step.fault.addr) == (kind, 1 << 33)
        assert machine.findings.kinds() == {K.BUS_FAULT}


def test_faults_end_the_warp_and_are_counted() -> None:
    image = program(".word 0xffffffff")
    machine = machine_with(image)
    machine.launch(launch_of(image, grid=(1, 1, 1), block=(16, 1, 1)))
    summary = machine.run()
    assert summary.faults == 4
    assert not machine.busy
    finding = next(iter(machine.findings))
    assert finding.kind.is_fault
    assert finding.count == 4


def test_join_of_different_places_is_found() -> None:
    kernel = """
        csrr t0, thread_id
        andi t0, t0, 1
        split s1, t0
        beqz t0, even
        join s1
        ret
    even:
        join s1
        ret
    """
    machine = run_kernel(kernel)
    finding = next(iter(machine.findings))
    assert finding.kind is K.DIFFERENT_JOINS
    assert "different JOINs" in finding.detail


def test_participants_that_disagree_on_their_number() -> None:
    kernel = "csrr t0, cta_rank\n addi t0, t0, 2\n bar zero, t0\n ret"
    image = program(kernel)
    machine = machine_with(image)
    machine.launch(launch_of(image, block=(8, 1, 1)))
    with pytest.raises(HangError, match="no warp can step"):
        machine.run()
    assert machine.findings.kinds() == {K.BARRIER_COUNT}


def test_log_counts_repetitions() -> None:
    log = FindingLog()
    for core in range(3):
        log.add(Finding(K.DIVERGENT_BRANCH, core, 0, 0x100, 1, "x"))
    log.add(Finding(K.DIVERGENT_BRANCH, 0, 0, 0x104, 1, "x"))
    assert [finding.count for finding in log] == [3, 1]
    assert "(3 times)" in str(next(iter(log)))
    log.clear()
    assert not log
