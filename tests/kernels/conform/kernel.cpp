/* A stand-alone program of the legacy library that tries one feature of the machine after the other (docs/reference/vortex.md
 * 11.6) and writes the number of wrong words of each to `errors`; what it does in assembly, a compiler can't rearrange.
 */

#include <vx_print.h>
#include <vx_spawn.h>

#include "../device_ptr.h"

enum {
  GLOBAL_MEMORY, LOCAL_MEMORY, TMC, PRED, DIVERGENCE, WSPAWN, SPAWN_TASKS, SERIAL, BARRIER, TLS, VOTE, SHUFFLE, TESTS
};

struct args_t {
  device_ptr<uint32_t> errors;  // [TESTS]
  device_ptr<uint32_t> scratch; // [SCRATCH]
};

enum { SCRATCH = 256, LANES = VX_CFG_NUM_THREADS, WARPS = VX_CFG_NUM_WARPS, ALL = (LANES < 32 ? 1 << LANES : 0) - 1 };

static uint32_t *scratch; // shared by all warps of the core
thread_local uint32_t t_value = 1234;

VX_SINGLE_LANE static uint32_t count_wrong(uint32_t (*expected)(uint32_t), uint32_t words) {
  uint32_t wrong = 0;
  for (uint32_t i = 0; i < words; ++i)
    wrong += ((volatile uint32_t *)scratch)[i] != expected(i);
  return wrong;
}

VX_SINGLE_LANE static void clear() {
  for (uint32_t i = 0; i < SCRATCH; ++i)
    ((volatile uint32_t *)scratch)[i] = 0xdeadbeef;
}

VX_SINGLE_LANE static uint32_t memory(volatile uint8_t *base) {
  auto words = (volatile uint32_t *)base;
  auto halves = (volatile uint16_t *)base;
  for (uint32_t i = 0; i < 16; ++i)
    words[i] = i * 0x01010101;
  base[5] = 0xAA;
  halves[5] = 0xBBCC;
  uint32_t wrong = words[1] != 0x0101AA01;
  wrong += words[2] != 0xBBCC0202;
  wrong += base[11] != 0xBB;
  wrong += (int8_t)base[5] != -86;
  for (uint32_t i = 3; i < 16; ++i)
    wrong += words[i] != i * 0x01010101;
  return wrong;
}

/* ---- one warp with all lanes: each runs a function, then lane 0 goes on alone ---- */

/* Woken lanes hold nothing that this function has computed, so every register is written again after the TMC. */
static void store_under_mask(uint32_t mask) {
  __asm__ __volatile__(".insn r 0x0B, 0, 0, x0, %0, x0\n" // tmc mask
                       "csrr t0, 0xCC0\n"                  // lane
                       "lui t1, %%hi(%1)\n"
                       "lw t1, %%lo(%1)(t1)\n"
                       "slli t2, t0, 2\n"
                       "add t1, t1, t2\n"
                       "addi t0, t0, 1\n"
                       "sw t0, 0(t1)\n"
                       "li t0, 1\n"
                       ".insn r 0x0B, 0, 0, x0, t0, x0\n"
                       :
                       : "r"(mask), "i"(&scratch)
                       : "t0", "t1", "t2", "memory");
}

static uint32_t even_lanes(uint32_t i) {
  return i < LANES && i % 2 == 0 ? i + 1 : 0xdeadbeef;
}

static uint32_t all_lanes(uint32_t i) {
  return i < LANES ? i + 1 : 0xdeadbeef;
}

/* ---- tasks over all warps and lanes ---- */

static uint32_t lane_of_task() {
  return (uint32_t)vx_thread_id();
}

static void loop_task(void *) {
  uint32_t steps = 0;
  for (uint32_t i = 0; i < blockIdx.x % 7; ++i) {
    steps += i + 1;
    __asm__ __volatile__("" : "+r"(steps)); // or the compiler makes a formula of the loop
  }
  scratch[blockIdx.x] = steps;
}

static uint32_t loop_expected(uint32_t i) {
  uint32_t n = i % 7;
  return i < 64 ? n * (n + 1) / 2 : 0xdeadbeef;
}

static void branch_task(void *) {
  uint32_t i = blockIdx.x, value = 0;
  if (i & 1) {
    value = i & 2 ? 30 + i : 20 + i;
    if (i & 4)
      value *= 2;
  } else if (i & 8) {
    value = 5;
  }
  scratch[i] = value;
}

static uint32_t branch_expected(uint32_t i) {
  uint32_t odd = (i & 2 ? 30 + i : 20 + i) << (i & 4 ? 1 : 0);
  return i >= 64 ? 0xdeadbeef : i & 1 ? odd : i & 8 ? 5 : 0;
}

static void number_task(void *) {
  scratch[blockIdx.x] = 3 * blockIdx.x + 7;
}

static uint32_t number_expected(uint32_t i) {
  return i < 100 ? 3 * i + 7 : 0xdeadbeef;
}

static uint32_t turns; // taken so far

static void take_turn(void *) {
  volatile uint32_t *next = &turns;
  scratch[*next] = lane_of_task();
  *next = *next + 1;
}

static void serial_task(void *) {
  if (vx_warp_id() == 0)
    vx_serial(take_turn, nullptr);
}

static uint32_t serial_expected(uint32_t i) {
  return i < LANES ? i : 0xdeadbeef;
}

static void barrier_task(void *) {
  volatile uint32_t *words = scratch;
  uint32_t own = threadIdx.x;
  words[own] = own + 100;
  __syncthreads();
  uint32_t other = words[LANES * WARPS - 1 - own];
  __syncthreads();
  words[own] = other;
}

static uint32_t barrier_expected(uint32_t i) {
  return i < LANES * WARPS ? LANES * WARPS - 1 - i + 100 : 0xdeadbeef;
}

static void tls_task(void *) {
  volatile uint32_t *own = &t_value;
  *own = *own + blockIdx.x;
  scratch[blockIdx.x] = *own;
}

static uint32_t tls_expected(uint32_t i) {
  return i < LANES * WARPS ? 1234 + i : 0xdeadbeef;
}

static void vote_task(void *) {
  uint32_t lane = lane_of_task();
  uint32_t bits = (uint32_t)vx_vote_ballot(lane & 1);
  uint32_t votes = (uint32_t)vx_vote_all(1) | (uint32_t)vx_vote_any(lane == 0) << 1 | (uint32_t)vx_vote_uni(0) << 2;
  scratch[blockIdx.x] = bits << 8 | votes;
}

static uint32_t vote_expected(uint32_t i) {
  uint32_t bits = 0;
  for (uint32_t lane = 1; lane < LANES; lane += 2)
    bits |= 1u << lane;
  return i < LANES * WARPS ? bits << 8 | 7 : 0xdeadbeef;
}

static void shuffle_task(void *) {
  uint32_t lane = lane_of_task();
  uint32_t value = 10 * lane;
  uint32_t crossed = (uint32_t)vx_shfl_bfly(value, 1, LANES - 1, 0);
  uint32_t below = (uint32_t)vx_shfl_up(value, 1, LANES - 1, 0);
  scratch[blockIdx.x] = crossed << 16 | below;
}

static uint32_t shuffle_expected(uint32_t i) {
  uint32_t lane = i % LANES, below = lane > 0 ? lane - 1 : lane, crossed = LANES > 1 ? lane ^ 1 : lane;
  return i < LANES * WARPS ? 10 * crossed << 16 | 10 * below : 0xdeadbeef;
}

/* ---- warps started by hand ---- */

static void started() {
  scratch[vx_warp_id()] = 50 + (uint32_t)vx_warp_id();
  vx_wsync();
  vx_tmc_zero();
}

static uint32_t spawn_expected(uint32_t i) {
  return i < WARPS ? 50 + i : 0xdeadbeef;
}

static uint32_t tasks(vx_kernel_func_cb run, uint32_t count, uint32_t (*expected)(uint32_t)) {
  clear();
  vx_spawn_threads(1, &count, nullptr, run, nullptr);
  return count_wrong(expected, SCRATCH);
}

int main() {
  auto args = (const args_t *)csr_read(VX_CSR_MSCRATCH);
  if (vx_core_id() != 0)
    return 0;
  scratch = args->scratch;
  volatile uint32_t *errors = (uint32_t *)args->errors;

  errors[GLOBAL_MEMORY] = memory((volatile uint8_t *)scratch);
  errors[LOCAL_MEMORY] = memory((volatile uint8_t *)csr_read_nv(VX_CSR_LOCAL_MEM_BASE));

  clear();
  store_under_mask(0x55555555u & (uint32_t)ALL);
  errors[TMC] = count_wrong(even_lanes, SCRATCH);
  clear();
  store_under_mask((uint32_t)ALL);
  errors[TMC] += count_wrong(all_lanes, SCRATCH);

  errors[PRED] = tasks(loop_task, 64, loop_expected);
  errors[DIVERGENCE] = tasks(branch_task, 64, branch_expected);

  clear();
  scratch[0] = 50;
  vx_wspawn(WARPS, started);
  vx_wspawn(1, nullptr); // waits until they have ended
  errors[WSPAWN] = count_wrong(spawn_expected, SCRATCH);

  errors[SPAWN_TASKS] = tasks(number_task, 100, number_expected);
  errors[SERIAL] = tasks(serial_task, LANES, serial_expected);

  clear();
  uint32_t one = 1, block = LANES * WARPS;
  vx_spawn_threads(1, &one, &block, barrier_task, nullptr);
  errors[BARRIER] = count_wrong(barrier_expected, SCRATCH);

  errors[TLS] = tasks(tls_task, LANES * WARPS, tls_expected);
  errors[VOTE] = tasks(vote_task, LANES * WARPS, vote_expected);
  errors[SHUFFLE] = tasks(shuffle_task, LANES * WARPS, shuffle_expected);
  return 0;
}
