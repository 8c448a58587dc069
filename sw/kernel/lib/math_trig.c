/* sin, cos, tan of any finite number. */

#include "float_bits.h"
#include <math.h>

/* 2/pi in words of 32 bits, after a word of zeros. */
static const uint32_t TWO_OVER_PI[9] = {0,           0xa2f9836eu, 0x4e441529u, 0xfc2757d1u, 0xf534ddc0u,
                                        0xdb629599u, 0x3c439041u, 0xfe5163abu, 0xdebbc561u};

/* x = quarters * pi/2 + r.hi + r.lo; |r| <= pi/4. Only the last two bits of `quarters` count. */
typedef struct {
  pair_t r;
  uint32_t quarters;
} angle_t;

/* For x < 2^17: pi/2 in three parts, the first product being exact. */
static inline angle_t reduce_small(float x) {
  float shifted = fused(x, 0x1.45f306p-1f, ROUNDER);
  float n = shifted - ROUNDER;
  float first = fused(n, -PIO2_HI, x);
  pair_t second = product_of(n, -PIO2_LO);
  pair_t sum = sum_of(first, second.hi);
  float rest = sum.lo + fused(n, 0x1.ee59dap-50f, second.lo);
  return (angle_t){fast_sum(sum.hi, rest), bits_of(shifted)};
}

/* For x >= 2^17: x = m * 2^e; the 96 bits of 2/pi that matter for m * 2^e * 2/pi mod 4 are cut out and multiplied. */
static __attribute__((noinline)) angle_t reduce_large(float x) {
  uint32_t bits = bits_of(x);
  uint32_t m = (bits & 0x7fffffu) | 0x800000u;
  uint32_t at = (bits >> 23) - 150 + 30;
  const uint32_t *words = &TWO_OVER_PI[at >> 5];
  uint32_t shift = at & 31;
  uint32_t high = words[0] << shift | words[1] >> 1 >> (31 - shift);
  uint32_t middle = words[1] << shift | words[2] >> 1 >> (31 - shift);
  uint32_t low = words[2] << shift | words[3] >> 1 >> (31 - shift);
  uint64_t sum = (uint64_t)m * middle + ((uint64_t)m * low >> 32);
  uint32_t top = m * high + (uint32_t)(sum >> 32);
  /* Two bits of whole quarters, then the fraction; the nearest quarter is taken, so the fraction gets a sign. */
  uint32_t fraction = top << 2 | (uint32_t)sum >> 30;
  uint32_t below = (uint32_t)sum << 2 | (m * low) >> 30;
  uint32_t up = fraction >> 31;
  uint32_t flip = -up;
  fraction = (fraction ^ flip) + (flip & (below == 0));
  below = (below ^ flip) + up;
  float scale = float_of(0x2f800000u | up << 31); /* +-2^-32 */
  float first = (float)(fraction >> 8) * 256.0f;
  float second = (float)(fraction << 24 | below >> 8) * 0x1p-24f;
  pair_t turn = fast_sum(first, second);
  pair_t r = product_of(turn.hi, PIO2_HI);
  r.lo += fused(turn.hi, PIO2_LO, turn.lo * PIO2_HI);
  pair_t whole = fast_sum(r.hi, r.lo);
  return (angle_t){{whole.hi * scale, whole.lo * scale}, (top >> 30) + up};
}

static inline angle_t reduce(float x) {
  if (x >= 0x1p17f)
    return reduce_large(x);
  return reduce_small(x);
}

static inline float sin_of(pair_t r, float z) {
  float p = fused(0x1.7c33b0p-19f, z, -0x1.a05960p-13f);
  p = fused(p, z, 0x1.111174p-7f);
  p = fused(p, z, -0x1.555556p-3f);
  return r.hi + fused(r.hi * z, p, r.lo);
}

static inline float cos_of(pair_t r, float z) {
  float p = fused(-0x1.361852p-22f, z, 0x1.a071bep-16f);
  p = fused(p, z, -0x1.6c175ep-10f);
  p = fused(p, z, 0x1.555556p-5f);
  float half = 0.5f * z;
  float most = 1.0f - half;
  float lost = (1.0f - most) - half;
  /* z is rounded; what it lacks of r * r would show in the last bit. */
  float square = fused(r.hi, r.hi, -z);
  return most + fused(z * z, p, fused(-0.5f, square, fused(-r.hi, r.lo, lost)));
}

/* Both are computed: which one a lane needs differs from lane to lane. */
static inline float in_quarter(angle_t angle, uint32_t quarters) {
  float z = angle.r.hi * angle.r.hi;
  float s = sin_of(angle.r, z);
  float c = cos_of(angle.r, z);
  return float_of(bits_of(quarters & 1 ? c : s) ^ quarters >> 1 << 31);
}

float sinf(float x) {
  angle_t angle = reduce(magnitude(x));
  float result = in_quarter(angle, angle.quarters & 3);
  result = float_of(bits_of(result) ^ (bits_of(x) & 0x80000000u));
  return magnitude(x) < INF ? result : NOT_A_NUMBER;
}

float cosf(float x) {
  angle_t angle = reduce(magnitude(x));
  float result = in_quarter(angle, (angle.quarters + 1) & 3);
  return magnitude(x) < INF ? result : NOT_A_NUMBER;
}

float tanf(float x) {
  angle_t angle = reduce(magnitude(x));
  pair_t r = angle.r;
  float z = r.hi * r.hi;
  float p = fused(0x1.1ec6b6p-8f, z, 0x1.82868ap-14f);
  p = fused(p, z, 0x1.62f0d2p-7f);
  p = fused(p, z, 0x1.5cba46p-6f);
  p = fused(p, z, 0x1.bada4ap-5f);
  p = fused(p, z, 0x1.110d9cp-3f);
  p = fused(p, z, 0x1.555560p-2f);
  pair_t t = fast_sum(r.hi, fused(r.hi * z, p, fused(z, r.lo, r.lo)));
  /* -1/t with one correction, since a plain division would not know t.lo */
  float inverse = -1.0f / t.hi;
  float corrected = fused(inverse, fused(inverse, t.lo, fused(inverse, t.hi, 1.0f)), inverse);
  float result = angle.quarters & 1 ? corrected : t.hi;
  result = float_of(bits_of(result) ^ (bits_of(x) & 0x80000000u));
  return magnitude(x) < INF ? result : NOT_A_NUMBER;
}
