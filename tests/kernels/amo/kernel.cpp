/* Atomics, one sub-test a launch (docs/reference/vortex.md 11.5). All threads work on the words of `shared`; what each
 * saw goes to `out`. Nobody promises an order, so only sums, sets and final values are fixed.
 */

#include <vx_spawn2.h>

#include "../device_ptr.h"

struct args_t {
  uint32_t test;
  uint32_t num_threads;
  uint32_t rounds;
  device_ptr<uint32_t> shared; // 16 words, one line
  device_ptr<uint32_t> lines;  // [num_threads][16]: a line for each thread
  device_ptr<uint32_t> out;    // [num_threads]
};

enum { LINE_WORDS = 16 };

static uint32_t load_reserved(volatile uint32_t *word) {
  uint32_t value;
  __asm__ __volatile__("lr.w %0, (%1)" : "=r"(value) : "r"(word) : "memory");
  return value;
}

static uint32_t load_reserved_acquire(volatile uint32_t *word) {
  uint32_t value;
  __asm__ __volatile__("lr.w.aq %0, (%1)" : "=r"(value) : "r"(word) : "memory");
  return value;
}

/* 0 if it stored. */
static uint32_t store_conditional(volatile uint32_t *word, uint32_t value) {
  uint32_t failed;
  __asm__ __volatile__("sc.w %0, %2, (%1)" : "=&r"(failed) : "r"(word), "r"(value) : "memory");
  return failed;
}

static uint32_t store_conditional_release(volatile uint32_t *word, uint32_t value) {
  uint32_t failed;
  __asm__ __volatile__("sc.w.rl %0, %2, (%1)" : "=&r"(failed) : "r"(word), "r"(value) : "memory");
  return failed;
}

static uint32_t add_acquire_release(volatile uint32_t *word, uint32_t value) {
  uint32_t old;
  __asm__ __volatile__("amoadd.w.aqrl %0, %2, (%1)" : "=r"(old) : "r"(word), "r"(value) : "memory");
  return old;
}

__kernel void amo(const args_t *args) {
  uint32_t own = blockIdx.x * blockDim.x + threadIdx.x;
  if (own >= args->num_threads)
    return;
  uint32_t *shared = args->shared;
  uint32_t seen = 0;
  for (uint32_t round = 0; round < args->rounds; ++round) {
    uint32_t bit = 1u << (own + round) % 32;
    switch (args->test) {
    case 0:
      seen += __atomic_fetch_add(shared, 1, __ATOMIC_RELAXED);
      break;
    case 1:
      __atomic_fetch_or(shared, bit, __ATOMIC_RELAXED);
      break;
    case 2:
      __atomic_fetch_and(shared, ~bit, __ATOMIC_RELAXED);
      break;
    case 3:
      __atomic_fetch_xor(shared, bit, __ATOMIC_RELAXED);
      __atomic_fetch_xor(shared + 1, own, __ATOMIC_RELAXED);
      break;
    case 4:
      __atomic_fetch_max((int32_t *)shared, (int32_t)(own * 3 + round) - 40, __ATOMIC_RELAXED);
      break;
    case 5:
      __atomic_fetch_min(shared, 0x80000000u + own * 3 + round, __ATOMIC_RELAXED);
      break;
    case 6: // every value that is put in comes out again, in somebody's hands or at the end in memory
      seen ^= __atomic_exchange_n(shared, own * 64 + round + 1, __ATOMIC_RELAXED);
      break;
    case 7: {
      uint32_t old;
      do
        old = load_reserved(shared);
      while (store_conditional(shared, old + 1));
      seen += old;
      break;
    }
    case 8:
      seen += add_acquire_release(shared, 1);
      break;
    case 9: {
      uint32_t old;
      do
        old = load_reserved_acquire(shared);
      while (store_conditional_release(shared, old + 1));
      seen += old;
      break;
    }
    case 10: // sum over the block first, then one addition
      __atomic_fetch_add(shared + 2 + blockIdx.x % 8, own, __ATOMIC_RELAXED);
      break;
    case 11: // a lock is only for one lane of each warp: lanes of one warp can't wait for each other
      if (vx_thread_id() == 0) {
        while (__atomic_exchange_n(shared, 1, __ATOMIC_ACQUIRE))
          ;
        uint32_t count = __atomic_load_n(shared + 1, __ATOMIC_RELAXED);
        __atomic_store_n(shared + 1, count + 1, __ATOMIC_RELAXED);
        vx_fence();
        __atomic_exchange_n(shared, 0, __ATOMIC_RELEASE);
      }
      break;
    default: { // a plain load, an atomic and a plain load of a line that nobody else uses
      volatile uint32_t *line = args->lines + own * LINE_WORDS;
      uint32_t before = *line;
      uint32_t old = __atomic_fetch_add(line, own + 1, __ATOMIC_RELAXED);
      uint32_t after = *line;
      seen += (old != before) + (after != before + own + 1);
    }
    }
  }
  args->out[own] = seen;
}
