/* Remainders, parts, scaling, roots. */

#include "float_bits.h"
#include <math.h>

float fdimf(float a, float b) {
  float difference = a - b;
  return a != a || b != b ? NOT_A_NUMBER : a > b ? difference : 0.0f;
}

/* The top bit of the mantissa at 23, for subnormal numbers too: |x| = mantissa * 2^(exponent - 150). */
static inline uint32_t normalised(uint32_t size, int *exponent) {
  uint32_t fraction = size & 0x7fffffu;
  int shift = __builtin_clz(fraction | 1) - 8;
  int field = (int)(size >> 23);
  *exponent = field != 0 ? field : 1 - shift;
  return field != 0 ? fraction | 0x800000u : fraction << shift;
}

/* Exact, as the remainder of two floats always is: long division of the mantissas, a bit a step. */
float fmodf(float x, float y) {
  uint32_t a = bits_of(x) & 0x7fffffffu, b = bits_of(y) & 0x7fffffffu;
  if (b == 0 || b > 0x7f800000u || a >= 0x7f800000u)
    return NOT_A_NUMBER;
  if (a < b)
    return x;
  int exponent_a, exponent_b;
  uint32_t left = normalised(a, &exponent_a), right = normalised(b, &exponent_b);
  for (int step = exponent_a - exponent_b; step != 0; --step) {
    left = left >= right ? left - right : left;
    left <<= 1;
  }
  left = left >= right ? left - right : left;
  /* Below 2^24, so the conversion is exact, and so is the scaling, since the result is a multiple of the smallest unit. */
  return with_sign_of(scaled((float)left, exponent_b - 150), x);
}

float modff(float x, float *whole) {
  float truncated = __builtin_truncf(x);
  *whole = truncated;
  float rest = magnitude(x) == INF ? 0.0f : x - truncated;
  return with_sign_of(rest, x);
}

float ldexpf(float x, int exponent) {
  int k = exponent < -300 ? -300 : exponent > 300 ? 300 : exponent;
  /* In three steps, the largest last: if the result is not 0, what comes before it is normal, so only one step rounds. */
  float first = float_of((uint32_t)((k < -100 ? -100 : k > 100 ? 100 : k) + 127) << 23);
  int rest = k < -100 ? k + 100 : k > 100 ? k - 100 : 0;
  float second = float_of((uint32_t)((rest < -100 ? -100 : rest > 100 ? 100 : rest) + 127) << 23);
  int last = rest < -100 ? rest + 100 : rest > 100 ? rest - 100 : 0;
  float third = float_of((uint32_t)(last + 127) << 23);
  return x * third * second * first;
}

float scalbnf(float x, int exponent) { return ldexpf(x, exponent); }

float frexpf(float x, int *exponent) {
  int tiny = magnitude(x) < 0x1p-126f;
  uint32_t bits = bits_of(tiny ? x * 0x1p24f : x);
  int plain = x == 0.0f || !(magnitude(x) < INF);
  *exponent = plain ? 0 : (int)(bits >> 23 & 0xff) - 126 - (tiny ? 24 : 0);
  return plain ? x : float_of((bits & 0x807fffffu) | 0x3f000000u);
}

float hypotf(float x, float y) {
  float ax = magnitude(x), ay = magnitude(y);
  float high = __builtin_fmaxf(ax, ay), low = __builtin_fminf(ax, ay);
  float scale = high > 0x1p60f ? 0x1p-70f : high < 0x1p-40f ? 0x1p80f : 1.0f;
  float back = high > 0x1p60f ? 0x1p70f : high < 0x1p-40f ? 0x1p-80f : 1.0f;
  float a = high * scale, b = low * scale;
  pair_t square = product_of(a, a);
  pair_t sum = sum_of(square.hi, b * b);
  float root = __builtin_sqrtf(sum.hi);
  float rest = fused(-root, root, sum.hi) + (sum.lo + (square.lo + fused(b, b, -(b * b))));
  float result = root > 0.0f ? fused(rest, 0.5f / root, root) : root;
  result = x != x || y != y ? NOT_A_NUMBER : result * back;
  return high == INF ? INF : result;
}

float cbrtf(float x) {
  float ax = magnitude(x);
  int tiny = ax < 0x1p-126f, huge = ax > 0x1p120f;
  float a = ax * (tiny ? 0x1p24f : huge ? 0x1p-24f : 1.0f);
  /* A first guess from a third of the exponent, then three steps of Halley's iteration (cubic), the last in two parts. */
  float y = float_of(bits_of(a) / 3 + 0x2a5119f2u);
  for (int step = 0; step < 2; ++step) {
    float cube = y * y * y;
    y = y * ((cube + a + a) / (cube + cube + a));
  }
  pair_t square = product_of(y, y);
  pair_t cube = product_of(square.hi, y);
  float error = (a - cube.hi) - fused(square.lo, y, cube.lo);
  y = fused(error / (3.0f * square.hi), 1.0f, y);
  float result = with_sign_of(y * (tiny ? 0x1p-8f : huge ? 0x1p8f : 1.0f), x);
  return x == 0.0f || !(ax < INF) ? x : result;
}
