/* Mean of the 27 neighbours of each cell of a cube; beyond the border the nearest cell counts again. */

#include <vx_spawn2.h>

#include "../device_ptr.h"

struct args_t {
  uint32_t size;
  device_ptr<const float> src;
  device_ptr<float> dst;
};

static int clamp(int value, int last) {
  return value < 0 ? 0 : value > last ? last : value;
}

__kernel void stencil3d(const args_t *args) {
  int x = blockIdx.x * blockDim.x + threadIdx.x;
  int y = blockIdx.y * blockDim.y + threadIdx.y;
  int z = blockIdx.z * blockDim.z + threadIdx.z;
  int n = (int)args->size, last = n - 1;
  const float *src = args->src;
  float sum = 0;
  for (int dz = -1; dz <= 1; ++dz)
    for (int dy = -1; dy <= 1; ++dy)
      for (int dx = -1; dx <= 1; ++dx)
        sum += src[(clamp(z + dz, last) * n + clamp(y + dy, last)) * n + clamp(x + dx, last)];
  args->dst[(z * n + y) * n + x] = sum / 27.0f;
}
