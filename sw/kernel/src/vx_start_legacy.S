/* Entry of a legacy image, whose program is main() and whose warps software starts (docs/reference/vortex.md 6.4).
 *
 * One CTA a core arrives here, with any lanes; all warps get their registers, then lane 0 of warp 0 runs main. There is
 * no dispatch window, so a warp cannot be used for a second CTA: the host launches one CTA for each core.
 *
 * TMC takes its operand from the highest active lane, so every mask is loaded after all lanes that matter are active.
 */

#include "VX_types.h"

#define CSR_MHARTID 0xf14

.macro TMC mask
    li      t0, \mask
    .insn   r 0x0B, 0, 0, x0, t0, x0
.endm

/* Starts all other warps of this core at a label, once they have ended what they did before. */
.macro WSPAWN_ALL target
    csrr    t0, VX_CSR_NUM_WARPS
    lla     t1, \target
    .insn   r 0x0B, 1, 0, x0, t0, t1
.endm

    .option norvc
    .option norelax

    .section .init, "ax", @progbits
    .p2align 2
    .globl _start
    .type _start, @function
_start:
    WSPAWN_ALL init_regs_all
    TMC     -1
    jal     init_regs
    TMC     1
    WSPAWN_ALL init_tls_all
    TMC     -1
    call    __init_tls
    TMC     1
    call    __libc_init_array
    call    main
    j       exit
    .size _start, . - _start

    .type init_regs_all, @function
init_regs_all:
    TMC     -1
    jal     init_regs
    .insn   r 0x0B, 0, 0, x0, x0, x0            /* tmc x0 */
    .size init_regs_all, . - init_regs_all

    .type init_tls_all, @function
init_tls_all:
    TMC     -1
    call    __init_tls
    .insn   r 0x0B, 7, 0, x0, x0, x0            /* wsync */
    .insn   r 0x0B, 0, 0, x0, x0, x0            /* tmc x0 */
    .size init_tls_all, . - init_tls_all

/* gp, sp and tp of every active lane. */
    .type init_regs, @function
init_regs:
    la      gp, __global_pointer
    csrr    t1, CSR_MHARTID
#if __riscv_xlen == 64
    li      sp, (VX_MEM_STACK_BASE_ADDR) >> 32
    slli    sp, sp, 32
    li      t0, (VX_MEM_STACK_BASE_ADDR) & 0xffffffff
    or      sp, sp, t0
#else
    li      sp, VX_MEM_STACK_BASE_ADDR
#endif
    slli    t0, t1, VX_MEM_STACK_LOG2_SIZE
    sub     sp, sp, t0
    lui     t0, %hi(__tls_block_size)
    addi    t0, t0, %lo(__tls_block_size)
    la      tp, _end
    mul     t0, t0, t1
    add     tp, tp, t0
    ret
    .size init_regs, . - init_regs

/* Ends the program: the exit code for a stand-alone run, then this warp. */
    .globl exit
    .globl _Exit
    .type exit, @function
exit:
_Exit:
    li      t1, VX_MEM_IO_EXIT_CODE
    sw      a0, 0(t1)
    .insn   r 0x0B, 7, 0, x0, x0, x0            /* wsync: all stores are committed before the warp ends */
    .insn   r 0x0B, 0, 0, x0, x0, x0            /* tmc x0 */
    .size exit, . - exit
