/* Tools of the float functions. No branch in here: a choice is a select, which costs all lanes the same.
 *
 * The sources that include this are also compiled for the host, where every input is tried (docs/math_library.md), so
 * they use IEEE single operations and fused multiply-add only, written out: the compiler may not contract.
 */

#ifndef VX_FLOAT_BITS_H
#define VX_FLOAT_BITS_H

#include <stdint.h>

#define LN2_HI 0x1.62e430p-1f
#define LN2_LO -0x1.05c610p-29f
#define LOG2E_HI 0x1.715476p+0f
#define LOG2E_LO 0x1.4ae0c0p-26f
#define PIO2_HI 0x1.921fb6p+0f
#define PIO2_LO -0x1.777a5cp-25f
#define ROUNDER 0x1.8p+23f /* adding it rounds |x| < 2^22 to the nearest whole number */
#define INF __builtin_inff()
#define NOT_A_NUMBER __builtin_nanf("")

#define TOOL static inline __attribute__((always_inline, unused))

TOOL uint32_t bits_of(float x) {
  uint32_t bits;
  __builtin_memcpy(&bits, &x, sizeof bits);
  return bits;
}

TOOL float float_of(uint32_t bits) {
  float x;
  __builtin_memcpy(&x, &bits, sizeof x);
  return x;
}

TOOL float fused(float a, float b, float c) { return __builtin_fmaf(a, b, c); }
TOOL float magnitude(float x) { return __builtin_fabsf(x); }
TOOL float with_sign_of(float x, float sign) { return __builtin_copysignf(x, sign); }
TOOL float clamp(float x, float low, float high) { return __builtin_fminf(__builtin_fmaxf(x, low), high); }

/* A number as the unevaluated sum of two. */
typedef struct {
  float hi;
  float lo;
} pair_t;

/* a + b exactly, for |a| >= |b| or a = 0. */
TOOL pair_t fast_sum(float a, float b) {
  float sum = a + b;
  return (pair_t){sum, (a - sum) + b};
}

/* a + b exactly. */
TOOL pair_t sum_of(float a, float b) {
  float sum = a + b;
  float part = sum - a;
  return (pair_t){sum, (a - (sum - part)) + (b - part)};
}

/* a * b exactly, as long as nothing underflows. */
TOOL pair_t product_of(float a, float b) {
  float product = a * b;
  return (pair_t){product, fused(a, b, -product)};
}

/* x * 2^k for -300 < k < 250, rounded once. */
TOOL float scaled(float x, int k) {
  int half = k >> 1;
  return x * float_of((uint32_t)(half + 127) << 23) * float_of((uint32_t)(k - half + 127) << 23);
}

/* x = mantissa * 2^exponent for a positive finite x, subnormal ones too; the mantissa is in [sqrt(1/2), sqrt(2)). */
typedef struct {
  float mantissa;
  int exponent;
} parts_t;

TOOL parts_t parts_of(float x) {
  int tiny = x < 0x1p-126f;
  uint32_t bits = bits_of(tiny ? x * 0x1p23f : x);
  int exponent = (int32_t)(bits - 0x3f3504f3u) >> 23;
  return (parts_t){float_of(bits - ((uint32_t)exponent << 23)), exponent - (tiny ? 23 : 0)};
}

/* (e^r - 1 - r) / r^2 for |r| < 0.3475, relative error of e^r 2^-33. */
TOOL float exp_tail(float r) {
  float p = fused(0x1.9e187cp-13f, r, 0x1.6d4f4ep-10f);
  p = fused(p, r, 0x1.111302p-7f);
  p = fused(p, r, 0x1.5554e6p-5f);
  p = fused(p, r, 0x1.555554p-3f);
  return fused(p, r, 0.5f);
}

/* 2^(hi + lo) for -155 <= hi <= 132 and a small lo. */
TOOL float exp2_of(float hi, float lo) {
  float shifted = hi + ROUNDER;
  float whole = shifted - ROUNDER;
  float r = (hi - whole) + lo;
  float p = fused(0x1.e45554p-17f, r, 0x1.440f0cp-13f);
  p = fused(p, r, 0x1.5da2bep-10f);
  p = fused(p, r, 0x1.3b2a5cp-7f);
  p = fused(p, r, 0x1.c6b070p-5f);
  p = fused(p, r, 0x1.ebfbe0p-3f);
  p = fused(p, r, LN2_HI);
  return scaled(fused(p, r, 1.0f), (int)(bits_of(shifted) - bits_of(ROUNDER)));
}

#endif
