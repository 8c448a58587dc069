/* 3 x 3 convolution of an image that is padded by one element on each side; optionally the weights go to local memory,
 * copied by the first thread of the block.
 */

#include <vx_spawn2.h>

#include "../device_ptr.h"

struct args_t {
  uint32_t width; // of the result, which is square
  device_ptr<const float> input;
  device_ptr<const float> weights;
  device_ptr<float> output;
  bool use_lmem;
};

__kernel void conv3(const args_t *args) {
  uint32_t x = blockIdx.x * blockDim.x + threadIdx.x;
  uint32_t y = blockIdx.y * blockDim.y + threadIdx.y;
  uint32_t width = args->width;
  const float *weights = args->weights;

  if (args->use_lmem) {
    auto copy = (float *)__local_mem();
    if (threadIdx.x == 0)
      for (uint32_t i = 0; i < 9; ++i)
        copy[i] = weights[i];
    __syncthreads();
    weights = copy;
  }
  if (x >= width)
    return;

  const float *corner = args->input + y * (width + 2) + x;
  float sum = 0;
  for (uint32_t dy = 0; dy < 3; ++dy)
    for (uint32_t dx = 0; dx < 3; ++dx)
      sum += corner[dy * (width + 2) + dx] * weights[dy * 3 + dx];
  args->output[y * width + x] = sum;
}
