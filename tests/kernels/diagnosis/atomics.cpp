/* Atomics in the race check, for a processor that has them; names in brackets mark the lines that tests assert. */

#include <vx_spawn2.h>

typedef struct {
  uint64_t out; /* uint32_t[64] */
  uint64_t flag;
} args_t;

typedef volatile uint32_t *words_t;

static inline words_t out_of(const args_t *args) { return (words_t)(uintptr_t)args->out; }

__kernel void block_atomic(const args_t *args) {
  __atomic_fetch_add((uint32_t *)(uintptr_t)args->out, 1, __ATOMIC_RELAXED);
}

__kernel void atomic_and_plain(const args_t *args) {
  words_t out = out_of(args);
  if (get_sub_group_id() == 0) {
    __atomic_fetch_add((uint32_t *)(uintptr_t)args->out, 1, __ATOMIC_RELAXED); // [atomic]
  } else {
    for (uint32_t n = 0; n < 64; n++) __asm__ __volatile__("nop");
    out[16 + threadIdx.x] = out[0]; // [plain load]
  }
}
