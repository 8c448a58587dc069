/* One sweep of Jacobi's method for a * x = b, a row a thread, summed in double precision. */

#include <vx_spawn2.h>

#include "../device_ptr.h"

struct args_t {
  uint32_t size;
  device_ptr<const float> a; // [size][size]
  device_ptr<const float> x; // of the sweep before
  device_ptr<const float> b;
  device_ptr<float> dst;
};

__kernel void jacobi(const args_t *args) {
  uint32_t row = blockIdx.x * blockDim.x + threadIdx.x;
  if (row >= args->size)
    return;
  const float *a = args->a + row * args->size;
  double sum = 0;
  for (uint32_t column = 0; column < args->size; ++column)
    if (column != row)
      sum += (double)a[column] * (double)args->x[column];
  args->dst[row] = (float)(((double)args->b[row] - sum) / (double)a[row]);
}
