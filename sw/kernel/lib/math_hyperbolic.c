/* Hyperbolic functions. */

#include "float_bits.h"
#include <math.h>

float tanhf(float x) {
  float ax = magnitude(x);
  float z = ax * ax;
  float p = fused(0x1.1fc464p-9f, z, -0x1.0db2cep-7f);
  p = fused(p, z, 0x1.63de6cp-6f);
  p = fused(p, z, -0x1.b9f580p-5f);
  p = fused(p, z, 0x1.111086p-3f);
  p = fused(p, z, -0x1.555554p-2f);
  float near = fused(ax * z, p, ax);
  float far = 1.0f - 2.0f / (expf(2.0f * __builtin_fminf(ax, 10.0f)) + 1.0f);
  float result = with_sign_of(ax < 0.6f ? near : far, x);
  return x != x ? x + x : result;
}

/* e^x / 2 as a pair; the half keeps it from overflowing below the functions themselves. */
static inline pair_t half_exp(float x) {
  float shifted = fused(x, LOG2E_HI, ROUNDER);
  float whole = shifted - ROUNDER;
  float r = fused(whole, -LN2_LO, fused(whole, -LN2_HI, x));
  int k = (int)(bits_of(shifted) - bits_of(ROUNDER)) - 1;
  pair_t sum = fast_sum(1.0f, fused(r * r, exp_tail(r), r));
  return (pair_t){scaled(sum.hi, k), scaled(sum.lo, k)};
}

float sinhf(float x) {
  float ax = magnitude(x);
  float z = ax * ax;
  float p = fused(0x1.756c1ep-19f, z, 0x1.a022bcp-13f);
  p = fused(p, z, 0x1.1110e0p-7f);
  p = fused(p, z, 0x1.555556p-3f);
  float near = fused(ax * z, p, ax);
  pair_t e = half_exp(__builtin_fminf(ax, 90.0f));
  pair_t difference = fast_sum(e.hi, -0.25f / e.hi);
  float far = difference.hi + (difference.lo + e.lo);
  float result = with_sign_of(ax < 1.0f ? near : e.hi == INF ? INF : far, x);
  return x != x ? x + x : result;
}

float coshf(float x) {
  pair_t e = half_exp(__builtin_fminf(magnitude(x), 90.0f));
  float result = e.hi + (e.lo + 0.25f / e.hi);
  return x != x ? x + x : e.hi == INF ? INF : result;
}
