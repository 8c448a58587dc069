/* dst[i] = sum over the block of thread i of src[j] + j % 4 (j: thread index): a tree in local memory whose steps leave
 * out lanes by SPLIT and JOIN, nested twice; the remainder is added by a loop that lanes leave one by one (PRED).
 *
 * One-dimensional, the block a power of two, 4 bytes of local memory for each thread of the block. Argument block, 16
 * bytes: 0 src_addr u64, 8 dst_addr u64; int32_t arrays of grid * block elements.
 *
 * a2 block size, a3 thread index, a4 address of dst[i], a5 own value, a6 own word of local memory
 */

    .section .text.vx_kernel, "ax", @progbits
    .option norvc
    .globl lmem_tree
    .type lmem_tree, @function
    .p2align 2
lmem_tree:
    csrr    a1, 0xcd6
    csrr    a2, 0xcd9
    csrr    a3, 0xcd3
    mul     a1, a1, a2
    add     a1, a1, a3
    slli    a1, a1, 2
    lw      a4, 0(a0)
    add     a4, a4, a1
    lw      a5, 0(a4)
    lw      a4, 8(a0)
    add     a4, a4, a1
    csrr    a6, 0xcdf
    slli    a7, a3, 2
    add     a6, a6, a7

    csrr    t0, 0xcc4                           /* mask to come back to */
    andi    t1, a3, 3
1:  snez    t2, t1
    .insn   r 0x0B, 5, 0, x0, t2, t0            /* pred: lanes that have something left */
    beqz    t2, 2f
    addi    a5, a5, 1
    addi    t1, t1, -1
    j       1b
2:
    sw      a5, 0(a6)
    csrr    t3, 0xcd0                           /* barrier 0 of the slot */
    csrr    t4, 0xcd2
    .insn   r 0x0B, 4, 0, x0, t3, t4            /* bar */
    srli    t5, a2, 1                           /* distance */
3:  beqz    t5, 7f
    sltu    t0, a3, t5
    .insn   r 0x0B, 2, 0, t1, t0, x0            /* split: the lower half works */
    beqz    t0, 6f
    slli    a7, t5, 2
    add     a7, a7, a6
    lw      a7, 0(a7)
    andi    t2, a7, 1
    .insn   r 0x0B, 2, 0, t6, t2, x1            /* split.n: odd and even partners */
    bnez    t2, 4f
    add     a5, a5, a7
    j       5f
4:  sub     a5, a7, a5
    neg     a5, a5
    slli    a7, a7, 1
    add     a5, a5, a7
5:  .insn   r 0x0B, 3, 0, x0, t6, x0            /* join */
    sw      a5, 0(a6)
6:  .insn   r 0x0B, 3, 0, x0, t1, x0            /* join */
    .insn   r 0x0B, 4, 0, x0, t3, t4
    srli    t5, t5, 1
    j       3b
7:  csrr    a6, 0xcdf
    lw      a5, 0(a6)
    sw      a5, 0(a4)
    ret
    .size lmem_tree, . - lmem_tree
