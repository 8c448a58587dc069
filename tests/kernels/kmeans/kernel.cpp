/* k-means clustering of points in the plane, one step of a round a launch: which centre is nearest to each point, and where
 * the centres lie then. A block copies the centres to local memory first.
 */

#include <vx_spawn2.h>

#include "../device_ptr.h"

struct point_t {
  float x, y;
};

struct args_t {
  uint32_t step; // 0: assign, 1: move
  uint32_t num_points;
  uint32_t num_centres;
  device_ptr<const point_t> points;
  device_ptr<point_t> centres;
  device_ptr<uint32_t> nearest; // [num_points]
};

static void assign(const args_t *__UNIFORM__ args, uint32_t i) {
  auto centres = (point_t *)__local_mem();
  for (uint32_t k = threadIdx.x; k < args->num_centres; k += blockDim.x)
    centres[k] = args->centres[k];
  __syncthreads();
  if (i >= args->num_points)
    return;
  point_t point = args->points[i];
  uint32_t best = 0;
  float shortest = __builtin_inff();
  for (uint32_t k = 0; k < args->num_centres; ++k) {
    float dx = point.x - centres[k].x, dy = point.y - centres[k].y;
    float distance = __builtin_fmaf(dx, dx, dy * dy);
    if (distance < shortest) {
      shortest = distance;
      best = k;
    }
  }
  args->nearest[i] = best;
}

static void move(const args_t *__UNIFORM__ args, uint32_t centre) {
  if (centre >= args->num_centres)
    return;
  float x = 0, y = 0;
  uint32_t count = 0;
  for (uint32_t i = 0; i < args->num_points; ++i)
    if (args->nearest[i] == centre) {
      x += args->points[i].x;
      y += args->points[i].y;
      ++count;
    }
  if (count == 0)
    return; // nobody's centre stays
  args->centres[centre] = {x / (float)count, y / (float)count};
}

__kernel void kmeans(const args_t *args) {
  uint32_t i = blockIdx.x * blockDim.x + threadIdx.x;
  if (args->step == 0)
    assign(args, i);
  else
    move(args, i);
}
