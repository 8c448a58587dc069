/* Barriers with arrival and waiting apart (docs/reference/vortex.md 2.7 and 10.4). C++ only.
 *
 * Number 0 of `barrier` is the one that __syncthreads() uses. A `group_barrier` shares its storage with the `barrier`
 * of the same number of the CTA in slot 0: use distinct numbers.
 */

#ifndef VX_BARRIER_H
#define VX_BARRIER_H

#include "vx_spawn2.h"

namespace vortex {

/* Between the warps of one CTA. */
class barrier {
public:
  explicit barrier(uint32_t number, uint32_t warps = get_num_sub_groups())
      : id_((number << 8) + get_local_group_id()), count_(warps) {}

  uint32_t arrive() const { return (uint32_t)vx_barrier_arrive((int)id_, (int)count_); }
  void wait(uint32_t phase) const { vx_barrier_wait((int)id_, (int)phase); }
  void arrive_and_wait() const { vx_barrier((int)id_, (int)count_); }
  void expect_tx(uint32_t transactions = 1) const { vx_barrier_expect_tx((int)id_, (int)transactions); }
  uint32_t id() const { return id_; }

private:
  uint32_t id_;
  uint32_t count_;
};

/* Between cores: every active warp of each core takes part. */
class gbarrier {
public:
  explicit gbarrier(uint32_t number, uint32_t cores = (uint32_t)vx_num_cores())
      : id_((number << 8) | 0x80000000u), count_(cores) {}

  uint32_t arrive() const { return (uint32_t)vx_barrier_arrive((int)id_, (int)count_); }
  void wait(uint32_t phase) const { vx_barrier_wait((int)id_, (int)phase); }
  void arrive_and_wait() const { vx_barrier((int)id_, (int)count_); }
  void expect_tx(uint32_t transactions = 1) const { vx_barrier_expect_tx((int)id_, (int)transactions); }
  uint32_t id() const { return id_; }

private:
  uint32_t id_;
  uint32_t count_;
};

/* Between chosen warps of one core, of any CTA. */
class group_barrier {
public:
  group_barrier(uint32_t number, uint32_t peers) : id_(number << 8), count_(peers) {}

  uint32_t arrive() const { return (uint32_t)vx_barrier_arrive((int)id_, (int)count_); }
  void wait(uint32_t phase) const { vx_barrier_wait((int)id_, (int)phase); }
  void arrive_and_wait() const { vx_barrier((int)id_, (int)count_); }
  uint32_t id() const { return id_; }

private:
  uint32_t id_;
  uint32_t count_;
};

} // namespace vortex

#endif
