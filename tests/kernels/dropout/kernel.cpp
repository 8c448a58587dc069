/* dst = src * multiplier, or 0 where a random number in [0, 1) that follows from the element's index is below p. */

#include <vx_spawn2.h>

#include "../device_ptr.h"

struct args_t {
  uint32_t num_points;
  float p;
  float multiplier;
  device_ptr<const float> src;
  device_ptr<float> dst;
};

static uint32_t scramble(uint32_t x) {
  x = (x ^ (x >> 16)) * 0x7feb352du;
  x = (x ^ (x >> 15)) * 0x846ca68bu;
  return x ^ (x >> 16);
}

__kernel void dropout(const args_t *args) {
  uint32_t i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i >= args->num_points)
    return;
  float random = (float)(scramble(i) >> 8) * 0x1p-24f;
  args->dst[i] = random < args->p ? 0.0f : args->src[i] * args->multiplier;
}
