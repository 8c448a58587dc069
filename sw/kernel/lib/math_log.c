/* Logarithms to the bases e, 2 and 10, and log(1 + x). */

#include "float_bits.h"
#include <math.h>

/* log(1 + f) - f for -0.293 <= f <= 0.4143, relative error of log(1 + f) 2^-30. */
static inline float log_tail(float f) {
  float p = fused(0x1.148256p-4f, f, -0x1.de1140p-4f);
  p = fused(p, f, 0x1.e6c1f4p-4f);
  p = fused(p, f, -0x1.fc26d2p-4f);
  p = fused(p, f, 0x1.233b6ap-3f);
  p = fused(p, f, -0x1.555c4cp-3f);
  p = fused(p, f, 0x1.99a478p-3f);
  p = fused(p, f, -0x1.000006p-2f);
  p = fused(p, f, 0x1.555548p-2f);
  p = fused(p, f, -0.5f);
  return f * f * p;
}

/* What every logarithm does outside the positive finite numbers. */
static inline float special(float x, float result) {
  result = x == INF ? INF : result;
  result = x == 0.0f ? -INF : result;
  return x < 0.0f || x != x ? NOT_A_NUMBER : result;
}

float logf(float x) {
  parts_t part = parts_of(x);
  float f = part.mantissa - 1.0f;
  float k = (float)part.exponent;
  float tail = fused(k, LN2_LO, log_tail(f));
  /* For k = 0 the sum of f and its tail is all; else k ln 2 is much larger and rounded once with it. */
  pair_t rest = fast_sum(f, tail);
  return special(x, fused(k, LN2_HI, rest.hi) + (part.exponent == 0 ? 0.0f : rest.lo));
}

/* k + (f + tail) * (hi + lo), in an order that loses little. */
static inline float in_base(float k, float f, float tail, float hi, float lo, float k_hi, float k_lo) {
  pair_t natural = fast_sum(f, tail);
  pair_t product = product_of(natural.hi, hi);
  float small = fused(natural.lo, hi, fused(natural.hi, lo, product.lo));
  small = fused(k, k_lo, small);
  pair_t whole = product_of(k, k_hi);
  pair_t sum = sum_of(whole.hi, product.hi);
  return sum.hi + (sum.lo + (whole.lo + small));
}

float log2f(float x) {
  parts_t part = parts_of(x);
  float f = part.mantissa - 1.0f;
  return special(x, in_base((float)part.exponent, f, log_tail(f), LOG2E_HI, LOG2E_LO, 1.0f, 0.0f));
}

float log10f(float x) {
  parts_t part = parts_of(x);
  float f = part.mantissa - 1.0f;
  float result = in_base((float)part.exponent, f, log_tail(f), 0x1.bcb7b2p-2f, -0x1.5b235ep-27f, 0x1.344136p-2f,
                         -0x1.ec10c0p-27f);
  return special(x, result);
}

float log1pf(float x) {
  /* 1 + x = u + lost, exactly; log(u + lost) = k ln 2 + log(1 + f) with f = (u + lost) / 2^k - 1. */
  pair_t u = sum_of(1.0f, x);
  parts_t part = parts_of(u.hi);
  float k = (float)part.exponent;
  pair_t f = sum_of(part.mantissa - 1.0f, scaled(u.lo, -part.exponent));
  float result = fused(k, LN2_HI, f.hi + (log_tail(f.hi) + fused(k, LN2_LO, f.lo / (1.0f + f.hi))));
  result = part.exponent == 0 ? x + log_tail(x) : result;
  result = x == INF ? INF : result;
  result = x == -1.0f ? -INF : result;
  result = x < -1.0f || x != x ? NOT_A_NUMBER : result;
  return magnitude(x) < 0x1p-25f ? x : result;
}
