"""The diagnosis on both tiers: random kernels with every check find the same, in the same words and counts."""

from __future__ import annotations

from dataclasses import replace

import pytest

from config import HardwareConfig
from golden_model import Machine
from golden_model.diagnosis import Check, Diagnosis
from tests.unit.golden_tiers import both_tiers, fuzz_case, needs_compiler

pytestmark = needs_compiler
FULL = HardwareConfig(ext_packed=True)
SHAPES = (FULL, replace(FULL, num_cores=2, num_threads=8), replace(FULL, num_threads=2))


def all_checks(machine: Machine) -> None:
    machine.diagnosis = Diagnosis(machine, Check)


def test_random_kernels() -> None:
    """Six kernels, which have findings of many kinds: the comparison would be worth nothing without."""
    kinds: set[str] = set()
    for seed in range(200, 206):
        kinds |= {text.partition(":")[0] for text in fuzz_case(seed, SHAPES[seed % 3], all_checks).findings}
    assert {"race-cta", "out-of-bounds", "undefined-branch"} <= kinds


def test_64_bit() -> None:
    fuzz_case(300, replace(FULL, xlen=64, flen=64), all_checks)


# Words that are accessed whole, in halves and in bytes, by warps and blocks that know nothing of each other.
MIXED = """
    csrr t0, cta_thread_id_x
    slli t1, t0, {shift}
    add t1, t1, a0
    sw t0, 0(t1)
    lhu t2, 2(t1)
    lbu t3, 5(a0)
    sb t0, 6(t1)
    sh t2, 8(a0)
    lw t4, 4(t1)
    csrr t4, cta_id
    csrr t5, cta_size
    bar t4, t5
    lw t2, 8(a0)
    lbu t2, 9(a0)
    sw t2, 4(t1)
    {again}
    ret
"""
FLAGS = """
    csrr t0, cta_rank
    beqz t0, w
r:  lw t1, 0(a0)
    beqz t1, r
    fence
    lw t2, 4(a0)
    lw t2, 8(a0)
    sw t2, 12(a0)
    j x
w:  li t1, 1
    sw t1, 4(a0)
    fence
    sw t1, 0(a0)
    sw t1, 8(a0)
x:  ret
"""


@pytest.mark.parametrize("shift", [2, 1, 3])
@pytest.mark.parametrize("cores", [1, 2])
def test_accesses_of_different_sizes(shift: int, cores: int) -> None:
    kernel = MIXED.format(shift=shift, again="amoadd.w t2, t0, (a0)")
    config = replace(FULL, num_cores=cores)
    found = both_tiers(kernel, config, grid=5, block=8, prepare=all_checks).findings
    assert any(text.startswith("race-") or "misaligned" in text for text in found)


@pytest.mark.parametrize("seed", [None, 1, 2])
def test_flags_and_fences(seed: int | None) -> None:
    found = both_tiers(FLAGS, grid=3, block=8, prepare=all_checks, seed=seed).findings
    assert any(text.startswith("race-") for text in found)


def test_many_launches_start_over() -> None:
    """What an earlier launch did is ordered before the next; a second launch finds the same as the first."""
    kernel = "csrr t0, cta_thread_id_x\n slli t0, t0, 2\n add t0, t0, a0\n sw t0, 0(t0)\n ret"
    assert both_tiers(kernel, grid=1, block=16, launches=4, prepare=all_checks).findings == []
    counts = [both_tiers(kernel, grid=2, block=16, launches=n, prepare=all_checks).findings for n in (1, 3)]
    assert "(4 times)" in counts[0][0]
    assert counts[1][0].replace("(12 times)", "(4 times)") == counts[0][0]


def test_memory_of_a_hart_passes_from_block_to_block() -> None:
    """A kernel that asks for its hart may keep memory for it: blocks on one hart follow each other. One that does not
    ask cannot mean that, although it may happen to run there."""
    by_thread = "csrr t0, cta_thread_id_x\n slli t0, t0, 2\n add t0, t0, a0\n sw t0, 0(t0)\n ret"
    by_hart = by_thread.replace("cta_thread_id_x", "mhartid")
    assert both_tiers(by_hart, grid=5, block=16, prepare=all_checks).findings == []
    assert both_tiers(by_thread, grid=5, block=16, prepare=all_checks).findings
    assert both_tiers("lw t1, 4(a0)\n" + by_hart, grid=5, block=16, prepare=all_checks).findings


def test_the_compiled_tier_keeps_up_with_stored_code() -> None:
    kernel = """
    lla t0, there
    li t1, 0x13
    li t2, 3
again:
    sw t1, 0(t0)
there: nop
    addi t2, t2, -1
    bnez t2, again
    ret
    """
    found = both_tiers(kernel, grid=1, block=4, prepare=all_checks).findings
    assert [text.partition(":")[0] for text in found] == ["self-modifying-code"]
    assert "(3 times)" in found[0]
