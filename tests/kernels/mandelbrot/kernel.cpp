/* How many steps of z = z * z + c each point of a grid takes to leave the circle of radius 2; a warp goes on until its last
 * lane has left.
 */

#include <vx_spawn2.h>

#include "../device_ptr.h"

struct args_t {
  uint32_t width, height;
  uint32_t most; // steps
  float left, top, step;
  device_ptr<uint32_t> dst;
};

__kernel void mandelbrot(const args_t *args) {
  uint32_t column = blockIdx.x * blockDim.x + threadIdx.x;
  uint32_t row = blockIdx.y * blockDim.y + threadIdx.y;
  if (column >= args->width || row >= args->height)
    return;
  float cx = __builtin_fmaf((float)column, args->step, args->left);
  float cy = __builtin_fmaf((float)row, args->step, args->top);
  float x = 0, y = 0;
  uint32_t steps = 0;
  while (steps < args->most && __builtin_fmaf(x, x, y * y) <= 4.0f) {
    float next = __builtin_fmaf(x, x, -(y * y)) + cx;
    y = __builtin_fmaf(x + x, y, cy);
    x = next;
    ++steps;
  }
  args->dst[row * args->width + column] = steps;
}
