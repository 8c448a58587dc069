/* One function for each custom instruction and CSR (docs/reference/vortex.md 2.2 and 10.1). C and C++.
 *
 * These are wrappers and no more: a core without an extension stops at its instruction, and nothing here makes a
 * branch that lanes decide differently safe.
 */

#ifndef VX_INTRINSICS_H
#define VX_INTRINSICS_H

#include <stddef.h>
#include <stdint.h>

#include "VX_types.h"

#define RISCV_CUSTOM0 0x0B
#define RISCV_CUSTOM1 0x2B
#define RISCV_CUSTOM2 0x5B
#define RISCV_CUSTOM3 0x7B

/* Promises of the programmer to the divergence pass (sw/kernel/divergence); a broken one gives wrong results.
 * __UNIFORM__: all lanes of a warp have the same value of this parameter or variable.
 * VX_SINGLE_LANE: only one lane runs this function, so its branches need no SPLIT.
 */
#ifndef __UNIFORM__
#define __UNIFORM__ __attribute__((annotate("vortex.uniform")))
#endif
#define VX_SINGLE_LANE __attribute__((annotate("vortex.single_lane")))

#define __VX_INLINE static inline __attribute__((always_inline, unused))

/* ---- CSRs; numbers are constants, values are size_t, constant operands below 32 use the immediate form ---- */

#define csr_read(csr)                                                                                                  \
  __extension__({                                                                                                      \
    size_t __vx_r;                                                                                                     \
    __asm__ __volatile__("csrr %0, %1" : "=r"(__vx_r) : "i"(csr) : "memory");                                          \
    __vx_r;                                                                                                            \
  })

/* For a value that doesn't change while the kernel runs: the compiler may read it once. */
#define csr_read_nv(csr)                                                                                               \
  __extension__({                                                                                                      \
    size_t __vx_r;                                                                                                     \
    __asm__("csrr %0, %1" : "=r"(__vx_r) : "i"(csr));                                                                  \
    __vx_r;                                                                                                            \
  })

/* "K" is a constant of 0 to 31; the assembler then chooses the immediate form of the instruction. */
#define __VX_CSR_IN(op, csr, val)                                                                                      \
  __extension__({                                                                                                      \
    size_t __vx_v = (size_t)(val);                                                                                     \
    __asm__ __volatile__(op " %0, %1" : : "i"(csr), "rK"(__vx_v) : "memory");                                          \
  })

#define __VX_CSR_INOUT(op, csr, val)                                                                                   \
  __extension__({                                                                                                      \
    size_t __vx_v = (size_t)(val);                                                                                     \
    size_t __vx_r;                                                                                                     \
    __asm__ __volatile__(op " %0, %1, %2" : "=r"(__vx_r) : "i"(csr), "rK"(__vx_v) : "memory");                         \
    __vx_r;                                                                                                            \
  })

#define csr_write(csr, val) __VX_CSR_IN("csrw", csr, val)
#define csr_set(csr, val) __VX_CSR_IN("csrs", csr, val)
#define csr_clear(csr, val) __VX_CSR_IN("csrc", csr, val)
#define csr_swap(csr, val) __VX_CSR_INOUT("csrrw", csr, val)
#define csr_read_set(csr, val) __VX_CSR_INOUT("csrrs", csr, val)
#define csr_read_clear(csr, val) __VX_CSR_INOUT("csrrc", csr, val)

/* ---- warp control ---- */

/* Thread mask of the warp; 0 ends the warp. */
__VX_INLINE void vx_tmc(int mask) {
  __asm__ __volatile__(".insn r 0x0B, 0, 0, x0, %0, x0" : : "r"(mask) : "memory");
}

__VX_INLINE void vx_tmc_zero(void) { __asm__ __volatile__(".insn r 0x0B, 0, 0, x0, x0, x0" : : : "memory"); }

__VX_INLINE void vx_tmc_one(void) {
  vx_tmc(1);
}

/* Keeps the lanes whose condition is true; if there are none, restores `mask`. */
__VX_INLINE void vx_pred(int condition, int mask) {
  __asm__ __volatile__(".insn r 0x0B, 5, 0, x0, %0, %1" : : "r"(condition), "r"(mask) : "memory");
}

__VX_INLINE void vx_pred_n(int condition, int mask) {
  __asm__ __volatile__(".insn r 0x0B, 5, 0, x1, %0, %1" : : "r"(condition), "r"(mask) : "memory");
}

typedef void (*vx_wspawn_pfn)(void);

/* Starts warps 1 to count - 1 at `func`, once this warp is the only one of its core. */
__VX_INLINE void vx_wspawn(int count, vx_wspawn_pfn func) {
  __asm__ __volatile__(".insn r 0x0B, 1, 0, x0, %0, %1" : : "r"(count), "r"(func) : "memory");
}

/* Returns the stack pointer that the matching vx_join takes. */
__VX_INLINE int vx_split(int predicate) {
  int sp;
  __asm__ __volatile__(".insn r 0x0B, 2, 0, %0, %1, x0" : "=r"(sp) : "r"(predicate) : "memory");
  return sp;
}

__VX_INLINE int vx_split_n(int predicate) {
  int sp;
  __asm__ __volatile__(".insn r 0x0B, 2, 0, %0, %1, x1" : "=r"(sp) : "r"(predicate) : "memory");
  return sp;
}

__VX_INLINE void vx_join(int sp) { __asm__ __volatile__(".insn r 0x0B, 3, 0, x0, %0, x0" : : "r"(sp) : "memory"); }

/* ---- barriers, ordering ---- */

/* Arrives and waits until `count` warps (or cores, bit 31 of the id) have arrived. */
__VX_INLINE void vx_barrier(int id, int count) {
  __asm__ __volatile__(".insn r 0x0B, 4, 0, x0, %0, %1" : : "r"(id), "r"(count) : "memory");
}

/* Arrives without waiting; returns the phase that vx_barrier_wait takes. */
__VX_INLINE int vx_barrier_arrive(int id, int count) {
  int phase;
  __asm__ __volatile__(".insn r 0x0B, 6, 0, %0, %1, %2" : "=r"(phase) : "r"(id), "r"(count) : "memory");
  return phase;
}

__VX_INLINE void vx_barrier_wait(int id, int phase) {
  __asm__ __volatile__(".insn r 0x0B, 6, 0, x0, %0, %1" : : "r"(id), "r"(phase) : "memory");
}

/* Announces `count` transactions that the phase has to wait for; no arrival. */
__VX_INLINE void vx_barrier_expect_tx(int id, int count) {
  (void)vx_barrier_arrive(id, (int)(0x80000000u | (unsigned)count));
}

/* Waits until all older instructions of the warp have committed. */
__VX_INLINE void vx_wsync(void) { __asm__ __volatile__(".insn r 0x0B, 7, 0, x0, x0, x0" : : : "memory"); }

__VX_INLINE void vx_fence(void) { __asm__ __volatile__("fence iorw, iorw" : : : "memory"); }

/* ---- place in the machine ---- */

__VX_INLINE int vx_thread_id(void) { return (int)csr_read_nv(VX_CSR_THREAD_ID); }
__VX_INLINE int vx_warp_id(void) { return (int)csr_read_nv(VX_CSR_WARP_ID); }
__VX_INLINE int vx_core_id(void) { return (int)csr_read_nv(VX_CSR_CORE_ID); }
__VX_INLINE size_t vx_active_threads(void) { return csr_read(VX_CSR_ACTIVE_THREADS); }
__VX_INLINE size_t vx_active_warps(void) { return csr_read(VX_CSR_ACTIVE_WARPS); }
__VX_INLINE int vx_num_threads(void) { return (int)csr_read_nv(VX_CSR_NUM_THREADS); }
__VX_INLINE int vx_num_warps(void) { return (int)csr_read_nv(VX_CSR_NUM_WARPS); }
__VX_INLINE int vx_num_cores(void) { return (int)csr_read_nv(VX_CSR_NUM_CORES); }
__VX_INLINE int vx_num_barriers(void) { return (int)csr_read_nv(VX_CSR_NUM_BARRIERS); }
__VX_INLINE int vx_hart_id(void) { return (int)csr_read_nv(VX_CSR_MHARTID); }

/* ---- cycle counter ---- */

typedef struct {
  uint32_t hi;
  uint32_t lo;
} vx_cycle_t;

__VX_INLINE uint64_t vx_rdcycle(void) {
#if __riscv_xlen == 64
  return csr_read(VX_CSR_MCYCLE);
#else
  uint32_t hi, lo, again;
  do {
    hi = csr_read(VX_CSR_MCYCLE_H);
    lo = csr_read(VX_CSR_MCYCLE);
    again = csr_read(VX_CSR_MCYCLE_H);
  } while (hi != again);
  return ((uint64_t)hi << 32) | lo;
#endif
}

__VX_INLINE uint64_t vx_rdcycle_sync(void) {
  vx_wsync();
  return vx_rdcycle();
}

/* Begin reads high then low, end low then high: between the two low reads nothing else is counted. */
__VX_INLINE vx_cycle_t vx_rdcycle_sync_begin(void) {
  vx_cycle_t now;
  vx_wsync();
#if __riscv_xlen == 64
  uint64_t cycle = csr_read(VX_CSR_MCYCLE);
  now.hi = (uint32_t)(cycle >> 32);
  now.lo = (uint32_t)cycle;
#else
  now.hi = csr_read(VX_CSR_MCYCLE_H);
  now.lo = csr_read(VX_CSR_MCYCLE);
#endif
  return now;
}

__VX_INLINE vx_cycle_t vx_rdcycle_sync_end(void) {
  vx_cycle_t now;
  vx_wsync();
#if __riscv_xlen == 64
  uint64_t cycle = csr_read(VX_CSR_MCYCLE);
  now.hi = (uint32_t)(cycle >> 32);
  now.lo = (uint32_t)cycle;
#else
  now.lo = csr_read(VX_CSR_MCYCLE);
  now.hi = csr_read(VX_CSR_MCYCLE_H);
#endif
  return now;
}

__VX_INLINE uint64_t vx_rdcycle_sync_diff(vx_cycle_t begin, vx_cycle_t end) {
  return (((uint64_t)end.hi << 32) | end.lo) - (((uint64_t)begin.hi << 32) | begin.lo);
}

/* ---- votes: bit 0 of each active lane's predicate, the result in every active lane ---- */

#define __VX_VOTE(name, funct3)                                                                                        \
  __VX_INLINE size_t name(int predicate) {                                                                             \
    size_t result;                                                                                                     \
    __asm__ __volatile__(".insn r 0x0B, " #funct3 ", 1, %0, %1, x0" : "=r"(result) : "r"(predicate));                  \
    return result;                                                                                                     \
  }

__VX_VOTE(vx_vote_all, 0)
__VX_VOTE(vx_vote_any, 1)
__VX_VOTE(vx_vote_uni, 2)
__VX_VOTE(vx_vote_ballot, 3)

/* ---- shuffles: b offset or lane, c clamp, mask segment ---- */

#define __VX_SHUFFLE(name, funct3)                                                                                     \
  __VX_INLINE size_t name(size_t value, int b, int c, int mask) {                                                      \
    size_t result;                                                                                                     \
    int packed = (mask << 12) | (c << 6) | b;                                                                          \
    __asm__ __volatile__(".insn r 0x0B, " #funct3 ", 1, %0, %1, %2" : "=r"(result) : "r"(value), "r"(packed));         \
    return result;                                                                                                     \
  }

__VX_SHUFFLE(vx_shfl_up, 4)
__VX_SHUFFLE(vx_shfl_down, 5)
__VX_SHUFFLE(vx_shfl_bfly, 6)
__VX_SHUFFLE(vx_shfl_idx, 7)

/* ---- gather inside groups of four lanes; the source lane keeps `self` ---- */

#define vx_wgather_from(S, self, v1, v2, v3)                                                                           \
  __extension__({                                                                                                      \
    size_t __vx_d = (size_t)(self);                                                                                    \
    __asm__ __volatile__(".insn r4 0x2B, 0, %1, %0, %2, %3, %4"                                                        \
                         : "+r"(__vx_d)                                                                                \
                         : "i"(S), "r"((size_t)(v1)), "r"((size_t)(v2)), "r"((size_t)(v3)));                           \
    __vx_d;                                                                                                            \
  })

__VX_INLINE size_t vx_wgather(size_t self, size_t v1, size_t v2, size_t v3) {
  return vx_wgather_from(0, self, v1, v2, v3);
}

/* 4 x 4 transpose inside each group of four lanes. */
#define vx_transpose4(a0, a1, a2, a3, o0, o1, o2, o3)                                                                  \
  do {                                                                                                                 \
    size_t __vx_a0 = (size_t)(a0), __vx_a1 = (size_t)(a1), __vx_a2 = (size_t)(a2), __vx_a3 = (size_t)(a3);             \
    (o0) = vx_wgather_from(0, __vx_a0, __vx_a1, __vx_a2, __vx_a3);                                                     \
    (o1) = vx_wgather_from(1, __vx_a1, __vx_a2, __vx_a3, __vx_a0);                                                     \
    (o2) = vx_wgather_from(2, __vx_a2, __vx_a3, __vx_a0, __vx_a1);                                                     \
    (o3) = vx_wgather_from(3, __vx_a3, __vx_a0, __vx_a1, __vx_a2);                                                     \
  } while (0)

/* ---- packed loads: only with floating-point registers ---- */

#if defined(__riscv_flen)
__VX_INLINE float vx_packlb_f(const void *base, uint32_t stride) {
  float result;
  __asm__ __volatile__(".insn r 0x0B, 1, 4, %0, %1, %2" : "=f"(result) : "r"(base), "r"(stride) : "memory");
  return result;
}

__VX_INLINE float vx_packlh_f(const void *base, uint32_t stride) {
  float result;
  __asm__ __volatile__(".insn r 0x0B, 2, 4, %0, %1, %2" : "=f"(result) : "r"(base), "r"(stride) : "memory");
  return result;
}
#endif

/* Return from a trap handler; a macro because nothing may follow it in the function. */
#define vx_mret() __asm__ __volatile__("mret" : : : "memory")

#endif
