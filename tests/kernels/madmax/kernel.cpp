/* Sixteen chains of dependent fused multiply-adds, interleaved, 256 steps of each; the results are added up. */

#include <vx_spawn2.h>

#include "../device_ptr.h"

struct args_t {
  uint32_t size;
  device_ptr<float> dst; // [size][size]
};

enum { CHAINS = 16, STEPS = 256 };

__kernel void madmax(const args_t *args) {
  uint32_t x = blockIdx.x * blockDim.x + threadIdx.x;
  uint32_t y = blockIdx.y * blockDim.y + threadIdx.y;
  if (x >= args->size)
    return;
  float factor = 0.5f + (float)x * 0x1p-8f;
  float step = 1.0f + (float)y;
  float chain[CHAINS];
  for (int i = 0; i < CHAINS; ++i)
    chain[i] = (float)i;
  for (int n = 0; n < STEPS; ++n)
#pragma clang loop unroll(full)
    for (int i = 0; i < CHAINS; ++i)
      chain[i] = chain[i] * factor + step;
  float sum = 0;
  for (int i = 0; i < CHAINS; ++i)
    sum += chain[i];
  args->dst[y * args->size + x] = sum;
}
