/* Cores exchange values around two global barriers. As many blocks of one warp as there are warps, so each warp of each
 * core runs one; every thread publishes a value, reads one of another core, publishes a second and reads that too.
 *
 * A global barrier counts the warps that are active at the moment, so all warps of a core meet locally before the first.
 * Caches of different cores are not coherent: FENCE before an arrival and after the wait.
 */

#include <vx_barrier.h>
#include <vx_spawn2.h>

#include "../device_ptr.h"

struct args_t {
  uint32_t num_cores;
  uint32_t num_groups;
  uint32_t group_size;
  device_ptr<uint32_t> pre;    // [num_groups * group_size]
  device_ptr<uint32_t> post;   // [num_groups * group_size]
  device_ptr<uint32_t> wrong;  // [num_groups * group_size]: 0 if the thread saw what it had to
};

__kernel void async_gbarrier(const args_t *args) {
  uint32_t threads = args->num_groups * args->group_size;
  uint32_t own = blockIdx.x * blockDim.x + threadIdx.x;
  uint32_t peer = threads - 1 - own;
  volatile uint32_t *pre = (uint32_t *)args->pre, *post = (uint32_t *)args->post;
  vortex::gbarrier published(1, args->num_cores), answered(2, args->num_cores);
  vortex::group_barrier(3, (uint32_t)vx_num_warps()).arrive_and_wait();

  pre[own] = 7 * own + 1;
  vx_fence();
  uint32_t phase = published.arrive();
  uint32_t expected = 7 * peer + 1;
  published.wait(phase);
  vx_fence();
  uint32_t wrong = pre[peer] != expected;

  post[own] = pre[peer] ^ 0x5555;
  vx_fence();
  phase = answered.arrive();
  expected = (7 * own + 1) ^ 0x5555;
  answered.wait(phase);
  vx_fence();
  wrong |= (uint32_t)(post[peer] != expected) << 1;
  args->wrong[own] = wrong;
}
