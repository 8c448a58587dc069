// Integer matrix product modulo 2^32, one element a thread: the load that the benchmark measures.
#include <vx_spawn2.h>

struct arguments_t {
  uint32_t size;
  uint64_t a, b, c;
};

__kernel void bench_sgemm(const arguments_t *args) {
  uint32_t column = blockIdx.x * blockDim.x + threadIdx.x;
  uint32_t row = blockIdx.y * blockDim.y + threadIdx.y;
  uint32_t n = args->size;
  auto a = (const uint32_t *)(uintptr_t)args->a;
  auto b = (const uint32_t *)(uintptr_t)args->b;
  auto c = (uint32_t *)(uintptr_t)args->c;
  uint32_t sum = 0;
  for (uint32_t k = 0; k < n; ++k)
    sum += a[row * n + k] * b[k * n + column];
  c[row * n + column] = sum;
}
