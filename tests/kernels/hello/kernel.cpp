/* A stand-alone program of the legacy library: main() prints a greeting, and so does every warp of the core. */

#include <vx_print.h>
#include <vx_spawn.h>

#include "../device_ptr.h"

struct args_t {
  device_ptr<uint32_t> greeted; // [tasks]
  uint32_t tasks;
};

static void greet(const args_t *__UNIFORM__ args) {
  vx_printf("hello from task %u\n", (unsigned)blockIdx.x);
  args->greeted[blockIdx.x] = 1 + blockIdx.x;
}

int main() {
  auto args = (const args_t *)csr_read(VX_CSR_MSCRATCH);
  if (vx_core_id() == 0)
    vx_printf("hello world\n");
  return vx_spawn_threads(1, &args->tasks, nullptr, (vx_kernel_func_cb)greet, args);
}
