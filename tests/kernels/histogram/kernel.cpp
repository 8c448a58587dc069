/* Counts of byte values in bins: each block counts in local memory, one bin a thread and no two threads in one bin, and
 * adds its counts to those of all blocks by atomic additions.
 */

#include <vx_spawn2.h>

#include "../device_ptr.h"

struct args_t {
  uint32_t num_points;
  uint32_t num_bins; // a power of two
  device_ptr<const uint8_t> src;
  device_ptr<uint32_t> bins;
};

__kernel void histogram(const args_t *args) {
  auto share = (uint8_t *)__local_mem(); // the block's part of src
  uint32_t own = threadIdx.x;
  uint32_t first = blockIdx.x * blockDim.x;
  uint32_t count = args->num_points - first < blockDim.x ? args->num_points - first : (uint32_t)blockDim.x;
  if (own < count)
    share[own] = args->src[first + own];
  __syncthreads();
  for (uint32_t bin = own; bin < args->num_bins; bin += blockDim.x) {
    uint32_t seen = 0;
    for (uint32_t i = 0; i < count; ++i)
      if ((share[i] & (args->num_bins - 1)) == bin)
        ++seen;
    if (seen)
      __atomic_fetch_add(&args->bins[bin], seen, __ATOMIC_RELAXED);
  }
}
