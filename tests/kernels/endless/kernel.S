/* WRONG ON PURPOSE: never returns. Instructions retire all the time, so only a bound on the launch ends it. */

    .section .text.vx_kernel, "ax", @progbits
    .option norvc
    .globl endless
    .type endless, @function
    .p2align 2
endless:
    addi    a1, a1, 1
    j       endless
    .size endless, . - endless
