/* Float matrix product c = a * b of n x n matrices; a thread computes one element. */

#include <vx_spawn2.h>
#include <stdint.h>

typedef struct {
  uint32_t size;
  uint64_t a_addr, b_addr, c_addr;
} kernel_arg_t;
__kernel void sgemm(const kernel_arg_t *args) {
  uint32_t column = blockIdx.x * blockDim.x + threadIdx.x;
  uint32_t row = blockIdx.y * blockDim.y + threadIdx.y;
  uint32_t n = args->size;
  auto a = (const float *)(uintptr_t)args->a_addr;
  auto b = (const float *)(uintptr_t)args->b_addr;
  auto c = (float *)(uintptr_t)args->c_addr;
  float sum = 0.0f;
  for (uint32_t k = 0; k < n; ++k)
    sum += a[row * n + k] * b[k * n + column];
  c[row * n + column] = sum;
}
