/* Eight gathered loads for each result, all of which can be outstanding at once; their product with 0 is 0. */

#include <vx_spawn2.h>

#include "../device_ptr.h"

struct args_t {
  uint32_t num_tasks;
  uint32_t size;   // results of a task
  uint32_t stride; // from a task's results to those of the next
  device_ptr<const uint32_t> indices;
  device_ptr<const float> values;
  device_ptr<float> dst;
};

enum { LOADS = 8 };

__kernel void mstress(const args_t *args) {
  uint32_t task = blockIdx.x * blockDim.x + threadIdx.x;
  uint32_t first = task * args->stride;
  for (uint32_t i = first; i < first + args->size; ++i) {
    const uint32_t *indices = args->indices + i * LOADS;
    const float *values = args->values;
    float product = 0;
    for (uint32_t j = 0; j < LOADS; ++j)
      product *= values[indices[j]];
    args->dst[i] = product;
  }
}
