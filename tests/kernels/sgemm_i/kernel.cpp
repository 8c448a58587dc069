/* Integer matrix product c = a * b of n x n matrices, modulo 2^32; a thread computes one element.
 *
 * Two-dimensional grid, x is the column; the grid covers the matrix exactly. The loop count is the same for all.
 */

#include <vx_spawn2.h>

#include "args.h"

__kernel void sgemm_i(const kernel_arg_t *args) {
  uint32_t column = blockIdx.x * blockDim.x + threadIdx.x;
  uint32_t row = blockIdx.y * blockDim.y + threadIdx.y;
  uint32_t n = args->size;
  auto a = (const uint32_t *)(uintptr_t)args->a_addr;
  auto b = (const uint32_t *)(uintptr_t)args->b_addr;
  auto c = (uint32_t *)(uintptr_t)args->c_addr;
  uint32_t sum = 0;
  for (uint32_t k = 0; k < n; ++k)
    sum += a[row * n + k] * b[k * n + column];
  c[row * n + column] = sum;
}
