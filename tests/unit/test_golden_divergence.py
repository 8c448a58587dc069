"""SPLIT, JOIN, PRED and TMC: every mask and predicate of four lanes against the text of docs/reference §2.3 to §2.6."""

from __future__ import annotations

import pytest

from config import HardwareConfig
from golden_model import FindingKind
from golden_model.records.layout import IpdomOp
from golden_model.step import Step
from tests.unit.golden_program import BASE, bare_warp, launch_of, program, run_kernel, words

ALL_MASKS = range(1, 16)
ALL_PREDICATES = range(16)


def lanes(mask: int, count: int = 4) -> list[int]:
    return [mask >> i & 1 for i in range(count)]


def noisy(mask: int, count: int = 4) -> list[int]:
    """Predicate values of which only bit 0 may count."""
    return [(0xABC0 + 2 * i) | bit for i, bit in enumerate(lanes(mask, count))]


def fewer(then: int, other: int) -> int:
    """The side that runs first: fewer lanes, then-side on a tie."""
    return then if bin(then).count("1") <= bin(other).count("1") else other


@pytest.mark.parametrize("negated", [False, True])
@pytest.mark.parametrize("mask", ALL_MASKS)
def test_split_and_join(mask: int, negated: bool) -> None:
    for predicate in ALL_PREDICATES:
        name = "split.n" if negated else "split"
        machine, warp = bare_warp(f"{name} a2, a0\nnop\njoin a2\nnop", mask)
        warp.regs[10] = noisy(predicate)
        warp.regs[12] = [77] * 4
        then = mask & (~predicate if negated else predicate)
        other = mask & ~then
        step = warp.step()
        assert step.is_control
        assert step.next_pc == BASE + 4
        assert step.wmask == mask
        assert all(step.result[i] == 0 for i in range(4) if mask >> i & 1)
        assert all(warp.regs[12][i] == 77 for i in range(4) if not mask >> i & 1)
        if not then or not other:
            assert step.next_mask == warp.tmask == mask
            assert step.ipdom is None
            assert len(warp.ipdom) == 0
            warp.step()
            step = warp.step()
            assert (step.next_mask, step.next_pc, step.ipdom) == (mask, BASE + 12, None)
            continue
        first = fewer(then, other)
        assert step.next_mask == warp.tmask == first
        assert step.ipdom is not None
        assert (step.ipdom.op, step.ipdom.sp, step.ipdom.mask, step.ipdom.pc) == (IpdomOp.PUSH, 0, mask, BASE + 4)
        warp.step()
        flip = warp.step()
        assert (flip.next_mask, flip.next_pc) == (mask & ~first, BASE + 4)
        assert flip.ipdom is not None
        assert (flip.ipdom.op, flip.ipdom.sp, flip.ipdom.mask, flip.ipdom.pc) == (IpdomOp.FLIP, 1, mask, BASE + 4)
        assert warp.step().tmask == mask & ~first
        pop = warp.step()
        assert (pop.next_mask, pop.next_pc) == (mask, BASE + 12)
        assert pop.ipdom is not None
        assert (pop.ipdom.op, pop.ipdom.sp) == (IpdomOp.POP, 1)
        assert len(warp.ipdom) == 0
        assert not machine.findings


@pytest.mark.parametrize("negated", [False, True])
@pytest.mark.parametrize("mask", ALL_MASKS)
def test_pred(mask: int, negated: bool) -> None:
    for predicate in ALL_PREDICATES:
        machine, warp = bare_warp(("pred.n" if negated else "pred") + " a0, a1\nnop", mask)
        warp.regs[10] = noisy(predicate)
        warp.regs[11] = [0xFFFFFFF1, 0xFFFFFFF2, 0xFFFFFFF4, 0xFFFFFFF8]
        before = [register.copy() for register in warp.regs]
        then = mask & (~predicate if negated else predicate)
        step = warp.step()
        last = mask.bit_length() - 1
        assert step.next_mask == warp.tmask == (then or 1 << last), "restore mask comes from the last active lane"
        assert step.next_pc == BASE + 4
        assert step.wmask == 0
        assert warp.regs == before, "the rd field of PRED is no destination"
        assert not machine.findings


@pytest.mark.parametrize("mask", ALL_MASKS)
def test_tmc_takes_the_last_active_lane(mask: int) -> None:
    _, warp = bare_warp("tmc a0\nnop", mask)
    warp.regs[10] = [0xF1, 0xF2, 0xF3, 0xF5]
    step = warp.step()
    assert step.next_mask == warp.tmask == [1, 2, 3, 5][mask.bit_length() - 1]
    assert step.is_control


def test_tmc_of_zero_ends_the_warp() -> None:
    _, warp = bare_warp("nop\ntmc zero\nnop")
    warp.step()
    step = warp.step()
    assert (step.next_mask, step.warp_ended, step.retired_slot) == (0, True, 0)
    assert not warp.active
    assert warp.pc == BASE + 8, "the address after the TMC, from which the rewind counts"


def test_pred_with_an_empty_restore_mask_ends_the_warp() -> None:
    _, warp = bare_warp("pred zero, zero\nnop")
    step = warp.step()
    assert step.warp_ended
    assert not warp.active


def test_b1_example() -> None:
    """Appendix B.1: lanes 0, 1, 2 true; lane 3 runs the else path first."""
    kernel = """
        csrr t0, thread_id
        slli t2, t0, 2
        add t2, t2, a0
        sltiu t1, t0, 3
        split s5, t1
        beqz t1, otherwise
        addi t3, t0, 100
        j end
    otherwise:
        addi t3, t0, 200
    end:
        join s5
        sw t3, 0(t2)
        ret
    """
    machine = run_kernel(kernel)
    assert words(machine, 4) == [100, 101, 102, 203]
    assert not machine.findings


def test_nesting_of_depth_three_on_four_lanes() -> None:
    """Each level takes one lane away; every lane stores its own number of levels."""
    kernel = """
        csrr t0, thread_id
        slli t2, t0, 2
        add t2, t2, a0
        li t6, 0
        sltiu t1, t0, 3
        split s1, t1
        beqz t1, end1
        addi t6, t6, 1
        sltiu t3, t0, 2
        split s2, t3
        beqz t3, end2
        addi t6, t6, 1
        sltiu t4, t0, 1
        split s3, t4
        beqz t4, end3
        addi t6, t6, 1
    end3:
        join s3
    end2:
        join s2
    end1:
        join s1
        sw t6, 0(t2)
        ret
    """
    machine = run_kernel(kernel)
    assert words(machine, 4) == [3, 2, 1, 0]
    assert not machine.findings


def test_stack_pointer_counts_open_splits() -> None:
    _, warp = bare_warp("split s1, a0\nsplit s2, a1\nsplit s3, a2")
    warp.regs[10], warp.regs[11], warp.regs[12] = [0, 0, 1, 1], [0, 1, 0, 1], [1, 1, 1, 1]
    results = [warp.step() for _ in range(3)]
    assert [step.result[warp.last] for step in results] == [0, 1, 2]
    assert results[2].ipdom is None
    assert len(warp.ipdom) == 2


def test_b2_loop() -> None:
    """Appendix B.2: lanes leave after 1, 2, 3, 3 iterations; all leave the loop together."""
    kernel = """
        csrr t0, thread_id
        slli t2, t0, 2
        add t2, t2, a0
        sltiu t3, t0, 3
        add t3, t3, t0       # iterations: 1 2 3 3
        li t6, 0
        csrr s2, active_threads
    loop:
        addi t6, t6, 1
        sltu t1, t6, t3
        pred t1, s2
        bnez t1, loop
        sw t6, 0(t2)
        ret
    """
    machine = run_kernel(kernel)
    assert words(machine, 4) == [1, 2, 3, 3]
    assert not machine.findings


def test_b2_masks() -> None:
    _, warp = bare_warp("loop: addi t0, t0, 1\nsltu t1, t0, t2\npred t1, s2\nbnez t1, loop\nnop")
    warp.regs[7] = [1, 2, 3, 3]
    warp.regs[18] = [0xF] * 4
    masks: list[int] = []
    step: Step | None = None
    while step is None or step.pc != BASE + 16:
        step = warp.step()
        if step.name == "pred":
            masks.append(step.next_mask)
    assert masks == [0b1110, 0b1100, 0b1111]


def test_one_lane_never_diverges() -> None:
    config = HardwareConfig(num_threads=1)
    _, warp = bare_warp("split a2, a0\njoin a1\nnop", mask=1, config=config)
    warp.regs[11] = [5]
    split, join = warp.step(), warp.step()
    assert split.result == [0]
    assert split.ipdom is None
    assert (join.ipdom, join.next_pc) == (None, BASE + 8), "JOIN is a no-op with one lane"


def test_stack_is_cleared_when_a_warp_starts_again() -> None:
    machine = run_kernel("csrr t0, thread_id\nandi t0, t0, 1\nsplit s1, t0\ntmc zero")
    assert machine.findings.kinds() == {FindingKind.IPDOM_NOT_EMPTY}
    warp = machine.cores[0].warps[0]
    assert len(warp.ipdom) == 1
    image = program("ret")
    machine.load_image(image)
    machine.launch(launch_of(image))
    machine.accept_cta(0)
    machine.cores[0].start_warp(0)
    assert len(warp.ipdom) == 0
