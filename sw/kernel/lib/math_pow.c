/* x^y by way of 2^(y log2 x), the logarithm to about 36 bits. */

#include "float_bits.h"
#include <math.h>

#define TWO_LOG2E_HI 0x1.715476p+1f
#define TWO_LOG2E_LO 0x1.4ae0c0p-25f
#define THIRD_HI 0x1.555556p-2f
#define THIRD_LO -0x1.555556p-27f

/* log2 of a positive finite number: k + 2/ln 2 * atanh(s), s = (m - 1) / (m + 1). */
static inline pair_t log2_of(float x) {
  parts_t part = parts_of(x);
  float f = part.mantissa - 1.0f;
  float below = f + 2.0f;
  float lost = (2.0f - below) + f;
  float s = f / below;
  float s_lo = fused(-s, lost, fused(-s, below, f)) / below;
  float z = s * s;
  float z_lo = fused(s, s, -z) + 2.0f * s * s_lo;
  /* atanh(s) / s - 1 = z/3 + z^2 (1/5 + z/7 + ...) */
  float p = fused(0x1.9086eep-4f, z, 0x1.c63d9cp-4f);
  p = fused(p, z, 0x1.2493b6p-3f);
  p = fused(p, z, 0x1.999998p-3f);
  pair_t t = product_of(z, THIRD_HI);
  t.lo += fused(z, THIRD_LO, fused(z_lo, THIRD_HI, z * z * p));
  pair_t scaled_t = product_of(s, t.hi);
  pair_t atanh = fast_sum(s, scaled_t.hi);
  atanh.lo += s_lo + (scaled_t.lo + fused(s, t.lo, s_lo * t.hi));
  pair_t log = product_of(atanh.hi, TWO_LOG2E_HI);
  log.lo += fused(atanh.hi, TWO_LOG2E_LO, atanh.lo * TWO_LOG2E_HI);
  pair_t sum = sum_of((float)part.exponent, log.hi);
  return fast_sum(sum.hi, sum.lo + log.lo);
}

float powf(float x, float y) {
  float base = magnitude(x);
  pair_t log = log2_of(base);
  log.hi = base == 0.0f ? -INF : base == INF ? INF : log.hi;
  pair_t product = product_of(y, log.hi);
  int beyond = !(magnitude(product.hi) < 160.0f);
  float lo = beyond ? 0.0f : fused(y, log.lo, product.lo);
  float result = exp2_of(clamp(product.hi, -153.0f, 130.0f), lo);

  float capped = __builtin_fminf(magnitude(y), 0x1p24f); /* from here on all floats are even */
  int truncated = (int)capped;
  int whole = (float)truncated == capped;
  uint32_t odd = (uint32_t)(whole & truncated);
  result = float_of(bits_of(result) | (bits_of(x) & odd << 31));

  int negative = x < 0.0f && base != INF && !whole;
  result = negative || x != x || y != y ? NOT_A_NUMBER : result;
  return x == 1.0f || y == 0.0f || (x == -1.0f && magnitude(y) == INF) ? 1.0f : result;
}
