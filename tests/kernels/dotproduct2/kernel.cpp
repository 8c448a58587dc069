/* Partial dot products, one a block: inside a warp by shuffles, between the warps through local memory. */

#include <vx_spawn2.h>

#include "../device_ptr.h"

struct args_t {
  uint32_t num_points;
  device_ptr<const float> src0;
  device_ptr<const float> src1;
  device_ptr<float> dst; // one a block
};

enum { LANES = VX_CFG_NUM_THREADS };

static float from_lane_above(float value, int distance) {
  return __builtin_bit_cast(float, (uint32_t)vx_shfl_down(__builtin_bit_cast(uint32_t, value), distance, LANES - 1, 0));
}

__kernel void dotproduct2(const args_t *args) {
  auto of_warp = (float *)__local_mem();
  uint32_t i = blockIdx.x * blockDim.x + threadIdx.x;
  float sum = i < args->num_points ? args->src0[i] * args->src1[i] : 0.0f;
  for (int distance = LANES / 2; distance > 0; distance /= 2)
    sum += from_lane_above(sum, distance);
  if (vx_thread_id() == 0)
    of_warp[get_sub_group_id()] = sum;
  __syncthreads();
  if (threadIdx.x == 0) {
    float total = 0;
    for (uint32_t warp = 0; warp < get_num_sub_groups(); ++warp)
      total += of_warp[warp];
    args->dst[blockIdx.x] = total;
  }
}
