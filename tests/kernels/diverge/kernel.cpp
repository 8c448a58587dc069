/* Every shape of control flow that lanes decide differently: chains of ifs, loops of unequal length, switch with
 * fall-through, selects, minimum and maximum, nests of up to eight branches.
 */

#include <vx_spawn2.h>

#include "../device_ptr.h"

struct args_t {
  uint32_t num_points;
  uint32_t branch_depth;
  device_ptr<const int32_t> src;
  device_ptr<int32_t> dst;
};

/* Descends while the bits of `path` say so; how deep is different in each lane. */
__attribute__((noinline)) static int32_t nest(int32_t value, uint32_t path, uint32_t depth) {
  if (depth > 0 && (path & 1)) {
    value += 1;
    if (depth > 1 && (path & 2)) {
      value *= 3;
      if (depth > 2 && (path & 4)) {
        value -= 7;
        if (depth > 3 && (path & 8)) {
          value ^= 0x55;
          if (depth > 4 && (path & 16)) {
            value += 1000;
            if (depth > 5 && (path & 32)) {
              value *= 5;
              if (depth > 6 && (path & 64)) {
                value -= 11;
                if (depth > 7 && (path & 128))
                  value = ~value;
              }
            }
          }
        }
      } else {
        value += 40;
      }
    }
  } else {
    value -= 2;
  }
  return value;
}

__kernel void diverge(const args_t *args) {
  uint32_t i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i >= args->num_points)
    return;
  const int32_t *src = args->src;
  int32_t value = src[i];

  if (value < 0)
    value = -value;
  else if (value < 64)
    value += src[args->num_points - 1 - i];
  else if (value < 128)
    value -= 3;

  for (uint32_t round = 0; round < i % 5; ++round) {
    if (value % 3 == 2)
      continue;
    value += (int32_t)round;
    if (value > 400)
      break;
  }

  switch (i % 6) {
  case 0:
    value += 10;
    [[fallthrough]];
  case 1:
    value *= 2;
    break;
  case 2:
    value -= 100;
    break;
  case 4:
    value ^= 0x33;
    break;
  default:
    value += 5;
  }

  value += value & 1 ? 17 : -17;
  int32_t other = src[(i + 1) % args->num_points];
  int32_t low = value < other ? value : other;
  int32_t high = value > other ? value : other;
  value = high - 2 * low;

  args->dst[i] = nest(value, (uint32_t)src[i], args->branch_depth);
}
