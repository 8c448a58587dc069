/* y = a * x for a sparse float matrix in compressed rows; a thread adds up one row, and rows differ in length. */

#include <vx_spawn2.h>

#include "../device_ptr.h"

struct args_t {
  uint32_t num_rows;
  device_ptr<const uint32_t> row_start; // [num_rows + 1]
  device_ptr<const uint32_t> columns;
  device_ptr<const float> values;
  device_ptr<const float> x;
  device_ptr<float> y;
};

__kernel void spmv(const args_t *args) {
  uint32_t row = blockIdx.x * blockDim.x + threadIdx.x;
  if (row >= args->num_rows)
    return;
  float sum = 0;
  for (uint32_t i = args->row_start[row]; i < args->row_start[row + 1]; ++i)
    sum += args->values[i] * args->x[args->columns[i]];
  args->y[row] = sum;
}
