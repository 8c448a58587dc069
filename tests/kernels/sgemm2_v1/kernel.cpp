/* c = a * b of n x n float matrices in t x t tiles: groups of the legacy library, their local memory and barriers. */

#include <vx_spawn.h>

#include "../device_ptr.h"

struct args_t {
  uint32_t grid_dim[2];
  uint32_t block_dim[2];
  uint32_t size;
  uint32_t tile_size;
  uint32_t chunk_k;
  uint32_t pad;
  device_ptr<const float> a;
  device_ptr<const float> b;
  device_ptr<float> c;
};

static void tile_product(const args_t *__UNIFORM__ args) {
  uint32_t n = args->size, tile = args->tile_size, chunk = args->chunk_k;
  auto tile_a = (float *)__local_mem(2 * sizeof(float) * tile * chunk); // [tile][chunk]
  auto tile_b = tile_a + tile * chunk;                                  // [chunk][tile]
  uint32_t x = threadIdx.x, y = threadIdx.y;
  uint32_t column = blockIdx.x * tile + x, row = blockIdx.y * tile + y;

  float sum = 0;
  for (uint32_t first = 0; first < n; first += chunk) {
    for (uint32_t k = 0; k < chunk / tile; ++k) {
      tile_a[y * chunk + k * tile + x] = args->a[row * n + first + k * tile + x];
      tile_b[(k * tile + y) * tile + x] = args->b[(first + k * tile + y) * n + column];
    }
    __syncthreads();
    for (uint32_t k = 0; k < chunk; ++k)
      sum += tile_a[y * chunk + k] * tile_b[k * tile + x];
    __syncthreads();
  }
  args->c[row * n + column] = sum;
}

int main() {
  auto args = (const args_t *)csr_read(VX_CSR_MSCRATCH);
  return vx_spawn_threads(2, args->grid_dim, args->block_dim, (vx_kernel_func_cb)tile_product, args);
}
