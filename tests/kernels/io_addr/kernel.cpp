/* dst[i] = *(int32_t *)src[i]: every thread follows an address, half of them into the uncached I/O window. */

#include <vx_spawn2.h>

#include "../device_ptr.h"

struct args_t {
  uint32_t num_points;
  device_ptr<const device_ptr<const int32_t>> src;
  device_ptr<int32_t> dst;
};

__kernel void io_addr(const args_t *args) {
  uint32_t i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i >= args->num_points)
    return;
  const int32_t *place = args->src[i];
  args->dst[i] = *place;
}
