"""Launches, barriers, hangs, faults and what a follower does with single warps."""

from __future__ import annotations

import pytest

from config import HardwareConfig
from golden_model import FindingKind, HangError, Launch, LaunchError, LimitError, Machine, StepError
from golden_model.barrier import BarrierUnit
from golden_model.records.layout import BarrierOp, FaultKind, RegisterFile
from tests.unit.golden_program import ARGS, BASE, OUT, bare_warp, launch_of, machine_with, program, run_kernel, words

# ------------------------------------------------------------------ launches that are refused


@pytest.mark.parametrize(
    ("launch", "part"),
    [
        (Launch(BASE, BASE, grid=(0, 1, 1)), "grid x=0"),
        (Launch(BASE, BASE, grid=(1, 1 << 32, 1)), "grid y=4294967296"),
        (Launch(BASE, BASE, block=(4, 0, 1)), "block y=0"),
        (Launch(BASE, BASE, cluster=(1, 1, 0)), "cluster z=0"),
        (Launch(BASE, BASE, block=(17, 1, 1)), "block 17x1x1 has 17 threads, but a core has only 16"),
        (Launch(BASE, BASE, block=(3, 3, 2)), "block 3x3x2 has 18 threads"),
        (Launch(BASE, BASE, grid=(3, 1, 1), cluster=(2, 1, 1)), "grid x=3 is not a multiple of cluster x=2"),
        (Launch(BASE, BASE, lmem=16385), "16385 bytes of local memory, but a core has 16384"),
        (Launch(BASE, BASE, lmem=-1), "-1 bytes of local memory"),
        (Launch(BASE, BASE, grid=(8, 1, 1), cluster=(8, 1, 1)), "has 8 blocks that must run on one core"),
        (Launch(BASE, BASE, grid=(4, 1, 1), cluster=(4, 1, 1), lmem=5000), "room for 3 of them"),
    ],
)
def test_bad_launches(launch: Launch, part: str) -> None:
    machine = Machine(HardwareConfig())
    with pytest.raises(LaunchError) as caught:
        machine.launch(launch)
    assert part in str(caught.value)
    assert machine.kmu.read(0x010) is None, "nothing was written"
    assert not machine.busy


def test_start_while_running() -> None:
    image = program("ret")
    machine = machine_with(image)
    machine.launch(launch_of(image))
    with pytest.raises(LaunchError, match="still running"):
        machine.start()
    machine.run()
    machine.start()
    assert machine.launch_id == 2


def test_reads_that_nobody_answers() -> None:
    machine = Machine(HardwareConfig())
    assert machine.dcr_read(0x000, 0) == 0
    for addr, tag in ((0x010, 0), (0x000, 1), (0x001, 5)):
        with pytest.raises(LaunchError, match="nobody answers"):
            machine.dcr_read(addr, tag)


def test_kernels_of_a_replaced_image_are_forgotten() -> None:
    first, second = program("li t0, 1\n sw t0, 0(a0)\n ret"), program("nop\n li t0, 2\n sw t0, 0(a0)\n ret")
    machine = machine_with(first)
    machine.launch(launch_of(first))
    machine.run()
    machine.load_image(second)
    machine.launch(launch_of(second))
    machine.run()
    assert words(machine, 1) == [2]
    machine.unload_image(BASE)
    machine.launch(launch_of(second))
    machine.run()
    assert machine.findings.kinds() == {FindingKind.FETCH_OUTSIDE_IMAGE}


def test_image_is_followed_by_zeros() -> None:
    machine = Machine(HardwareConfig())
    image = program("ret")
    machine.write(BASE, b"\xff" * 0x1000)
    machine.load_image(image)
    end = BASE + len(image.image)
    assert machine.read(end, image.max_vma - end + 1) == bytes(image.max_vma - end) + b"\xff"
    assert machine.memory.undefined(BASE, image.max_vma - BASE) == bytes(image.max_vma - BASE)


# ------------------------------------------------------------------ barriers

EXCHANGE = """
    csrr t0, cta_thread_id_x
    csrr t1, cta_lmem_addr
    slli t2, t0, 2
    add t2, t2, t1
    addi t3, t0, 100
    sw t3, 0(t2)              # own word of local memory
    csrr t4, cta_id
    csrr t5, cta_size
    bar t4, t5
    csrr t6, cta_block_dim_x
    addi t6, t6, -1
    sub t6, t6, t0
    slli t6, t6, 2
    add t6, t6, t1
    lw t3, 0(t6)              # the word of the thread opposite
    csrr t6, cta_block_id_x
    csrr t5, cta_block_dim_x
    mul t6, t6, t5
    add t6, t6, t0
    slli t6, t6, 2
    add t6, t6, a0
    sw t3, 0(t6)
    ret
"""


@pytest.mark.parametrize("seed", [None, *range(8)])
@pytest.mark.parametrize("block", [4, 8, 11, 16])
def test_threads_exchange_values_over_a_barrier(block: int, seed: int | None) -> None:
    image = program(EXCHANGE)
    machine = machine_with(image, HardwareConfig(num_cores=2))
    machine.launch(launch_of(image, grid=(5, 1, 1), block=(block, 1, 1), lmem=4 * block))
    machine.run(50_000, seed)
    assert words(machine, 5 * block) == [100 + block - 1 - i for i in range(block)] * 5
    assert not machine.findings


def test_b3_phases() -> None:
    """Appendix B.3 with the synchronous form: w0 waits, w1 completes the phase and releases both."""
    unit = BarrierUnit(HardwareConfig())
    first = unit.sync(0, 0, 2)
    assert (first.op, first.phase, first.released) == (BarrierOp.SYNC, 0, 0)
    assert unit.sync(1, 0, 2).released == 0b11
    assert unit.entry(0).phase == 1
    assert unit.sync(1, 0, 2).phase == 1
    assert unit.sync(0, 0, 2).released == 0b11
    assert unit.entry(0).phase == 0
    assert unit.sync(3, 0, 1).released == 0b1000, "alone"


def test_every_barrier_has_its_own_state() -> None:
    unit = BarrierUnit(HardwareConfig())
    for slot in range(4):
        for number in range(8):
            assert unit.sync(slot, slot | number << 8, 2).released == 0
    assert all(entry.count == 1 for entry in unit.entries)
    assert unit.sync(0, 3 | 7 << 8, 2).released == 0b1001
    assert unit.entry(3 | 7 << 8) is unit.entry(7 | 15 << 8), "out-of-range fields wrap"


def test_a_waiting_warp_is_blocked() -> None:
    image = program("csrr t0, cta_size\n bar zero, t0\n ret", prologue="_start:\n")
    machine = machine_with(image)
    machine.launch(launch_of(image, block=(8, 1, 1)))
    machine.accept_cta(0)
    core = machine.cores[0]
    for _ in range(2):
        core.start_warp()
    first, second = core.warps[:2]
    for _ in range(5):
        step = first.step()
    assert step.barrier is not None
    assert (step.barrier.id, step.barrier.count, step.barrier.released) == (0, 2, 0)
    assert first.blocked
    with pytest.raises(StepError, match="suspended at a barrier"):
        first.step()
    for _ in range(5):
        step = second.step()
    assert step.barrier is not None
    assert step.barrier.released == 0b11
    assert not first.blocked
    assert not second.blocked
    assert first.step().name == "jalr"


@pytest.mark.parametrize(
    ("source", "part"), [("bar a0, a1", "at least one participant"), ("bar a2, a3", "across cores")]
)
def test_barriers_that_do_not_exist_are_illegal(source: str, part: str) -> None:
    _, warp = bare_warp(source, config=HardwareConfig(ext_simt_full=False))
    warp.regs[12], warp.regs[13] = [1 << 31] * 4, [1] * 4
    step = warp.step()
    assert step.fault is not None
    assert step.fault.kind is FaultKind.ILLEGAL_INSTRUCTION
    assert part in step.fault.detail
    assert step.barrier is None


# ------------------------------------------------------------------ hangs


def test_hang_says_who_waits_where() -> None:
    image = program("csrr t0, cta_rank\n beqz t0, out\n li t1, 3\n bar zero, t1\nout: ret")
    machine = machine_with(image)
    machine.launch(launch_of(image, block=(12, 1, 1)))
    with pytest.raises(HangError) as caught:
        machine.run()
    text = str(caught.value)
    assert "launch 1: no warp can step" in text
    assert "core 0 warp 1: CTA (0, 0, 0) rank 1" in text
    assert text.count("suspended at barrier 0 of CTA slot 0 (phase 0, 2 of 3 warps arrived)") == 2
    assert f"pc {image.labels['out'] - 4:#x}" in text


def test_hang_before_dispatch_names_the_cta() -> None:
    image = program("csrr t1, cta_id\n li t0, 2\n bar t1, t0\n ret")
    machine = machine_with(image)
    machine.launch(launch_of(image, grid=(5, 1, 1), block=(4, 1, 1)))
    with pytest.raises(HangError, match=r"CTA \(4, 0, 0\) waits for a core with a free slot"):
        machine.run()


def test_endless_loop_ends_at_the_limit() -> None:
    image = program("x: j x")
    machine = machine_with(image)
    machine.launch(launch_of(image))
    with pytest.raises(LimitError, match=r"still running after 100 warp instructions(.|\n)*next jal zero"):
        machine.run(100)


def test_an_inactive_warp_cannot_step() -> None:
    machine = Machine(HardwareConfig())
    with pytest.raises(StepError, match="it is inactive"):
        machine.cores[0].warps[0].step()


# ------------------------------------------------------------------ steps


def test_uids_are_gap_free_over_launches() -> None:
    image = program("nop\n ret")
    machine = machine_with(image)
    warp = machine.cores[0].warps[0]
    uids = []
    for _ in range(2):
        machine.launch(launch_of(image))
        machine.accept_cta(0)
        machine.cores[0].start_warp()
        while warp.active:
            step = warp.step()
            uids.append(step.uid)
        assert step.launch == machine.launch_id
    assert uids == list(range(len(uids)))
    assert machine.cores[0].minstret == len(uids)


def test_what_could_not_be_fetched_is_no_instruction() -> None:
    machine, warp = bare_warp("jr zero")
    warp.step()
    step = warp.step()
    assert step.fault is not None
    assert (step.name, step.instr, step.uid, step.fault.kind, step.fault.addr) == ("fetch", 0, 1, FaultKind.FETCH, 0)
    assert (warp.uid, machine.cores[0].minstret) == (1, 1)
    assert step.warp_ended


def test_illegal_instruction_is_one_that_counts() -> None:
    machine, warp = bare_warp(".word 0")
    step = warp.step()
    assert (step.name, step.fault is not None, warp.uid, machine.cores[0].minstret) == ("illegal", True, 1, 1)


@pytest.mark.parametrize("offset", [0, 1, 2, 3])
def test_jalr_clears_both_low_bits(offset: int) -> None:
    _, warp = bare_warp("jalr ra, 0(a1)", mask=0b0110)
    warp.regs[1] = [5] * 4
    warp.regs[11] = [0, BASE + 8 + offset, BASE + 8 + offset, 1]
    step = warp.step()
    assert step.next_pc == warp.pc == BASE + 8
    assert step.is_control
    assert warp.regs[1] == [5, BASE + 4, BASE + 4, 5]


@pytest.mark.parametrize("source", ["jal zero, 10", "beq zero, zero, 10"])
def test_all_targets_lose_the_low_bits(source: str) -> None:
    _, warp = bare_warp(source)
    step = warp.step()
    assert step.next_pc == warp.pc == BASE + 8


@pytest.mark.parametrize("mask", range(1, 16))
def test_the_last_active_lane_decides(mask: int) -> None:
    last = mask.bit_length() - 1
    for value in (0, 1):
        machine, warp = bare_warp("bnez a1, x\nnop\nnop\nx: nop", mask)
        warp.regs[11] = [1 - value] * 4
        warp.regs[11][last] = value
        step = warp.step()
        assert step.next_pc == (BASE + 12 if value else BASE + 4)
        alone = mask == 1 << last
        assert machine.findings.kinds() == (set() if alone else {FindingKind.DIVERGENT_BRANCH})


def test_adopting_undefined_values() -> None:
    machine, warp = bare_warp("mv a0, s5\nsw a0, 0(a1)\nlw a2, 0(a1)")
    warp.undef[21] = 0b0010
    warp.regs[11] = [0x5000, 0x5004, 0x5008, 0x500C]
    step = warp.step()
    assert step.undefined == 0b0010
    warp.adopt(RegisterFile.INTEGER, 10, 1, 0xABCD)
    assert warp.undef[10] == 0b0010
    with pytest.raises(StepError, match="is defined in the model"):
        warp.adopt(RegisterFile.INTEGER, 10, 0, 1)
    store = warp.step()
    assert store.memory is not None
    assert (store.memory.undefined, store.memory.data[1]) == (0b0010, 0xABCD)
    warp.adopt_store(store, 1, 0x1234)
    with pytest.raises(StepError, match="nothing can be adopted"):
        warp.adopt_store(store, 0, 1)
    load = warp.step()
    assert (load.result[1], load.undefined) == (0x1234, 0b0010)
    assert not machine.findings


def test_run_is_deterministic_for_a_seed() -> None:
    def trace(seed: int) -> list[int]:
        image = program(EXCHANGE)
        machine = machine_with(image, HardwareConfig(num_cores=2))
        machine.launch(launch_of(image, grid=(6, 1, 1), block=(8, 1, 1), lmem=64))
        machine.run(50_000, seed)
        return [warp.uid for core in machine.cores for warp in core.warps]

    assert trace(1) == trace(1)
    assert any(trace(seed) != trace(1) for seed in range(2, 6))


def test_counts_of_a_run() -> None:
    machine = Machine(HardwareConfig())
    image = program("ret", prologue="_start:\n")
    machine.load_image(image)
    machine.launch(launch_of(image, grid=(2, 1, 1), block=(6, 1, 1)))
    summary = machine.run()
    assert (summary.ctas, summary.warps, summary.warp_instructions, summary.thread_instructions) == (2, 4, 24, 72)
    assert machine.cores[0].minstret == 24


def test_a_store_to_code_is_seen_by_the_next_fetch() -> None:
    """Not supported by hardware; the model at least does not execute what is no longer there."""
    machine, warp = bare_warp("sw a0, 0(a1)\nnop\nnop")
    machine.code.fetch(BASE + 4)
    warp.regs[10], warp.regs[11] = [0x00500613] * 4, [BASE + 4] * 4
    warp.step()
    assert warp.step().rd == 12


def test_arguments_reach_the_kernel_through_mscratch() -> None:
    image = program("lw t0, 0(a0)\n lw t1, 4(a0)\n sw t1, 0(t0)\n ret")
    machine = machine_with(image)
    machine.write(ARGS, OUT.to_bytes(4, "little") + (77).to_bytes(4, "little"))
    machine.launch(Launch(image.kernels["k"], BASE, ARGS, (1, 1, 1), (4, 1, 1)))
    machine.run()
    assert words(machine, 1) == [77]


def test_eight_warps_of_eight_lanes() -> None:
    machine = run_kernel(
        "csrr t0, mhartid\n slli t1, t0, 2\n add t1, t1, a0\n sw t0, 0(t1)\n ret",
        HardwareConfig(num_warps=8, num_threads=8),
        block=(64, 1, 1),
    )
    assert words(machine, 64) == list(range(64))
