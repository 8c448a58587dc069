/* Twenty-four small computations, chosen by number through a table of functions (docs/reference/vortex.md 11.3). */

#include <math.h>
#include <vx_barrier.h>
#include <vx_spawn2.h>

#include "../device_ptr.h"

struct args_t {
  uint32_t test;
  uint32_t num_tasks;
  uint32_t task_size;
  device_ptr<const void> src0;
  device_ptr<const void> src1;
  device_ptr<void> dst;
};

namespace {

using run_t = void (*)(const args_t *, uint32_t first, uint32_t last);

template <typename In, typename Out, Out (*Compute)(In, In, uint32_t)>
void each(const args_t *__UNIFORM__ args, uint32_t first, uint32_t last) {
  auto a = (const In *)(const void *)args->src0, b = (const In *)(const void *)args->src1;
  auto dst = (Out *)(void *)args->dst;
  for (uint32_t i = first; i < last; ++i)
    dst[i] = Compute(a[i], b[i], i);
}

int iadd(int a, int b, uint32_t) { return a + b; }
int imul(int a, int b, uint32_t) { return a * b; }
int idiv(int a, int b, uint32_t) { return a / b; }
int idiv_mul(int a, int b, uint32_t) { return a / b + a * b; }
float fadd(float a, float b, uint32_t) { return a + b; }
float fsub(float a, float b, uint32_t) { return a - b; }
float fmul(float a, float b, uint32_t) { return a * b; }
float fmadd(float a, float b, uint32_t) { return a * b + b; }
float fmsub(float a, float b, uint32_t) { return a * b - b; }
float fnmadd(float a, float b, uint32_t) { return -a * b - b; }
float fnmsub(float a, float b, uint32_t) { return -a * b + b; }
float fnmadd_madd(float a, float b, uint32_t) { return (-a * b - b) + (a * b + b); }
float fdivide(float a, float b, uint32_t) { return a / b; }
float fdiv2(float a, float b, uint32_t) { return a / b + b / a; }
float froot(float a, float b, uint32_t) { return sqrtf(a * b); }
int ftoi(float a, float b, uint32_t) { return (int)(a + b); }
uint32_t ftou(float a, float b, uint32_t) { return (uint32_t)(a + b); }
float itof(int a, int b, uint32_t) { return (float)(a + b); }
float utof(uint32_t a, uint32_t b, uint32_t) { return (float)(a + b); }
float fclamp(float a, float b, uint32_t) { return fminf(fmaxf(1.0f, a), b); }
int iclamp(int a, int b, uint32_t) {
  int low = a > 1 ? a : 1;
  return low < b ? low : b;
}
float trig(float a, float b, uint32_t i) {
  float c = a * b;
  return i % 4 == 0 ? sinf(c) : c;
}

/* The first thread of a core copies, everybody else waits; then all add one. One block a core. */
void copy_and_add(const args_t *__UNIFORM__ args, bool __UNIFORM__ copies, uint32_t first, uint32_t last,
                  uint32_t __UNIFORM__ from, uint32_t __UNIFORM__ to, uint32_t __UNIFORM__ barrier,
                  uint32_t __UNIFORM__ members) {
  auto src = (const int *)(const void *)args->src0;
  auto dst = (volatile int *)(void *)args->dst;
  if (copies && threadIdx.x == 0)
    for (uint32_t i = from; i < to; ++i)
      dst[i] = src[i];
  vx_fence();
  vx_barrier((int)barrier, (int)members);
  vx_fence();
  for (uint32_t i = first; i < last; ++i)
    dst[i] = dst[i] + 1;
}

void bar(const args_t *__UNIFORM__ args, uint32_t first, uint32_t last) {
  uint32_t share = blockDim.x * args->task_size;
  uint32_t from = blockIdx.x * share;
  copy_and_add(args, true, first, last, from, from + share, get_local_group_id(), get_num_sub_groups());
}

void gbar(const args_t *__UNIFORM__ args, uint32_t first, uint32_t last) {
  // All warps of the core have to be there before the first arrives at a barrier between cores.
  __syncthreads();
  uint32_t all = args->num_tasks * args->task_size;
  copy_and_add(args, blockIdx.x == 0, first, last, 0, all, 0x80000000u, (uint32_t)vx_num_cores());
}

const run_t TESTS[] = {
    each<int, int, iadd>,           each<int, int, imul>,          each<int, int, idiv>,
    each<int, int, idiv_mul>,       each<float, float, fadd>,      each<float, float, fsub>,
    each<float, float, fmul>,       each<float, float, fmadd>,     each<float, float, fmsub>,
    each<float, float, fnmadd>,     each<float, float, fnmsub>,    each<float, float, fnmadd_madd>,
    each<float, float, fdivide>,    each<float, float, fdiv2>,     each<float, float, froot>,
    each<float, int, ftoi>,         each<float, uint32_t, ftou>,   each<int, float, itof>,
    each<uint32_t, float, utof>,    each<float, float, fclamp>,    each<int, int, iclamp>,
    each<float, float, trig>,       bar,                           gbar,
};

} // namespace

__kernel void dogfood(const args_t *args) {
  uint32_t task = blockIdx.x * blockDim.x + threadIdx.x;
  uint32_t first = task * args->task_size;
  TESTS[args->test](args, first, first + args->task_size);
}
