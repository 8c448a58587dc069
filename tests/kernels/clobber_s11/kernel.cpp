/* WRONG ON PURPOSE in generation s11: returns with another value in s11 (dst[i] = src[i] + 1).
 *
 * The 16-byte window of that generation calls through s11 again when the warp is reused, and lands at 0xDEAD0000. The
 * newest generation reloads s11 on every pass, so there the kernel is right.
 */

#include <vx_spawn2.h>

#include "args.h"

__kernel void clobber_s11(const kernel_arg_t *args) {
  uint32_t i = blockIdx.x * blockDim.x + threadIdx.x;
  auto src = (const int32_t *)(uintptr_t)args->src_addr;
  auto dst = (int32_t *)(uintptr_t)args->dst_addr;
  dst[i] = src[i] + 1;
  // s11 is not declared as clobbered: a compiler that is told so would save it.
  __asm__ __volatile__("lui s11, 0xdead0");
}
