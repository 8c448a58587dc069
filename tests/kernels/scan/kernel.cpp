/* Inclusive prefix sums, two kernels: `scan` inside each block, in local memory with two buffers, leaving the block's
 * total; `add_totals` adds the totals of all blocks before.
 */

#include <vx_spawn2.h>

#include "../device_ptr.h"

struct args_t {
  uint32_t num_points;
  device_ptr<const int32_t> src;
  device_ptr<int32_t> dst;
  device_ptr<int32_t> totals; // one a block
};

__kernel void scan(const args_t *args) {
  auto from = (int32_t *)__local_mem();
  auto to = from + blockDim.x;
  uint32_t own = threadIdx.x;
  uint32_t i = blockIdx.x * blockDim.x + own;
  from[own] = i < args->num_points ? args->src[i] : 0;
  __syncthreads();
  for (uint32_t distance = 1; distance < blockDim.x; distance *= 2) {
    int32_t sum = from[own];
    if (own >= distance)
      sum += from[own - distance];
    to[own] = sum;
    __syncthreads();
    auto swapped = from;
    from = to;
    to = swapped;
  }
  if (i < args->num_points)
    args->dst[i] = from[own];
  if (own + 1 == blockDim.x)
    args->totals[blockIdx.x] = from[own];
}

__kernel void add_totals(const args_t *args) {
  uint32_t i = blockIdx.x * blockDim.x + threadIdx.x;
  int32_t before = 0;
  for (uint32_t block = 0; block < blockIdx.x; ++block)
    before += args->totals[block];
  if (i < args->num_points)
    args->dst[i] += before;
}
