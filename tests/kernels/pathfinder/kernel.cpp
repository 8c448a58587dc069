/* One row of a dynamic program: the cheapest way to a cell comes from the nearest three cells of the row before. */

#include <vx_spawn2.h>

#include "../device_ptr.h"

struct args_t {
  uint32_t num_cols;
  uint32_t row;
  device_ptr<const int32_t> wall; // [rows][num_cols]
  device_ptr<const int32_t> src;  // costs up to the row before
  device_ptr<int32_t> dst;
};

static int32_t smaller(int32_t a, int32_t b) {
  return b < a ? b : a;
}

__kernel void pathfinder(const args_t *args) {
  uint32_t column = blockIdx.x * blockDim.x + threadIdx.x;
  uint32_t columns = args->num_cols;
  if (column >= columns)
    return;
  const int32_t *src = args->src;
  int32_t best = src[column];
  if (column > 0)
    best = smaller(best, src[column - 1]);
  if (column + 1 < columns)
    best = smaller(best, src[column + 1]);
  args->dst[column] = args->wall[args->row * columns + column] + best;
}
