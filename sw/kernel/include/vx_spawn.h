/* The legacy library: main() runs on lane 0 of every core and spreads work with vx_spawn_threads
 * (docs/reference/vortex.md 6.4, 10.3). C and C++. Not together with vx_spawn2.h.
 *
 *   static void body(const args_t *__UNIFORM__ args) { ... blockIdx.x ... }
 *   int main() {
 *     const args_t *args = (const args_t *)csr_read(VX_CSR_MSCRATCH);
 *     return vx_spawn_threads(1, &args->count, 0, (vx_kernel_func_cb)body, args);
 *   }
 *
 * A source with main() and without a __kernel makes a legacy image. The host launches one CTA for each core.
 */

#ifndef VX_SPAWN_H
#define VX_SPAWN_H

#if defined(VX_SPAWN2_H)
#error "vx_spawn.h is the legacy library; a kernel includes it or vx_spawn2.h"
#endif

#include "vx_intrinsics.h"
#include "vx_serial.h"

#if defined(__cplusplus)
extern "C" {
#endif

typedef union {
  struct {
    uint32_t x;
    uint32_t y;
    uint32_t z;
  };
  uint32_t m[3];
} dim3_t;

typedef void (*vx_kernel_func_cb)(void *argument);

extern __thread dim3_t blockIdx;
extern __thread dim3_t threadIdx;
extern dim3_t gridDim;
extern dim3_t blockDim;

extern __thread uint32_t __local_group_id; /* of this core's groups in flight */
extern __thread uint32_t __sub_group_id;   /* warp of the group */
extern uint32_t __warps_per_group;

__VX_INLINE uint32_t get_local_group_id(void) { return __local_group_id; }
__VX_INLINE uint32_t get_sub_group_id(void) { return __sub_group_id; }
__VX_INLINE uint32_t get_num_sub_groups(void) { return __warps_per_group; }

/* Local memory of the group, `size` bytes for each. */
#define __local_mem(size) ((void *)(csr_read_nv(VX_CSR_LOCAL_MEM_BASE) + __local_group_id * (size_t)(size)))

/* All warps of the group meet here. */
#define __syncthreads() vx_barrier((int)__local_group_id, (int)__warps_per_group)

/* Runs func(argument) for every thread of every block, on all cores that call it. NULL sizes and axes from `dimension` on
 * count as 1. Returns when this core's share is done: 0, or -1 if a block has more threads than a core. */
int vx_spawn_threads(uint32_t dimension, const uint32_t *grid_dim, const uint32_t *block_dim, vx_kernel_func_cb func,
                     const void *argument);

#if defined(__cplusplus)
}
#endif

#endif
