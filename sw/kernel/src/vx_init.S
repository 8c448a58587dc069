/* Thread-local data and constructors (docs/reference/vortex.md 6.2). Called by the prologue with every lane active, so
 * every branch here depends on link-time constants alone.
 *
 *   __init_tls         copies .tdata to this hart's block at tp and zeroes its .tbss; keeps tp, uses t0-t3
 *   __libc_init_array  runs .preinit_array, then .init_array: once a warp and launch, in all lanes at once; the
 *                      functions keep the calling convention, but the walk itself takes s1-s3, which the prologue
 *                      doesn't need
 *
 * The link script pads both TLS sizes to whole words of W = XLEN/8 bytes.
 */

#if __riscv_xlen == 64
#define LX ld
#define SX sd
#define W 8
#else
#define LX lw
#define SX sw
#define W 4
#endif

    .option norvc
    .option norelax

    .section .text.__init_tls, "ax", @progbits
    .globl __init_tls
    .type __init_tls, @function
__init_tls:
    lla     t0, __tdata_start
    lui     t1, %hi(__tdata_size)
    addi    t1, t1, %lo(__tdata_size)
    add     t1, t1, t0                          /* end of the template */
    mv      t2, tp
    bgeu    t0, t1, 2f
1:  LX      t3, 0(t0)
    SX      t3, 0(t2)
    addi    t0, t0, W
    addi    t2, t2, W
    bltu    t0, t1, 1b
2:  lui     t0, %hi(__tbss_offset)
    addi    t0, t0, %lo(__tbss_offset)
    add     t2, tp, t0
    lui     t0, %hi(__tbss_size)                /* bytes left to zero, the same in every lane */
    addi    t0, t0, %lo(__tbss_size)
    beqz    t0, 4f
3:  SX      zero, 0(t2)
    addi    t2, t2, W
    addi    t0, t0, -W
    bnez    t0, 3b
4:  ret
    .size __init_tls, . - __init_tls

    .section .text.__libc_init_array, "ax", @progbits
    .globl __libc_init_array
    .type __libc_init_array, @function
__libc_init_array:
    mv      s3, ra                              /* registers instead of a stack frame: nothing to spill */
    lla     s1, __preinit_array_start
    lla     s2, __preinit_array_end
    bgeu    s1, s2, 2f
1:  LX      t0, 0(s1)
    jalr    ra, 0(t0)
    addi    s1, s1, W
    bltu    s1, s2, 1b
2:  lla     s1, __init_array_start
    lla     s2, __init_array_end
    bgeu    s1, s2, 4f
3:  LX      t0, 0(s1)
    jalr    ra, 0(t0)
    addi    s1, s1, W
    bltu    s1, s2, 3b
4:  jr      s3
    .size __libc_init_array, . - __libc_init_array
