/* c = a * b of n x n float matrices in t x t tiles: a block copies `chunk_k` columns of a and rows of b to local memory,
 * then each of its threads adds that part of its element.
 */

#include <vx_spawn2.h>

#include "../device_ptr.h"

struct args_t {
  uint32_t size;
  uint32_t tile_size;
  uint32_t chunk_k;
  uint32_t pad;
  device_ptr<const float> a;
  device_ptr<const float> b;
  device_ptr<float> c;
};

__kernel void sgemm2(const args_t *args) {
  uint32_t n = args->size, tile = args->tile_size, chunk = args->chunk_k;
  auto tile_a = (float *)__local_mem(); // [tile][chunk]
  auto tile_b = tile_a + tile * chunk;  // [chunk][tile]
  uint32_t x = threadIdx.x, y = threadIdx.y;
  uint32_t column = blockIdx.x * tile + x, row = blockIdx.y * tile + y;

  float sum = 0;
  for (uint32_t first = 0; first < n; first += chunk) {
    for (uint32_t k = x; k < chunk; k += tile)
      tile_a[y * chunk + k] = args->a[row * n + first + k];
    for (uint32_t k = y; k < chunk; k += tile)
      tile_b[k * tile + x] = args->b[(first + k) * n + column];
    __syncthreads();
    for (uint32_t k = 0; k < chunk; ++k)
      sum += tile_a[y * chunk + k] * tile_b[k * tile + x];
    __syncthreads();
  }
  args->c[row * n + column] = sum;
}
