/* dst = src >> 47 over 64-bit integers, spread over warps and lanes by the legacy library. */

#include <vx_spawn.h>

#include "../device_ptr.h"

struct args_t {
  uint32_t num_points;
  device_ptr<const int64_t> src;
  device_ptr<int64_t> dst;
};

static void shift(const args_t *__UNIFORM__ args) {
  args->dst[blockIdx.x] = args->src[blockIdx.x] >> 47;
}

int main() {
  auto args = (const args_t *)csr_read(VX_CSR_MSCRATCH);
  return vx_spawn_threads(1, &args->num_points, nullptr, (vx_kernel_func_cb)shift, args);
}
