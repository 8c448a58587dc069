/* Four kernels that share constructors, which run in an order, thread-local data and one function. Constructors run once a
 * warp and launch in all lanes, so they only ever store the same values.
 */

#include <vx_spawn2.h>

#include "../device_ptr.h"

struct args_t {
  uint32_t count;
  device_ptr<uint32_t> dst;
};

namespace {

struct primes_t {
  uint32_t values[8];

  primes_t() {
    uint32_t found = 0;
    volatile uint32_t first = 2; // or the compiler makes the table
    for (uint32_t n = first; found < 8; ++n) {
      bool prime = true;
      for (uint32_t i = 0; i < found; ++i)
        prime = prime && n % values[i] != 0;
      if (prime)
        values[found++] = n;
    }
  }
};

struct sums_t {
  uint32_t values[8];

  explicit sums_t(const primes_t &primes) {
    uint32_t sum = 0;
    for (uint32_t i = 0; i < 8; ++i)
      values[i] = sum += primes.values[i];
  }
};

/* The second needs the first. */
__attribute__((init_priority(200))) primes_t g_primes;
__attribute__((init_priority(300))) sums_t g_sums(g_primes);

thread_local uint32_t t_seed = 0x1234;
thread_local uint32_t t_calls;
thread_local uint16_t t_small = 7;

__attribute__((noinline)) uint32_t next(uint32_t value) {
  volatile uint32_t *calls = &t_calls;
  *calls = *calls + 1;
  return value * 5 + t_small;
}

uint32_t thread() {
  return blockIdx.x * blockDim.x + threadIdx.x;
}

} // namespace

__kernel void prime_k(const args_t *args) {
  uint32_t i = thread();
  if (i < args->count)
    args->dst[i] = g_primes.values[i & 7];
}

__kernel void sum_k(const args_t *args) {
  uint32_t i = thread();
  if (i < args->count)
    args->dst[i] = g_sums.values[i & 7] - g_primes.values[7 - (i & 7)];
}

/* The numbers of calls of the lanes differ, and each counts its own. */
__kernel void calls_k(const args_t *args) {
  uint32_t i = thread();
  if (i >= args->count)
    return;
  t_calls = 0;
  uint32_t value = t_seed;
  for (uint32_t step = 0; step < i % 5; ++step)
    value = next(value);
  args->dst[i] = value ^ t_calls << 24;
}

__kernel void mixed_k(const args_t *args) {
  uint32_t i = thread();
  if (i >= args->count)
    return;
  t_calls = i;
  args->dst[i] = next(g_primes.values[i & 7]) + t_calls + g_sums.values[3];
}
