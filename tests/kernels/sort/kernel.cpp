/* Sort by counting: the place of an element is the number of those that belong before it; equal ones keep their order. */

#include <vx_spawn2.h>

#include "../device_ptr.h"

struct args_t {
  uint32_t num_points;
  device_ptr<const int32_t> src;
  device_ptr<int32_t> dst;
};

__kernel void sort(const args_t *args) {
  uint32_t i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i >= args->num_points)
    return;
  const int32_t *src = args->src;
  int32_t own = src[i];
  uint32_t place = 0;
  for (uint32_t j = 0; j < args->num_points; ++j) {
    int32_t other = src[j];
    if (other < own || (other == own && j < i))
      ++place;
  }
  args->dst[place] = own;
}
