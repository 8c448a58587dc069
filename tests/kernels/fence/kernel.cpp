/* dst = src0 + src1 over int32, `task_size` elements a thread, then FENCE: every store is visible to all behind it. */

#include <vx_spawn2.h>

#include "../device_ptr.h"

struct args_t {
  uint32_t num_tasks;
  uint32_t task_size;
  device_ptr<const int32_t> src0;
  device_ptr<const int32_t> src1;
  device_ptr<int32_t> dst;
};

__kernel void fence(const args_t *args) {
  uint32_t task = blockIdx.x * blockDim.x + threadIdx.x;
  uint32_t first = task * args->task_size;
  for (uint32_t i = first; i < first + args->task_size; ++i)
    args->dst[i] = args->src0[i] + args->src1[i];
  vx_fence();
}
