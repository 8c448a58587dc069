/* Every CTA fills its slot of local memory and adds it up again: out[cta] = cta * words + 0 + 1 + … + (words - 1).
 *
 * The slots fill the whole local memory, so a store outside its slot destroys another CTA's sum. One warp a CTA.
 */

#include <vx_spawn2.h>

#include "../device_ptr.h"

struct args_t {
  uint32_t lmem_words;
  device_ptr<uint32_t> out;
};

__kernel void occupancy(const args_t *args) {
  auto slot = (volatile uint32_t *)__local_mem();
  uint32_t words = args->lmem_words;
  uint32_t cta = blockIdx.x;
  for (uint32_t i = threadIdx.x; i < words; i += blockDim.x)
    slot[i] = cta + i;
  __syncthreads();
  if (threadIdx.x == 0) {
    uint32_t sum = 0;
    for (uint32_t i = 0; i < words; ++i)
      sum += slot[i];
    args->out[cta] = sum;
  }
}
