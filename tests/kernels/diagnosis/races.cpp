/* Races and what prevents them; names in brackets mark the lines that tests/unit/test_golden_diag_kernels.py asserts. */

#include <vx_allow.h>
#include <vx_spawn2.h>

typedef struct {
  uint64_t out; /* uint32_t[64] */
  uint64_t flag;
} args_t;

typedef volatile uint32_t *words_t;

static inline words_t out_of(const args_t *args) { return (words_t)(uintptr_t)args->out; }
static inline words_t flag_of(const args_t *args) { return (words_t)(uintptr_t)args->flag; }

__kernel void lane_race(const args_t *args) {
  out_of(args)[0] = threadIdx.x; // [lane store]
}

__kernel void lane_same(const args_t *args) {
  out_of(args)[0] = 7; // [same store]
}

__kernel void warp_race(const args_t *args) {
  uint32_t i = threadIdx.x;
  words_t out = out_of(args);
  out[i] = i;                   // [warp store]
  out[16 + i] = out[i ^ 4] + 1; // [warp load]
}

__kernel void warp_barrier(const args_t *args) {
  uint32_t i = threadIdx.x;
  words_t out = out_of(args);
  out[i] = i;
  __syncthreads();
  out[16 + i] = out[i ^ 4] + 1;
}

__kernel void block_race(const args_t *args) {
  out_of(args)[threadIdx.x] = blockIdx.x; // [block store]
}

__kernel void block_race_allowed(const args_t *args) {
  VX_ALLOW(race_cta);
  out_of(args)[threadIdx.x] = blockIdx.x;
}

/* The first warp hands a word to the second; both branches are those of a whole warp. */
__kernel void flag_with_fences(const args_t *args) {
  words_t out = out_of(args), flag = flag_of(args);
  if (get_sub_group_id() == 0) {
    out[threadIdx.x] = 5;
    vx_fence();
    *flag = 1;
  } else {
    while (*flag == 0) {
    }
    vx_fence();
    out[16 + threadIdx.x] = out[threadIdx.x - 4];
  }
}

__kernel void flag_without_acquire(const args_t *args) {
  words_t out = out_of(args), flag = flag_of(args);
  if (get_sub_group_id() == 0) {
    out[threadIdx.x] = 5; // [data store]
    vx_fence();
    *flag = 1; // [flag store]
  } else {
    while (*flag == 0) { // [flag load]
    }
    out[16 + threadIdx.x] = out[threadIdx.x - 4]; // [data load]
  }
}

__kernel void arrive_and_wait(const args_t *args) {
  words_t out = out_of(args);
  uint32_t i = threadIdx.x;
  int id = (int)get_local_group_id() + 256, warps = (int)get_num_sub_groups();
  out[i] = i;
  int phase = vx_barrier_arrive(id, warps);
  vx_barrier_wait(id, phase);
  out[16 + i] = out[i ^ 4];
}
