/* dst[block] = sum of the block's share of src: each thread first walks with the stride of the grid, then a tree in local
 * memory, whose steps leave ever more lanes idle.
 */

#include <vx_spawn2.h>

#include "../device_ptr.h"

struct args_t {
  uint32_t num_points;
  device_ptr<const int32_t> src;
  device_ptr<int32_t> dst;
};

__kernel void reduce(const args_t *args) {
  auto partial = (int32_t *)__local_mem();
  uint32_t own = threadIdx.x;
  int32_t sum = 0;
  for (uint32_t i = blockIdx.x * blockDim.x + own; i < args->num_points; i += gridDim.x * blockDim.x)
    sum += args->src[i];
  partial[own] = sum;
  __syncthreads();
  for (uint32_t half = blockDim.x / 2; half > 0; half /= 2) {
    if (own < half)
      partial[own] += partial[own + half];
    __syncthreads();
  }
  if (own == 0)
    args->dst[blockIdx.x] = partial[0];
}
