/* WRONG ON PURPOSE: nobody gives the lock back, so the first warp ends with it and the others spin. */

#include <vx_spawn2.h>

typedef struct {
  uint64_t lock;
  uint64_t dst;
} args_t;

__kernel void lock_kept(const args_t *args) {
  if (vx_thread_id() == 0) {
    while (__atomic_exchange_n((uint32_t *)(uintptr_t)args->lock, 1, __ATOMIC_ACQUIRE))
      ;
  }
  ((int32_t *)(uintptr_t)args->dst)[threadIdx.x] = 1;
}
