/* c = alpha * a * b + beta * c of float matrices, m x k and k x n: a block of 4 x 4 threads computes 16 x 16 elements, each
 * thread 4 x 4 of them in registers; four columns of a and rows of b at a time lie in local memory.
 */

#include <vx_spawn2.h>

#include "../device_ptr.h"

struct args_t {
  uint32_t m, n, k;
  float alpha, beta;
  device_ptr<const float> a;
  device_ptr<const float> b;
  device_ptr<float> c;
};

enum { OWN = 4, SIDE = 4, TILE = OWN * SIDE, DEPTH = 4 };

__kernel void sgemmx(const args_t *args) {
  auto tile_a = (float *)__local_mem();  // [DEPTH][TILE], transposed
  auto tile_b = tile_a + DEPTH * TILE;   // [DEPTH][TILE]
  uint32_t x = threadIdx.x, y = threadIdx.y;
  uint32_t first_row = blockIdx.y * TILE, first_column = blockIdx.x * TILE;
  uint32_t n = args->n, k = args->k;

  float sum[OWN][OWN] = {};
  for (uint32_t first = 0; first < k; first += DEPTH) {
    for (uint32_t i = 0; i < OWN; ++i) {
      uint32_t line = y * OWN + i;
      tile_a[x * TILE + line] = args->a[(first_row + line) * k + first + x];
      tile_b[y * TILE + x * OWN + i] = args->b[(first + y) * n + first_column + x * OWN + i];
    }
    __syncthreads();
    for (uint32_t d = 0; d < DEPTH; ++d) {
      float left[OWN], right[OWN];
      for (uint32_t i = 0; i < OWN; ++i) {
        left[i] = tile_a[d * TILE + y * OWN + i];
        right[i] = tile_b[d * TILE + x * OWN + i];
      }
      for (uint32_t i = 0; i < OWN; ++i)
        for (uint32_t j = 0; j < OWN; ++j)
          sum[i][j] += left[i] * right[j];
    }
    __syncthreads();
  }

  for (uint32_t i = 0; i < OWN; ++i) {
    float *row = args->c + (first_row + y * OWN + i) * n + first_column + x * OWN;
    for (uint32_t j = 0; j < OWN; ++j)
      row[j] = args->alpha * sum[i][j] + args->beta * row[j];
  }
}
