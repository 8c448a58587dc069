/* Integer vector addition: dst[i] = src0[i] + src1[i] on a one-dimensional grid.
 *
 * The grid covers the arrays exactly (count = grid x block), so there is no branch at all.
 */

#include <vx_spawn2.h>

#include "args.h"

__kernel void vecadd_i(const kernel_arg_t *args) {
  uint32_t i = blockIdx.x * blockDim.x + threadIdx.x;
  auto src0 = (const int32_t *)(uintptr_t)args->src0_addr;
  auto src1 = (const int32_t *)(uintptr_t)args->src1_addr;
  auto dst = (int32_t *)(uintptr_t)args->dst_addr;
  dst[i] = src0[i] + src1[i];
}
