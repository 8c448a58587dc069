/* A stand-alone program of the legacy library: Fibonacci numbers by recursion in lane 0, by a loop in all tasks. */

#include <vx_spawn.h>

#include "../device_ptr.h"

struct args_t {
  uint32_t count;
  device_ptr<uint32_t> recursive; // [12]
  device_ptr<uint32_t> iterative; // [count]
};

enum { RECURSIVE = 12 };

VX_SINGLE_LANE static uint32_t fibonacci(uint32_t n) {
  return n < 2 ? n : fibonacci(n - 1) + fibonacci(n - 2);
}

static void iterate(const args_t *__UNIFORM__ args) {
  uint32_t low = 0, high = 1;
  for (uint32_t i = 0; i < blockIdx.x; ++i) {
    uint32_t next = low + high;
    low = high;
    high = next;
  }
  args->iterative[blockIdx.x] = low;
}

int main() {
  auto args = (const args_t *)csr_read(VX_CSR_MSCRATCH);
  if (vx_core_id() == 0)
    for (uint32_t n = 0; n < RECURSIVE; ++n)
      args->recursive[n] = fibonacci(n);
  return vx_spawn_threads(1, &args->count, nullptr, (vx_kernel_func_cb)iterate, args);
}
