/* c = a * b of n x n float matrices, one element a task of a two-dimensional grid of the legacy library. */

#include <vx_spawn.h>

#include "../device_ptr.h"

struct args_t {
  uint32_t grid_dim[2];
  uint32_t size;
  device_ptr<const float> a;
  device_ptr<const float> b;
  device_ptr<float> c;
};

static void element(const args_t *__UNIFORM__ args) {
  uint32_t column = blockIdx.x, row = blockIdx.y, n = args->size;
  float sum = 0;
  for (uint32_t k = 0; k < n; ++k)
    sum += args->a[row * n + k] * args->b[k * n + column];
  args->c[row * n + column] = sum;
}

int main() {
  auto args = (const args_t *)csr_read(VX_CSR_MSCRATCH);
  return vx_spawn_threads(2, args->grid_dim, nullptr, (vx_kernel_func_cb)element, args);
}
