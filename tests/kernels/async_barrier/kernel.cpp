/* c = a * b of n x n float matrices in t x t tiles, with arrival and waiting apart: work that touches no shared data lies
 * between the two. A second barrier hands each thread a mark of its neighbour in the same step, which is added to c.
 */

#include <vx_barrier.h>
#include <vx_spawn2.h>

#include "../device_ptr.h"

struct args_t {
  uint32_t size;
  uint32_t tile_size;
  device_ptr<const float> a;
  device_ptr<const float> b;
  device_ptr<float> c;
};

__kernel void async_barrier(const args_t *args) {
  uint32_t n = args->size, tile = args->tile_size, cells = tile * tile;
  auto tile_a = (float *)__local_mem();
  auto tile_b = tile_a + cells;
  auto marks = tile_b + cells; // of even and of odd steps
  uint32_t x = threadIdx.x, y = threadIdx.y, own = y * tile + x;
  uint32_t neighbour = own + 1 < cells ? own + 1 : 0;
  uint32_t column = blockIdx.x * tile + x, row = blockIdx.y * tile + y;
  vortex::barrier filled(1), used(2);

  float sum = 0, seen = 0, shown = 0;
  uint32_t half = 0;
  for (uint32_t first = 0; first < n; first += tile) {
    float mine = args->a[row * n + first + x];
    tile_a[own] = mine;
    tile_b[own] = args->b[(first + y) * n + column];
    uint32_t phase = filled.arrive();
    float mark = __builtin_sqrtf(mine);
    filled.wait(phase);

    for (uint32_t k = 0; k < tile; ++k)
      sum += tile_a[y * tile + k] * tile_b[k * tile + x];
    marks[half + own] = mark;
    phase = used.arrive();
    shown += mark;
    used.wait(phase);

    seen += marks[half + neighbour];
    half = cells - half;
  }
  args->c[row * n + column] = sum + (seen + shown);
}
