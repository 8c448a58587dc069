/* e^x, 2^x, 10^x, e^x - 1. */

#include "float_bits.h"
#include <math.h>

/* e^x = 2^k * (hi + lo); r = x - k ln 2 is in [-0.347, 0.347]. */
typedef struct {
  float r;
  int k;
} reduced_t;

static inline reduced_t reduce(float x) {
  float shifted = fused(x, LOG2E_HI, ROUNDER);
  float whole = shifted - ROUNDER;
  float r = fused(whole, -LN2_LO, fused(whole, -LN2_HI, x));
  return (reduced_t){r, (int)(bits_of(shifted) - bits_of(ROUNDER))};
}

float expf(float x) {
  reduced_t part = reduce(clamp(x, -105.0f, 89.0f));
  float r = part.r;
  float result = scaled(1.0f + fused(r * r, exp_tail(r), r), part.k);
  return x != x ? x + x : result;
}

float exp2f(float x) {
  float result = exp2_of(clamp(x, -152.0f, 129.0f), 0.0f);
  return x != x ? x + x : result;
}

float exp10f(float x) {
  /* x log2(10) = hi + lo; both factors carry what single precision cannot. */
  float c = clamp(x, -46.0f, 39.0f);
  pair_t product = product_of(c, 0x1.a934f0p+1f);
  float result = exp2_of(product.hi, fused(c, 0x1.2f346ep-24f, product.lo));
  return x != x ? x + x : result;
}

float expm1f(float x) {
  reduced_t part = reduce(clamp(x, -18.0f, 89.0f));
  float r = part.r;
  float tail = r * r * exp_tail(r);
  /* 2^k (e^r - 1) + (2^k - 1); for k = 0 the second term is 0 and nothing is lost. */
  int half = part.k >> 1;
  float first = float_of((uint32_t)(half + 127) << 23);
  float second = float_of((uint32_t)(part.k - half + 127) << 23);
  pair_t rest = fast_sum(r, tail);
  float offset = first - 1.0f / second; /* (2^k - 1) / second, exact enough: only its sum with `rest` is rounded */
  pair_t sum = sum_of(offset, rest.hi * first);
  float result = (sum.hi + fused(rest.lo, first, sum.lo)) * second;
  result = part.k == 0 ? r + tail : result;
  return x != x ? x + x : x == 0.0f ? x : result;
}
