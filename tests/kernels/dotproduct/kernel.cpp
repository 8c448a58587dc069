/* Partial dot products, one a block: a product a thread, then a tree in local memory. */

#include <vx_spawn2.h>

#include "../device_ptr.h"

struct args_t {
  uint32_t num_points;
  device_ptr<const float> src0;
  device_ptr<const float> src1;
  device_ptr<float> dst; // one a block
};

__kernel void dotproduct(const args_t *args) {
  auto partial = (float *)__local_mem();
  uint32_t own = threadIdx.x;
  uint32_t i = blockIdx.x * blockDim.x + own;
  partial[own] = i < args->num_points ? args->src0[i] * args->src1[i] : 0.0f;
  __syncthreads();
  for (uint32_t half = blockDim.x / 2; half > 0; half /= 2) {
    if (own < half)
      partial[own] += partial[own + half];
    __syncthreads();
  }
  if (own == 0)
    args->dst[blockIdx.x] = partial[0];
}
