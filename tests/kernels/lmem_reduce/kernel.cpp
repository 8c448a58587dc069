/* Sum over each block through local memory: dst[i] = sum of src over the block of thread i.
 *
 * One-dimensional grid, the block a power of two, 4 bytes of local memory for each thread of the block. Butterfly
 * pattern: every thread adds its partner's value in every step, so that no branch depends on the thread.
 */

#include <vx_spawn2.h>

#include "args.h"

__kernel void lmem_reduce(const kernel_arg_t *args) {
  uint32_t threads = blockDim.x;
  uint32_t own = threadIdx.x;
  uint32_t i = blockIdx.x * threads + own;
  auto src = (const int32_t *)(uintptr_t)args->src_addr;
  auto dst = (int32_t *)(uintptr_t)args->dst_addr;
  auto shared = (int32_t *)__local_mem();

  int32_t sum = src[i];
  for (uint32_t distance = threads / 2; distance > 0; distance /= 2) {
    shared[own] = sum;
    __syncthreads();
    sum += shared[own ^ distance];
    // The partner must have read this value before the next step overwrites it.
    __syncthreads();
  }
  dst[i] = sum;
}
