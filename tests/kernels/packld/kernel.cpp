/* Packed loads: sixteen bytes of a task as four words of every fourth byte, and as eight words of two halfwords that lie
 * eight bytes apart, the last four backwards.
 */

#include <vx_spawn2.h>

#include "../device_ptr.h"

struct args_t {
  uint32_t num_tasks;
  device_ptr<const uint8_t> src; // [num_tasks][16]
  device_ptr<float> dst_lb;      // [num_tasks][4], bit patterns
  device_ptr<float> dst_lh;      // [num_tasks][8]
};

__kernel void packld(const args_t *args) {
  uint32_t task = blockIdx.x * blockDim.x + threadIdx.x;
  if (task >= args->num_tasks)
    return;
  const uint8_t *src = args->src + 16 * task;
  for (uint32_t i = 0; i < 4; ++i) {
    args->dst_lb[4 * task + i] = vx_packlb_f(src + i, 4);
    args->dst_lh[8 * task + i] = vx_packlh_f(src + 2 * i, 8);
    args->dst_lh[8 * task + 4 + i] = vx_packlh_f(src + 8 + 2 * i, (uint32_t)-8);
  }
}
