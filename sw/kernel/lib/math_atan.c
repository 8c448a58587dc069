/* Inverse trigonometric functions. */

#include "float_bits.h"
#include <math.h>

#define PI_HI 0x1.921fb6p+1f
#define PI_LO -0x1.777a5cp-24f

/* atan(t) - t for 0 <= t <= 1. */
static inline float atan_tail(float t) {
  float z = t * t;
  float p = fused(-0x1.d4984ap-10f, z, 0x1.64c1cep-7f);
  p = fused(p, z, -0x1.fdfc1cp-6f);
  p = fused(p, z, 0x1.da5ed4p-5f);
  p = fused(p, z, -0x1.58155ep-4f);
  p = fused(p, z, 0x1.c08f64p-4f);
  p = fused(p, z, -0x1.2420b6p-3f);
  p = fused(p, z, 0x1.9991e6p-3f);
  p = fused(p, z, -0x1.55553ep-2f);
  return t * z * p;
}

/* asin(t) - t for 0 <= t <= 0.5, where z = t * t. */
static inline float asin_tail(float t, float z) {
  float p = fused(0x1.345ebep-5f, z, 0x1.d62330p-7f);
  p = fused(p, z, 0x1.04c514p-5f);
  p = fused(p, z, 0x1.6ca882p-5f);
  p = fused(p, z, 0x1.3338a8p-4f);
  p = fused(p, z, 0x1.55554cp-3f);
  return t * z * p;
}

float atanf(float x) {
  float ax = magnitude(x);
  int large = ax > 1.0f;
  float t = large ? 1.0f / ax : ax;
  float residue = fused(-t, ax, 1.0f) * t; /* what the division lost of 1/ax */
  residue = large && ax < 0x1p60f ? residue : 0.0f;
  float tail = atan_tail(t) + residue;
  float result = large ? PIO2_HI - (t + (tail - PIO2_LO)) : t + tail;
  result = with_sign_of(result, x);
  return x != x ? x + x : result;
}

float atan2f(float y, float x) {
  float ay = magnitude(y), ax = magnitude(x);
  float low = __builtin_fminf(ay, ax), high = __builtin_fmaxf(ay, ax);
  /* Scaled, so that neither the quotient nor its residue is disturbed by the ends of the range. */
  float scale = high > 0x1p100f ? 0x1p-50f : high < 0x1p-60f ? 0x1p60f : 1.0f;
  float below = high * scale, above = low * scale;
  float t = above / below;
  float residue = fused(-t, below, above) / below;
  t = high == 0.0f ? 0.0f : low == INF ? 1.0f : t;
  residue = high == 0.0f || high == INF || t < 0x1p-60f ? 0.0f : residue;
  /* atan' = 1 / (1 + t^2) */
  float tail = atan_tail(t) + residue / fused(t, t, 1.0f);
  float result = ay > ax ? PIO2_HI - (t + (tail - PIO2_LO)) : t + tail;
  int left = bits_of(x) >> 31;
  /* pi - result, from the parts that are still apart */
  float from_left = ay > ax ? PIO2_HI + (t + (tail + PIO2_LO)) : PI_HI - (t + (tail - PI_LO));
  result = with_sign_of(left ? from_left : result, y);
  return x != x || y != y ? NOT_A_NUMBER : result;
}

float asinf(float x) {
  float ax = magnitude(x);
  int large = ax > 0.5f;
  float z = large ? 0.5f - 0.5f * ax : ax * ax;
  float root = __builtin_sqrtf(large ? z : 0.0f);
  float t = large ? root : ax;
  float tail = asin_tail(t, z);
  /* asin x = pi/2 - 2 asin sqrt((1 - x) / 2); the root's own residue counts twice */
  float residue = fused(-root, root, z) / (root + root);
  residue = large && root > 0.0f ? residue : 0.0f;
  float result = large ? PIO2_HI - (2.0f * t + (2.0f * (tail + residue) - PIO2_LO)) : t + tail;
  return ax <= 1.0f ? with_sign_of(result, x) : NOT_A_NUMBER;
}

float acosf(float x) {
  float ax = magnitude(x);
  int large = ax > 0.5f;
  float z = large ? 0.5f - 0.5f * ax : ax * ax;
  float root = __builtin_sqrtf(large ? z : 0.0f);
  float t = large ? root : x;
  float tail = asin_tail(t, z);
  float residue = fused(-root, root, z) / (root + root);
  residue = large && root > 0.0f ? residue : 0.0f;
  float doubled = 2.0f * (t + (tail + residue));
  float far = PI_HI - (2.0f * t + (2.0f * (tail + residue) - PI_LO));
  float result = large ? (x < 0.0f ? far : doubled) : PIO2_HI - (t + (tail - PIO2_LO));
  return ax <= 1.0f ? result : NOT_A_NUMBER;
}
