/* Entry of every image: prologue, then the dispatch window (docs/reference/vortex.md 5.7, 6.2, 6.3, 12.1).
 *
 * One of these defines selects the entry generation; its window is re-entered by hardware when a warp is reused, at the
 * address after its `tmc x0` minus the size of the window, so size and content are fixed to the byte:
 *
 *   VX_ENTRY_CTA_ENTRY  20 bytes  csrr s11, CTA_ENTRY; csrr a0, MSCRATCH; jalr s11; wsync; tmc x0
 *   VX_ENTRY_S11        16 bytes  csrr a0, MSCRATCH; jalr s11; wsync; tmc x0     (a stub per kernel has set s11)
 *   VX_ENTRY_DIRECT     12 bytes  csrr a0, MSCRATCH; jal kernel_main; tmc x0
 *
 * The prologue runs once a launch for each warp, with ALL lanes active: a lane that is idle in the warp's first CTA
 * may be used by a later one, which starts at the window. A register written before `tmc -1` exists only in the lanes
 * that were active, and TMC takes its operand from the highest active lane, which afterwards may be one of the
 * others. So whatever must survive is passed through CSRs of the warp, which every lane can read: the mask through
 * MTVAL and, in generation s11, the kernel's address through MEPC. Constructors run in idle lanes too.
 */

#include "VX_types.h"

#if defined(VX_ENTRY_CTA_ENTRY) + defined(VX_ENTRY_S11) + defined(VX_ENTRY_DIRECT) != 1
#error "define exactly one of VX_ENTRY_CTA_ENTRY, VX_ENTRY_S11, VX_ENTRY_DIRECT"
#endif

#define CSR_MSCRATCH 0x340
#define CSR_MEPC     0x341
#define CSR_MTVAL    0x343
#define CSR_MHARTID  0xf14

    /* Exact sizes: no compressed instructions, no linker relaxation. */
    .option norvc
    .option norelax

    .section .init, "ax", @progbits
    .p2align 2
    .globl _start
    .type _start, @function
_start:
#if defined(VX_ENTRY_S11)
    /* An image whose kernels all have stubs has no kernel_main: s11 is 0 then, and the fetch at 0 is an error. */
    .weak kernel_main
    lla     s11, kernel_main
    j       __vx_cta_entry
#endif

    .globl __vx_cta_entry
    .type __vx_cta_entry, @function
__vx_cta_entry:
    csrr    t0, VX_CSR_ACTIVE_THREADS
    csrw    CSR_MTVAL, t0
#if defined(VX_ENTRY_S11)
    csrw    CSR_MEPC, s11
#endif
    li      t0, -1
    .insn   r 0x0B, 0, 0, x0, t0, x0            /* tmc t0: every lane */
    csrr    s0, CSR_MTVAL
#if defined(VX_ENTRY_S11)
    csrr    s11, CSR_MEPC
#endif

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

    /* tp = _end + MHARTID * __tls_block_size; the size is a small absolute symbol, so not PC-relative. */
    lui     t0, %hi(__tls_block_size)
    addi    t0, t0, %lo(__tls_block_size)
    la      tp, _end
#if defined(__riscv_mul)
    mul     t0, t0, t1
    add     tp, tp, t0
#else
    /* Adds the hart number, shifted, for each bit of the size: the branches depend on the size alone. */
1:  andi    t2, t0, 1
    beqz    t2, 2f
    add     tp, tp, t1
2:  slli    t1, t1, 1
    srli    t0, t0, 1
    bnez    t0, 1b
#endif

    call    __init_tls
    call    __libc_init_array

    .insn   r 0x0B, 0, 0, x0, s0, x0            /* tmc s0: the lanes of this CTA */

    .globl __vx_window
__vx_window:
#if defined(VX_ENTRY_CTA_ENTRY)
    csrr    s11, VX_CSR_CTA_ENTRY
    csrr    a0, CSR_MSCRATCH
    jalr    ra, 0(s11)
    .insn   r 0x0B, 7, 0, x0, x0, x0            /* wsync: all stores are committed before the warp ends */
#elif defined(VX_ENTRY_S11)
    csrr    a0, CSR_MSCRATCH
    jalr    ra, 0(s11)
    .insn   r 0x0B, 7, 0, x0, x0, x0            /* wsync */
#else
    csrr    a0, CSR_MSCRATCH
    jal     ra, kernel_main
#endif
    .insn   r 0x0B, 0, 0, x0, x0, x0            /* tmc x0: end of the warp */
    .globl __vx_window_end
__vx_window_end:
    .size __vx_cta_entry, . - __vx_cta_entry
