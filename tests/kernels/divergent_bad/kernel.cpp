/* WRONG ON PURPOSE: a branch that the lanes of a warp decide differently, without SPLIT and JOIN. VX_SINGLE_LANE keeps the
 * divergence pass away; it promises what is not true.
 *
 * The whole warp follows its highest active lane, so with two lanes or more the result is wrong on every machine. The
 * golden model must report the branch.
 */

#include <vx_spawn2.h>

#include "args.h"

VX_SINGLE_LANE __kernel void divergent_bad(const kernel_arg_t *args) {
  uint32_t i = blockIdx.x * blockDim.x + threadIdx.x;
  auto src = (const int32_t *)(uintptr_t)args->src_addr;
  auto dst = (int32_t *)(uintptr_t)args->dst_addr;
  if (threadIdx.x & 1) {
    // Keeps the compiler from turning the branch into a select.
    __asm__ __volatile__("" : : : "memory");
    dst[i] = src[i] * 3;
  } else {
    dst[i] = src[i] + 1;
  }
}
