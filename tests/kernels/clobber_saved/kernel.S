/* WRONG ON PURPOSE in generation s11: dst[i] = src[i] + 1, then every register that a called function should keep gets
 * another value, but for sp and ra. The convention of kernels allows it (docs/reference/vortex.md 6.2).
 *
 * Argument block, 16 bytes: 0 src_addr u64, 8 dst_addr u64; int32_t arrays of grid * block elements, one-dimensional.
 */

    .section .text.vx_kernel, "ax", @progbits
    .option norvc
    .globl clobber_saved
    .type clobber_saved, @function
    .p2align 2
clobber_saved:
    csrr    s0, 0xcd6                           /* block index, block size, thread index */
    csrr    s1, 0xcd9
    csrr    s2, 0xcd3
    mul     s0, s0, s1
    add     s0, s0, s2
    slli    s0, s0, 2
    lw      s3, 0(a0)
    lw      s4, 8(a0)
    add     s3, s3, s0
    add     s4, s4, s0
    lw      s5, 0(s3)
    addi    s5, s5, 1
    sw      s5, 0(s4)
    lui     s0, 0xdead0
    .irp    register, s1, s2, s3, s4, s5, s6, s7, s8, s9, s10, s11
    mv      \register, s0
    .endr
    ret
    .size clobber_saved, . - clobber_saved
