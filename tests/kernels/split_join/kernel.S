/* dst[i] = 3 * src[i] in odd threads, src[i] + 1 in even ones, with SPLIT and JOIN written by hand.
 *
 * Argument block, 16 bytes: 0 src_addr u64, 8 dst_addr u64; int32_t arrays of grid * block elements, one-dimensional.
 */

    .section .text.vx_kernel, "ax", @progbits
    .option norvc
    .globl split_join
    .type split_join, @function
    .p2align 2
split_join:
    csrr    a1, 0xcd6                           /* block index, block size, thread index */
    csrr    a2, 0xcd9
    csrr    a3, 0xcd3
    mul     a1, a1, a2
    add     a1, a1, a3
    slli    a1, a1, 2
    lw      a4, 0(a0)
    add     a4, a4, a1
    lw      a5, 0(a4)
    lw      a6, 8(a0)
    add     a6, a6, a1
    andi    t0, a3, 1
    .insn   r 0x0B, 2, 0, t1, t0, x0            /* split t1, t0 */
    beqz    t0, 1f
    slli    a7, a5, 1
    add     a5, a7, a5
    j       2f
1:  addi    a5, a5, 1
2:  .insn   r 0x0B, 3, 0, x0, t1, x0            /* join t1 */
    sw      a5, 0(a6)
    ret
    .size split_join, . - split_join
