"""Small kernels for the follower's tests; each uses some of what a design can get wrong.

All are called with a0 = address of {input, output}; thread i of the grid works on word i.
"""

from __future__ import annotations

from golden_model import Launch
from tests.unit.fake_hardware import ARGS, BASE, Image

_INDEX = """
    lw a1, 0(a0)
    lw a2, 4(a0)
    csrr t0, cta_block_id_x
    csrr t1, cta_block_dim_x
    mul t0, t0, t1
    csrr t1, cta_thread_id_x
    add t0, t0, t1
    slli t0, t0, 2
    add a1, a1, t0
    add a2, a2, t0
"""

# Arithmetic with long latencies, a call that saves ra, and a spill of a register that was never written.
CALLS = f"""
kernel:
    addi sp, sp, -16
    sw ra, 0(sp)
    sw s2, 4(sp)
    {_INDEX}
    lw s2, 0(a1)
    jal ra, twice
    li t5, 7
product:
    mul t6, s2, t5
    divu t5, t6, t5
    add s2, t5, t6
store:
    sw s2, 0(a2)
    sb t6, 2(a2)
restore:
    lw s2, 4(sp)
    lw ra, 0(sp)
    addi sp, sp, 16
return:
    ret
twice:
    add s2, s2, s2
    ret
"""

# Nested divergence and a loop that lanes leave one by one.
DIVERGENT = f"""
kernel:
    {_INDEX}
    lw t2, 0(a1)
    andi t3, t2, 1
outer:
    split t4, t3
    beqz t3, even
    andi t5, t2, 2
    srli t5, t5, 1
    split t6, t5
    beqz t5, low
    addi t2, t2, 100
low:
inner_join:
    join t6
    slli t2, t2, 1
    j end
even:
    xori t2, t2, 85
end:
outer_join:
    join t4
    csrr s3, active_threads
    csrr s4, thread_id
    andi s4, s4, 3
loop:
    addi t2, t2, 3
    addi s4, s4, -1
    slti s5, s4, 0
    xori s5, s5, 1
    pred s5, s3
    bnez s5, loop
    sw t2, 0(a2)
    ret
"""

# Every thread gives a word to the thread in front of it, through local memory, twice.
EXCHANGE = f"""
kernel:
    {_INDEX}
    csrr s6, cta_lmem_addr
    csrr s7, cta_rank
    csrr s8, thread_id
    csrr t1, num_threads
    mul s7, s7, t1
    add s7, s7, s8
    slli t2, s7, 2
    add t2, t2, s6
    lw t3, 0(a1)
    csrr s9, cta_id
    csrr s10, cta_size
    li s5, 2
    csrr t5, cta_block_dim_x
again:
    div t4, t3, t5
to_lmem:
    sw t3, 0(t2)
barrier:
    bar s9, s10
    addi t6, s7, 1
    rem t6, t6, t5
    slli t6, t6, 2
    add t6, t6, s6
    lw t3, 0(t6)
    bar s9, s10
    add t3, t3, t4
    addi s5, s5, -1
    bnez s5, again
    sw t3, 0(a2)
    ret
"""

# Warps read and write one word without any order: the design decides who comes first.
RACE = f"""
kernel:
    {_INDEX}
    lw a3, 4(a0)
    li s5, 6
again:
    lw t2, 0(a3)
    csrr t3, warp_id
    add t2, t2, t3
    addi t2, t2, 1
    sw t2, 0(a3)
    addi s5, s5, -1
    bnez s5, again
    fence
    ret
"""

# Counters and the mask of active warps, which only the design knows.
COUNTERS = f"""
kernel:
    {_INDEX}
read_cycle:
    csrr t2, mcycle
    csrr t3, minstret
    lw t4, 0(a1)
    csrr t5, mcycle
    csrr t6, minstret
read_active:
    csrr s3, active_warps
    csrr s4, mcycleh
    sw t4, 0(a2)
    ret
"""

# One warp of each CTA meets an instruction that does not exist, while its loads are under way.
ILLEGAL = f"""
kernel:
    {_INDEX}
    lw t2, 0(a1)
    csrr t3, cta_rank
    bnez t3, good
bad:
    .word 0xffffffff
good:
    sw t2, 0(a2)
    ret
"""

# The same without the instruction that does not exist.
GOOD = ILLEGAL.replace(".word 0xffffffff", "nop")

# Every warp jumps to address 0, where nothing can be fetched, while its load is under way.
LOST = f"""
kernel:
    {_INDEX}
    lw t2, 0(a1)
    jalr zero, 0(zero)
"""

# A branch on which lanes disagree, without SPLIT.
UNSPLIT = f"""
kernel:
    {_INDEX}
    lw t2, 0(a1)
    andi t3, t2, 1
branch:
    beqz t3, skip
    addi t2, t2, 1
skip:
    sw t2, 0(a2)
    ret
"""

CLEAN = {
    "calls": CALLS,
    "divergent": DIVERGENT,
    "exchange": EXCHANGE,
    "race": RACE,
    "counters": COUNTERS,
}


def launch(image: Image, grid: int = 5, block: int = 11, lmem: int = 256) -> Launch:
    """A launch of the image's kernel."""
    return Launch(image.kernels["kernel"], BASE, ARGS, (grid, 1, 1), (block, 1, 1), lmem)
