/* c = a * b of n x n float matrices; a thread computes one element. The grid covers the matrix exactly. */

#include <vx_spawn2.h>

#include "../device_ptr.h"

struct args_t {
  uint32_t size;
  device_ptr<const float> a;
  device_ptr<const float> b;
  device_ptr<float> c;
};

__kernel void sgemm(const args_t *args) {
  uint32_t column = blockIdx.x * blockDim.x + threadIdx.x;
  uint32_t row = blockIdx.y * blockDim.y + threadIdx.y;
  uint32_t n = args->size;
  const float *a = args->a + row * n;
  const float *b = args->b + column;
  float sum = 0;
  for (uint32_t k = 0; k < n; ++k)
    sum += a[k] * b[k * n];
  args->c[row * n + column] = sum;
}
