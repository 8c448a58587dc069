/* What a kernel sees of its launch (docs/reference/vortex.md 10.2). C++ only.
 *
 *   __kernel void add_k(const add_args_t *args) { ... threadIdx.x ... }
 *
 * `__kernel` is all that a kernel needs: the compiler driver exports every function so marked under its own name.
 */

#ifndef VX_SPAWN2_H
#define VX_SPAWN2_H

#if !defined(__cplusplus)
#error "vx_spawn2.h is for C++ kernels"
#endif

#if defined(VX_SPAWN_H)
#error "vx_spawn.h is the legacy library; a kernel includes it or vx_spawn2.h"
#endif

#include "vx_intrinsics.h"

/* The section is how the driver finds kernels in an object file; the annotation is for passes over the IR. */
#define __kernel extern "C" __attribute__((used, retain, annotate("vortex.kernel"), section(".text.vx_kernel")))

namespace vortex {
namespace detail {

/* A CSR that reads like a number. */
template <int Csr> struct csr_value {
  __attribute__((always_inline)) operator uint32_t() const { return (uint32_t)csr_read_nv(Csr); }
};

template <int Csr> struct csr_dim3 {
  csr_value<Csr> x;
  csr_value<Csr + 1> y;
  csr_value<Csr + 2> z;
};

} // namespace detail
} // namespace vortex

static constexpr vortex::detail::csr_dim3<VX_CSR_CTA_THREAD_ID_X> threadIdx{};
static constexpr vortex::detail::csr_dim3<VX_CSR_CTA_BLOCK_ID_X> blockIdx{};
static constexpr vortex::detail::csr_dim3<VX_CSR_CTA_BLOCK_DIM_X> blockDim{};
static constexpr vortex::detail::csr_dim3<VX_CSR_CTA_GRID_DIM_X> gridDim{};

/* Slot of the CTA on its core. */
__VX_INLINE uint32_t get_local_group_id() { return (uint32_t)csr_read_nv(VX_CSR_CTA_ID); }

__VX_INLINE uint32_t get_cluster_size() { return (uint32_t)csr_read_nv(VX_CSR_CTA_CLUSTER_SIZE); }

__VX_INLINE uint32_t get_cluster_rank() { return get_local_group_id() % get_cluster_size(); }

/* Index of the warp inside its CTA, and the number of warps of the CTA. */
__VX_INLINE uint32_t get_sub_group_id() { return (uint32_t)csr_read_nv(VX_CSR_CTA_RANK); }
__VX_INLINE uint32_t get_num_sub_groups() { return (uint32_t)csr_read_nv(VX_CSR_CTA_SIZE); }

/* Local memory of the CTA; its size is given at the launch. */
__VX_INLINE void *__local_mem() { return (void *)csr_read_nv(VX_CSR_CTA_LMEM_ADDR); }

/* All warps of the CTA meet here; their earlier memory accesses are done before. */
__VX_INLINE void __syncthreads() { vx_barrier((int)get_local_group_id(), (int)get_num_sub_groups()); }

#endif
