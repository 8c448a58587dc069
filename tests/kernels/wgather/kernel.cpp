/* WGATHER from each of the four source lanes, and the 4 x 4 transpose that is made of them; whole warps. */

#include <vx_spawn2.h>

#include "../device_ptr.h"

struct args_t {
  device_ptr<uint32_t> dst; // [threads][4], one word for each source lane
  device_ptr<uint32_t> tp;  // [threads][4]
};

__kernel void wgather(const args_t *args) {
  uint32_t i = blockIdx.x * blockDim.x + threadIdx.x;
  uint32_t base = 1000 * i;
  uint32_t *dst = args->dst + 4 * i;
  dst[0] = (uint32_t)vx_wgather(base, base + 1, base + 2, base + 3);
  dst[1] = (uint32_t)vx_wgather_from(1, base, base + 1, base + 2, base + 3);
  dst[2] = (uint32_t)vx_wgather_from(2, base, base + 1, base + 2, base + 3);
  dst[3] = (uint32_t)vx_wgather_from(3, base, base + 1, base + 2, base + 3);
  uint32_t *tp = args->tp + 4 * i;
  vx_transpose4(base, base + 1, base + 2, base + 3, tp[0], tp[1], tp[2], tp[3]);
}
