/* y = a * x for an m x n float matrix; a thread adds up one row, four elements at a time. */

#include <vx_spawn2.h>

#include "../device_ptr.h"

struct alignas(16) float4 {
  float x, y, z, w;
};

struct args_t {
  device_ptr<const float4> a; // [m][n / 4]
  device_ptr<const float4> x;
  device_ptr<float> y;
  uint32_t m, n;
};

__kernel void sgemv(const args_t *args) {
  uint32_t row = blockIdx.x * blockDim.x + threadIdx.x;
  if (row >= args->m)
    return;
  uint32_t groups = args->n / 4;
  const float4 *a = args->a + row * groups;
  const float4 *x = args->x;
  float sum = 0;
  for (uint32_t i = 0; i < groups; ++i) {
    float4 left = a[i], right = x[i];
    sum += left.x * right.x;
    sum += left.y * right.y;
    sum += left.z * right.z;
    sum += left.w * right.w;
  }
  args->y[row] = sum;
}
