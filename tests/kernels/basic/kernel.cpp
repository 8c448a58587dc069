/* Lane 0 of each core copies the core's part of an array: a legacy program without any other warp. */

#include <vx_spawn.h>

#include "../device_ptr.h"

struct args_t {
  uint32_t count; // words of each core
  device_ptr<const int32_t> src;
  device_ptr<int32_t> dst;
};

int main() {
  auto args = (const args_t *)csr_read(VX_CSR_MSCRATCH);
  uint32_t first = (uint32_t)vx_core_id() * args->count;
  for (uint32_t i = first; i < first + args->count; ++i)
    args->dst[i] = args->src[i];
  return 0;
}
