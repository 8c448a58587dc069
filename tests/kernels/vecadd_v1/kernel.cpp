/* dst = src0 + src1 over floats, spread over warps and lanes by the legacy library. */

#include <vx_spawn.h>

#include "../device_ptr.h"

struct args_t {
  uint32_t num_points;
  device_ptr<const float> src0;
  device_ptr<const float> src1;
  device_ptr<float> dst;
};

static void add(const args_t *__UNIFORM__ args) {
  args->dst[blockIdx.x] = args->src0[blockIdx.x] + args->src1[blockIdx.x];
}

int main() {
  auto args = (const args_t *)csr_read(VX_CSR_MSCRATCH);
  return vx_spawn_threads(1, &args->num_points, nullptr, (vx_kernel_func_cb)add, args);
}
