/* Every thread prints a line to the console, one lane after the other; odd threads print another one than even ones. */

#include <vx_print.h>
#include <vx_spawn2.h>

#include "../device_ptr.h"

struct args_t {
  uint32_t num_points;
  device_ptr<const uint8_t> src;
  device_ptr<int32_t> printed; // bytes a thread printed
};

__kernel void printf(const args_t *args) {
  uint32_t task = blockIdx.x * blockDim.x + threadIdx.x;
  if (task >= args->num_points)
    return;
  int value = args->src[task];
  int bytes = 0;
  if (task & 1)
    bytes = vx_printf("cid=%d: task=%u, value=%c\n", vx_core_id(), (unsigned)task, value);
  else
    bytes = vx_printf("cid=%d: task=%u, value=%#x\n", vx_core_id(), (unsigned)task, (unsigned)value);
  args->printed[task] = bytes;
}
