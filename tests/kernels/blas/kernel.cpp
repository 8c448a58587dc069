/* A small library of linear algebra, ten named kernels in one image over single-precision vectors and row-major matrices.
 * Reductions leave one result a block. Sums inside a block are made in local memory, 4 bytes a thread.
 */

#include <math.h>
#include <vx_spawn2.h>

#include "../device_ptr.h"

struct args_t {
  uint32_t m, n; // rows and columns; vectors have n elements
  float alpha, beta;
  device_ptr<float> a; // [m][n]
  device_ptr<float> x;
  device_ptr<float> y;
};

namespace {

uint32_t thread() {
  return blockIdx.x * blockDim.x + threadIdx.x;
}

/* Sum over the block, valid in its first thread. The block is a power of two. */
float block_sum(float value) {
  auto partial = (float *)__local_mem();
  uint32_t own = threadIdx.x;
  partial[own] = value;
  __syncthreads();
  for (uint32_t half = blockDim.x / 2; half > 0; half /= 2) {
    if (own < half)
      partial[own] += partial[own + half];
    __syncthreads();
  }
  return partial[0];
}

} // namespace

__kernel void scopy(const args_t *args) {
  uint32_t i = thread();
  if (i < args->n)
    args->y[i] = args->x[i];
}

__kernel void sswap(const args_t *args) {
  uint32_t i = thread();
  if (i >= args->n)
    return;
  float kept = args->x[i];
  args->x[i] = args->y[i];
  args->y[i] = kept;
}

__kernel void sscal(const args_t *args) {
  uint32_t i = thread();
  if (i < args->n)
    args->x[i] *= args->alpha;
}

__kernel void saxpy(const args_t *args) {
  uint32_t i = thread();
  if (i < args->n)
    args->y[i] = fmaf(args->alpha, args->x[i], args->y[i]);
}

/* a[block] = sum over the block of x * y */
__kernel void sdot(const args_t *args) {
  uint32_t i = thread();
  float sum = block_sum(i < args->n ? args->x[i] * args->y[i] : 0);
  if (threadIdx.x == 0)
    args->a[blockIdx.x] = sum;
}

/* a[block] = sum over the block of |x| */
__kernel void sasum(const args_t *args) {
  uint32_t i = thread();
  float sum = block_sum(i < args->n ? fabsf(args->x[i]) : 0);
  if (threadIdx.x == 0)
    args->a[blockIdx.x] = sum;
}

/* Index of the first element with the largest magnitude in each row of a, as a float. */
__kernel void isamax(const args_t *args) {
  uint32_t row = thread();
  if (row >= args->m)
    return;
  const float *a = args->a + row * args->n;
  uint32_t best = 0;
  for (uint32_t column = 1; column < args->n; ++column)
    if (fabsf(a[column]) > fabsf(a[best]))
      best = column;
  args->y[row] = (float)best;
}

/* y = alpha * a * x + beta * y, a row a thread */
__kernel void sgemv(const args_t *args) {
  uint32_t row = thread();
  if (row >= args->m)
    return;
  float sum = 0;
  for (uint32_t column = 0; column < args->n; ++column)
    sum = fmaf(args->a[row * args->n + column], args->x[column], sum);
  args->y[row] = fmaf(args->alpha, sum, args->beta * args->y[row]);
}

/* a += alpha * x * y' */
__kernel void sger(const args_t *args) {
  uint32_t i = thread();
  uint32_t columns = args->n;
  if (i < args->m * columns)
    args->a[i] = fmaf(args->alpha * args->x[i / columns], args->y[i % columns], args->a[i]);
}

/* Solves u * x = y for an upper triangle u = a (m = n), in one thread: rows depend on those below. */
__kernel void strsv(const args_t *args) {
  if (thread() != 0)
    return;
  uint32_t n = args->n;
  for (uint32_t row = n; row-- > 0;) {
    float rest = args->y[row];
    for (uint32_t column = row + 1; column < n; ++column)
      rest = fmaf(-args->a[row * n + column], args->x[column], rest);
    args->x[row] = rest / args->a[row * n + row];
  }
}
