/* Atomics on words of memory (docs/reference/vortex.md 2.14). C and C++. They need the A extension; the compiler's own
 * __atomic_fetch_add and the like become the same instructions.
 *
 * Each active lane does its own read, operation and write, one lane after the other in an order that nothing fixes; the
 * old value comes back. The address must not be in local memory. A lock that lanes of one warp take one after the other
 * by spinning cannot work: the lane that holds it waits for the others at the end of the loop.
 */

#ifndef VX_ATOMIC_H
#define VX_ATOMIC_H

#include "vx_intrinsics.h"

#if defined(__riscv_atomic)
#define __VX_ATOMIC
#else
#define __VX_ATOMIC __attribute__((unavailable("atomics need the A extension: ext_a of the hardware configuration")))
#endif

#define __VX_AMO(name, type, op)                                                                                       \
  __VX_ATOMIC __VX_INLINE type name(volatile type *address, type value) {                                              \
    return __atomic_##op(address, value, __ATOMIC_RELAXED);                                                            \
  }

__VX_AMO(vx_atomic_add, uint32_t, fetch_add)
__VX_AMO(vx_atomic_and, uint32_t, fetch_and)
__VX_AMO(vx_atomic_or, uint32_t, fetch_or)
__VX_AMO(vx_atomic_xor, uint32_t, fetch_xor)
__VX_AMO(vx_atomic_min, int32_t, fetch_min)
__VX_AMO(vx_atomic_max, int32_t, fetch_max)
__VX_AMO(vx_atomic_minu, uint32_t, fetch_min)
__VX_AMO(vx_atomic_maxu, uint32_t, fetch_max)
__VX_AMO(vx_atomic_swap, uint32_t, exchange_n)

#undef __VX_AMO

#if defined(__riscv_atomic)
/* Reads and reserves the line for this hart. */
__VX_INLINE uint32_t vx_load_reserved(volatile uint32_t *address) {
  uint32_t value;
  __asm__ __volatile__("lr.w %0, (%1)" : "=r"(value) : "r"(address) : "memory");
  return value;
}

/* 0 if the reservation held and the value was written, else 1. */
__VX_INLINE uint32_t vx_store_conditional(volatile uint32_t *address, uint32_t value) {
  uint32_t failed;
  __asm__ __volatile__("sc.w %0, %2, (%1)" : "=&r"(failed) : "r"(address), "r"(value) : "memory");
  return failed;
}

/* Writes `desired` if the word is `expected`; returns what it was. A loop in C, so that the divergence pass sees its
 * branches: lanes whose reservation was broken by another lane try again. */
__VX_INLINE uint32_t vx_atomic_cas(volatile uint32_t *address, uint32_t expected, uint32_t desired) {
  uint32_t found;
  do {
    found = vx_load_reserved(address);
  } while (found == expected && vx_store_conditional(address, desired) != 0);
  return found;
}

#if defined(__riscv_flen)
/* Sum of floats in an order that nothing fixes, so its last bits may differ from run to run. */
__VX_INLINE float vx_atomic_fadd(volatile float *address, float value) {
  volatile uint32_t *word = (volatile uint32_t *)address;
  float old;
  uint32_t bits, next;
  do {
    float sum;
    bits = vx_load_reserved(word);
    __builtin_memcpy(&old, &bits, sizeof old);
    sum = old + value;
    __builtin_memcpy(&next, &sum, sizeof next);
  } while (vx_store_conditional(word, next) != 0);
  return old;
}
#endif
#endif

#endif
