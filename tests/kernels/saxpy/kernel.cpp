/* y = a * x + y over floats, any number of them. */

#include <vx_spawn2.h>

#include "../device_ptr.h"

struct args_t {
  uint32_t num_points;
  float a;
  device_ptr<const float> x;
  device_ptr<float> y;
};

__kernel void saxpy(const args_t *args) {
  uint32_t i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < args->num_points)
    args->y[i] = args->a * args->x[i] + args->y[i];
}
