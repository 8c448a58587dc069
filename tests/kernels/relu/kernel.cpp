/* dst = max(src, 0) over floats. */

#include <vx_spawn2.h>

#include "../device_ptr.h"

struct args_t {
  uint32_t num_points;
  device_ptr<const float> src;
  device_ptr<float> dst;
};

__kernel void relu(const args_t *args) {
  uint32_t i = blockIdx.x * blockDim.x + threadIdx.x;
  float value = args->src[i];
  args->dst[i] = value < 0 ? 0 : value;
}
