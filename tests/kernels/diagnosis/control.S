/* Divergence and hangs; names in brackets mark the lines that tests assert. a0 = address of a zeroed word (u64).
 *
 * The assembler gives `.insn` no line of its own: it belongs to that of the instruction before, where the name stands.
 */

    .option norvc

    .macro  kernel name
    .section .text.vx_kernel, "ax", @progbits
    .globl  \name
    .type   \name, @function
    .p2align 2
\name:
    csrr    t0, 0xcc0
    andi    t0, t0, 1
    lw      a1, 0(a0)
    .endm

    .macro  split rd, rs
    .insn   r 0x0B, 2, 0, \rd, \rs, x0
    .endm

    .macro  join rs
    .insn   r 0x0B, 3, 0, x0, \rs, x0
    .endm

    kernel  divergent_branch
    beqz    t0, 1f                              /* [divergent branch] */
    nop
1:  ret
    .size   divergent_branch, . - divergent_branch

    kernel  different_joins
    split   t1, t0
    beqz    t0, 1f
    nop                                         /* [first join] */
    join    t1
    ret
1:  nop                                         /* [second join] */
    join    t1
    ret
    .size   different_joins, . - different_joins

    kernel  unbalanced_join
    split   t1, t0
    beqz    t0, 1f
    nop
1:  join    t1
    addi    t1, t1, 1                           /* [unbalanced join] */
    join    t1
    ret
    .size   unbalanced_join, . - unbalanced_join

    kernel  open_split
    split   t1, t0
    nop                                         /* [open split] */
    .insn   r 0x0B, 0, 0, x0, x0, x0
    .size   open_split, . - open_split

    kernel  overflow
    li      t2, -1
1:  nop                                         /* [overflow] */
    split   t1, t0
    .insn   r 0x0B, 0, 0, x0, t2, x0
    j       1b
    .size   overflow, . - overflow

    /* Lane 3 takes the lock and waits at the JOIN, where it never gives it back to those that spin. */
    kernel  spin
    csrr    t0, 0xcc0
    li      t2, 3
    xor     t0, t0, t2
    seqz    t0, t0
    split   t1, t0
    beqz    t0, 1f
    li      t3, 1
    sw      t3, 0(a1)
    j       2f
1:  lw      t4, 0(a1)                           /* [spin load] */
    bnez    t4, 1b
2:  nop                                         /* [spin join] */
    join    t1
    sw      zero, 0(a1)
    ret
    .size   spin, . - spin

    /* The first warp of a block waits for two, the second has nothing to do. */
    kernel  deadlock
    csrr    t0, 0xcd1
    bnez    t0, 1f
    csrr    t1, 0xcd0
    li      t2, 2                               /* [deadlock] */
    .insn   r 0x0B, 4, 0, x0, t1, t2
1:  ret
    .size   deadlock, . - deadlock

    /* Both warps wait, at barriers of different numbers. */
    kernel  crossed
    csrr    t0, 0xcd1
    csrr    t1, 0xcd0
    li      t2, 2
    bnez    t0, 1f                              /* [crossed 0] */
    .insn   r 0x0B, 4, 0, x0, t1, t2
    ret
1:  addi    t1, t1, 256                         /* [crossed 1] */
    .insn   r 0x0B, 4, 0, x0, t1, t2
    ret
    .size   crossed, . - crossed
