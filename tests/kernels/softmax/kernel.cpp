/* Softmax of each row of a matrix, a row a thread; src is overwritten with the exponentials. */

#include <math.h>
#include <vx_spawn2.h>

#include "../device_ptr.h"

struct args_t {
  uint32_t num_rows;
  uint32_t num_cols;
  device_ptr<float> src; // [num_rows][num_cols]
  device_ptr<float> dst;
};

__kernel void softmax(const args_t *args) {
  uint32_t row = blockIdx.x * blockDim.x + threadIdx.x;
  if (row >= args->num_rows)
    return;
  uint32_t columns = args->num_cols;
  float *src = args->src + row * columns, *dst = args->dst + row * columns;
  float largest = src[0];
  for (uint32_t i = 1; i < columns; ++i)
    largest = fmaxf(largest, src[i]);
  float sum = 0;
  for (uint32_t i = 0; i < columns; ++i) {
    src[i] = expf(src[i] - largest);
    sum += src[i];
  }
  for (uint32_t i = 0; i < columns; ++i)
    dst[i] = src[i] / sum;
}
