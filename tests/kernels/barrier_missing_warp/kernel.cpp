/* WRONG ON PURPOSE: warp 1 of the block returns, and the barrier counts all warps. */

#include <vx_spawn2.h>

typedef struct {
  uint64_t dst;
} args_t;

__kernel void barrier_missing_warp(const args_t *args) {
  __UNIFORM__ uint32_t rank = threadIdx.x / vx_num_threads();
  if (rank == 1)
    return;
  __syncthreads();
  ((int32_t *)(uintptr_t)args->dst)[threadIdx.x] = 1;
}
