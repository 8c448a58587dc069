/* dst = src0 + src1 over floats; the grid covers the vectors exactly, so there is no bounds check. */

#include <vx_spawn2.h>

#include "../device_ptr.h"

struct args_t {
  uint32_t num_points;
  device_ptr<const float> src0;
  device_ptr<const float> src1;
  device_ptr<float> dst;
};

__kernel void vecadd(const args_t *args) {
  uint32_t i = blockIdx.x * blockDim.x + threadIdx.x;
  args->dst[i] = args->src0[i] + args->src1[i];
}
