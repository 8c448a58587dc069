/* Conversions between float and 64-bit integers, for cores of 32 bits, under the names that a compiler calls. Out of
 * range, integers saturate as the instructions of the F extension do.
 */

#include "double_bits.h"

static inline uint32_t float_bits(float x) {
  uint32_t bits;
  __builtin_memcpy(&bits, &x, sizeof bits);
  return bits;
}

/* The top word with the rest in its last bit rounds as the whole value does; the scale is a power of two. */
static inline float from_unsigned(uint64_t value) {
  uint32_t zeros = leading_zeros(value);
  uint64_t top = shifted_left(value, zeros);
  uint32_t scale_bits = (127 + 32 - zeros) << 23;
  float scale;
  __builtin_memcpy(&scale, &scale_bits, sizeof scale);
  return (float)(high(top) | (low(top) != 0)) * scale;
}

float __floatundisf(uint64_t value) { return from_unsigned(value); }

float __floatdisf(int64_t value) {
  uint32_t negative = high((uint64_t)value) >> 31;
  uint64_t flip = join(-negative, -negative);
  float size = from_unsigned(((uint64_t)value ^ flip) + negative);
  return negative ? -size : size;
}

static inline uint64_t whole(uint32_t bits) {
  int32_t exponent = (int32_t)(bits >> 23 & 0xff) - 127;
  uint64_t significand = join(bits << 8 | 0x80000000u, 0);
  uint64_t inside = shifted_right(significand, (uint32_t)(63 - exponent) & 63);
  return choose(exponent < 0, 0, choose(exponent > 63, ~0ull, inside));
}

static inline uint32_t is_number(uint32_t bits) { return (bits & 0x7fffffffu) <= 0x7f800000u; }

int64_t __fixsfdi(float x) {
  uint32_t bits = float_bits(x);
  uint32_t negative = (bits >> 31) & is_number(bits);
  uint64_t limit = MAGNITUDE + negative, size = whole(bits);
  size = choose(below(limit, size), limit, size);
  uint64_t flip = join(-negative, -negative);
  return (int64_t)((size ^ flip) + negative);
}

uint64_t __fixunssfdi(float x) {
  uint32_t bits = float_bits(x);
  return choose((bits >> 31) & is_number(bits), 0, whole(bits));
}
