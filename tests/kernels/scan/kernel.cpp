/* Inclusive prefix sums, a launch for each of two phases: inside each block, in local memory with two buffers, leaving the
 * block's total; then the totals of all blocks before are added.
 */

#include <vx_spawn2.h>

#include "../device_ptr.h"

struct args_t {
  uint32_t phase;
  uint32_t num_points;
  device_ptr<const int32_t> src;
  device_ptr<int32_t> dst;
  device_ptr<int32_t> totals; // one a block
};

static void inside_block(const args_t *__UNIFORM__ args, uint32_t i) {
  auto from = (int32_t *)__local_mem();
  auto to = from + blockDim.x;
  uint32_t own = threadIdx.x;
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

static void over_blocks(const args_t *__UNIFORM__ args, uint32_t i) {
  int32_t before = 0;
  for (uint32_t block = 0; block < blockIdx.x; ++block)
    before += args->totals[block];
  if (i < args->num_points)
    args->dst[i] += before;
}

__kernel void scan(const args_t *args) {
  uint32_t i = blockIdx.x * blockDim.x + threadIdx.x;
  if (args->phase == 0)
    inside_block(args, i);
  else
    over_blocks(args, i);
}
