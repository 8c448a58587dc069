/* dst = transposed src, an n x n matrix of 32-bit words, in square tiles through local memory. */

#include <vx_spawn2.h>

#include "../device_ptr.h"

struct args_t {
  uint32_t size;
  device_ptr<const uint32_t> src;
  device_ptr<uint32_t> dst;
};

__kernel void transpose(const args_t *args) {
  auto tile = (uint32_t *)__local_mem();
  uint32_t side = blockDim.x, pitch = side + 1; // one word more, so that columns lie in different banks
  uint32_t x = threadIdx.x, y = threadIdx.y;
  uint32_t n = args->size;

  uint32_t column = blockIdx.x * side + x, row = blockIdx.y * side + y;
  if (column < n && row < n)
    tile[y * pitch + x] = args->src[row * n + column];
  __syncthreads();
  column = blockIdx.y * side + x, row = blockIdx.x * side + y;
  if (column < n && row < n)
    args->dst[row * n + column] = tile[x * pitch + y];
}
