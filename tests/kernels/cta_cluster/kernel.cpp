/* The CTAs of a cluster are on one core at the same time, in neighbouring slots of local memory: each fills its own, all
 * meet at a barrier, and each adds up its peers'. The last barrier keeps a slot from being handed on too early.
 */

#include <vx_barrier.h>
#include <vx_spawn2.h>

#include "../device_ptr.h"

struct args_t {
  uint32_t slot_bytes; // distance of two slots
  device_ptr<uint32_t> dst; // [grid][block]
};

__kernel void cta_cluster(const args_t *args) {
  uint32_t members = get_cluster_size(), rank = get_cluster_rank();
  uint32_t own = threadIdx.x, cta = blockIdx.x;
  auto slot = (volatile uint32_t *)__local_mem();
  uintptr_t first = (uintptr_t)__local_mem() - rank * args->slot_bytes;
  vortex::group_barrier together(1 + get_local_group_id() / members, members * get_num_sub_groups());

  slot[own] = 100 * cta + own;
  together.arrive_and_wait();
  uint32_t sum = 0;
  for (uint32_t peer = 0; peer < members; ++peer)
    sum += ((volatile uint32_t *)(first + peer * args->slot_bytes))[own];
  together.arrive_and_wait();
  args->dst[cta * blockDim.x + own] = sum + (rank << 24);
}
