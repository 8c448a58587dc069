/* Constants of the architecture: memory map, CSRs and DCRs (docs/reference/vortex.md 1.4, 3, 4).
 *
 * Usable from C, C++ and assembly, so macros only. The shape of the hardware is not here: VX_CFG_* macros come from
 * the compiler's command line.
 */

#ifndef VX_TYPES_H
#define VX_TYPES_H

/* Memory map. */

#define VX_MEM_IO_BASE_ADDR 0x40
#define VX_MEM_IO_COUT_ADDR VX_MEM_IO_BASE_ADDR
#define VX_MEM_IO_COUT_SIZE 33536
#define VX_MEM_IO_EXIT_CODE (VX_MEM_IO_COUT_ADDR + VX_MEM_IO_COUT_SIZE + 8)
#define VX_MEM_USER_BASE_ADDR 0x10000
#define VX_MEM_IO_END_ADDR VX_MEM_USER_BASE_ADDR
#define VX_MEM_PAGE_TABLE_BASE_ADDR 0xf0000000

#if defined(VX_CFG_STACK_BASE_ADDR)
#define VX_MEM_STACK_BASE_ADDR VX_CFG_STACK_BASE_ADDR
#elif __riscv_xlen == 64
#define VX_MEM_STACK_BASE_ADDR 0x1ffff0000
#else
#define VX_MEM_STACK_BASE_ADDR 0xffff0000
#endif
#if defined(VX_CFG_STACK_LOG2_SIZE)
#define VX_MEM_STACK_LOG2_SIZE VX_CFG_STACK_LOG2_SIZE
#else
#define VX_MEM_STACK_LOG2_SIZE 13
#endif
#define VX_MEM_LMEM_BASE_ADDR VX_MEM_STACK_BASE_ADDR

/* Layout of the console ring at VX_MEM_IO_COUT_ADDR (9.4). */

#define VX_MEM_IO_COUT_SLOTS 64
#define VX_MEM_IO_COUT_RING 512

/* Machine and floating-point CSRs. */

#define VX_CSR_FFLAGS 0x001
#define VX_CSR_FRM 0x002
#define VX_CSR_FCSR 0x003
#define VX_CSR_SATP 0x180
#define VX_CSR_MSTATUS 0x300
#define VX_CSR_MISA 0x301
#define VX_CSR_MEDELEG 0x302
#define VX_CSR_MIDELEG 0x303
#define VX_CSR_MIE 0x304
#define VX_CSR_MTVEC 0x305
#define VX_CSR_MSCRATCH 0x340
#define VX_CSR_MEPC 0x341
#define VX_CSR_MCAUSE 0x342
#define VX_CSR_MTVAL 0x343
#define VX_CSR_PMPCFG0 0x3a0
#define VX_CSR_PMPADDR0 0x3b0
#define VX_CSR_MNSTATUS 0x744
#define VX_CSR_MVENDORID 0xf11
#define VX_CSR_MARCHID 0xf12
#define VX_CSR_MIMPID 0xf13
#define VX_CSR_MHARTID 0xf14

/* Counters; the high half of a counter is at + 0x80. */

#define VX_CSR_MCYCLE 0xb00
#define VX_CSR_MCYCLE_H 0xb80
#define VX_CSR_MINSTRET 0xb02
#define VX_CSR_MINSTRET_H 0xb82
#define VX_CSR_MPM_BASE 0xb00
#define VX_CSR_MPM_BASE_H 0xb80
#define VX_CSR_MPM_USER 0xb03
#define VX_CSR_MPM_USER_H 0xb83

/* Place in the machine, read only. */

#define VX_CSR_THREAD_ID 0xcc0
#define VX_CSR_WARP_ID 0xcc1
#define VX_CSR_CORE_ID 0xcc2
#define VX_CSR_ACTIVE_WARPS 0xcc3
#define VX_CSR_ACTIVE_THREADS 0xcc4
#define VX_CSR_NUM_THREADS 0xfc0
#define VX_CSR_NUM_WARPS 0xfc1
#define VX_CSR_NUM_CORES 0xfc2
#define VX_CSR_LOCAL_MEM_BASE 0xfc3
#define VX_CSR_NUM_BARRIERS 0xfc4

/* Place in the grid, read only, valid once a CTA runs. */

#define VX_CSR_CTA_ID 0xcd0
#define VX_CSR_CTA_RANK 0xcd1
#define VX_CSR_CTA_SIZE 0xcd2
#define VX_CSR_CTA_THREAD_ID_X 0xcd3
#define VX_CSR_CTA_THREAD_ID_Y 0xcd4
#define VX_CSR_CTA_THREAD_ID_Z 0xcd5
#define VX_CSR_CTA_BLOCK_ID_X 0xcd6
#define VX_CSR_CTA_BLOCK_ID_Y 0xcd7
#define VX_CSR_CTA_BLOCK_ID_Z 0xcd8
#define VX_CSR_CTA_BLOCK_DIM_X 0xcd9
#define VX_CSR_CTA_BLOCK_DIM_Y 0xcda
#define VX_CSR_CTA_BLOCK_DIM_Z 0xcdb
#define VX_CSR_CTA_GRID_DIM_X 0xcdc
#define VX_CSR_CTA_GRID_DIM_Y 0xcdd
#define VX_CSR_CTA_GRID_DIM_Z 0xcde
#define VX_CSR_CTA_LMEM_ADDR 0xcdf
#define VX_CSR_CTA_CLUSTER_SIZE 0xce0
#define VX_CSR_CTA_ENTRY 0xce1

/* DCRs of the newest generation. */

#define VX_DCR_CACHE_FLUSH 0x000
#define VX_DCR_MPM_VALUE 0x001
#define VX_DCR_STARTUP_ADDR0 0x010
#define VX_DCR_STARTUP_ADDR1 0x011
#define VX_DCR_KERNEL_ENTRY0 0x012
#define VX_DCR_KERNEL_ENTRY1 0x013
#define VX_DCR_STARTUP_ARG0 0x014
#define VX_DCR_STARTUP_ARG1 0x015
#define VX_DCR_BLOCK_DIM_X 0x016
#define VX_DCR_BLOCK_DIM_Y 0x017
#define VX_DCR_BLOCK_DIM_Z 0x018
#define VX_DCR_GRID_DIM_X 0x019
#define VX_DCR_GRID_DIM_Y 0x01a
#define VX_DCR_GRID_DIM_Z 0x01b
#define VX_DCR_LMEM_SIZE 0x01c
#define VX_DCR_BLOCK_SIZE 0x01d
#define VX_DCR_WARP_STEP_X 0x01e
#define VX_DCR_WARP_STEP_Y 0x01f
#define VX_DCR_WARP_STEP_Z 0x020
#define VX_DCR_CLUSTER_DIM_X 0x021
#define VX_DCR_CLUSTER_DIM_Y 0x022
#define VX_DCR_CLUSTER_DIM_Z 0x023

#endif
