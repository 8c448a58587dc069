/* Three named kernels in one image, with a constructor and thread-local data (docs/reference/vortex.md 11.4).
 *
 *   add_k  dst[i] = src[i] + cube(i & 15)
 *   mul_k  dst[i] = src[i] * cube(i & 15)
 *   acc_k  dst[i] = src[i] + sum over j < 8 of cube((i + j) & 15) + 0x5A5A
 *
 * where cube(k) = (k + 1)^3. Launched on a one-dimensional grid; threads beyond `count` do nothing. Without a
 * divergence pass that test must be the same for all lanes of a warp: `count` is a multiple of the lanes.
 */

#include <vx_spawn2.h>

#include "args.h"

namespace {

struct cube_table {
  int32_t values[16];

  cube_table() {
    // Volatile, so that the table is filled when the image runs and not by the compiler.
    volatile int32_t first = 1;
    int32_t base = first;
    for (int i = 0; i < 16; ++i, ++base)
      values[i] = base * base * base;
  }
};

} // namespace

// Visible outside, so that the compiler can't replace them by their initial values.
cube_table g_cubes;
thread_local int32_t t_tag = 0x5A5A;
thread_local int64_t t_acc;

namespace {

// Not inlined: its caller must reach thread-local data through a call.
__attribute__((noinline)) void accumulate(int32_t value) {
  t_acc += value;
}

} // namespace

__kernel void add_k(const kernel_arg_t *args) {
  uint32_t i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i >= args->count)
    return;
  auto src = (const int32_t *)(uintptr_t)args->src_addr;
  auto dst = (int32_t *)(uintptr_t)args->dst_addr;
  dst[i] = src[i] + g_cubes.values[i & 15];
}

__kernel void mul_k(const kernel_arg_t *args) {
  uint32_t i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i >= args->count)
    return;
  auto src = (const int32_t *)(uintptr_t)args->src_addr;
  auto dst = (int32_t *)(uintptr_t)args->dst_addr;
  dst[i] = src[i] * g_cubes.values[i & 15];
}

__kernel void acc_k(const kernel_arg_t *args) {
  uint32_t i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i >= args->count)
    return;
  auto src = (const int32_t *)(uintptr_t)args->src_addr;
  auto dst = (int32_t *)(uintptr_t)args->dst_addr;
  t_acc = 0;
  for (uint32_t j = 0; j < 8; ++j)
    accumulate(g_cubes.values[(i + j) & 15]);
  dst[i] = src[i] + (int32_t)t_acc + t_tag;
}
