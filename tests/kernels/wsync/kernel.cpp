/* WSYNC waits for older loads: the cycles between two counter reads with eight missing loads and a WSYNC in between, held
 * against the same with nothing in between. One warp; addresses are never used twice, so every load misses. The first
 * round fetches the instructions too and isn't judged.
 */

#include <vx_spawn2.h>

#include "../device_ptr.h"

struct args_t {
  uint32_t num_threads;
  uint32_t iterations;
  device_ptr<const uint32_t> src;     // [iterations][8][16]: a line of 64 bytes for each load
  device_ptr<uint32_t> results;       // [num_threads][7]
};

enum { LOADS = 8, LINE_WORDS = 16, RESULTS = 7, MARGIN = 16 };

__kernel void wsync(const args_t *args) {
  uint32_t own = threadIdx.x;
  volatile const uint32_t *line = (const uint32_t *)args->src;
  uint32_t failures = 0, sum = 0, total = 0;
  uint32_t largest_idle = 0, smallest_gap = 0xffffffffu, largest_gap = 0;
  for (uint32_t n = 0; n < args->iterations; ++n) {
    vx_cycle_t begin = vx_rdcycle_sync_begin();
    vx_cycle_t end = vx_rdcycle_sync_end();
    uint32_t idle = (uint32_t)vx_rdcycle_sync_diff(begin, end);

    begin = vx_rdcycle_sync_begin();
    uint32_t values[LOADS];
#pragma clang loop unroll(full)
    for (uint32_t i = 0; i < LOADS; ++i)
      values[i] = line[i * LINE_WORDS + own % LINE_WORDS];
    end = vx_rdcycle_sync_end();
    uint32_t gap = (uint32_t)vx_rdcycle_sync_diff(begin, end);

    for (uint32_t i = 0; i < LOADS; ++i)
      sum += values[i];
    line += LOADS * LINE_WORDS;
    if (n == 0)
      continue;
    failures += gap <= idle + MARGIN;
    largest_idle = idle > largest_idle ? idle : largest_idle;
    smallest_gap = gap < smallest_gap ? gap : smallest_gap;
    largest_gap = gap > largest_gap ? gap : largest_gap;
    total += gap;
  }
  uint32_t *result = args->results + own * RESULTS;
  result[0] = args->iterations;
  result[1] = sum;
  result[2] = failures;
  result[3] = largest_idle;
  result[4] = smallest_gap;
  result[5] = largest_gap;
  result[6] = total;
}
