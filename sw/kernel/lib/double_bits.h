/* Tools of the double functions: 64-bit values as two words where the back end would otherwise make a branch (comparing,
 * and shifting by an amount that is no constant). No branch in here.
 */

#ifndef VX_DOUBLE_BITS_H
#define VX_DOUBLE_BITS_H

#include <stdint.h>

#define TOOL static inline __attribute__((always_inline, unused))

#define SIGN 0x8000000000000000ull
#define MAGNITUDE 0x7fffffffffffffffull
#define INFINITE 0x7ff0000000000000ull
#define NOT_A_NUMBER 0x7ff8000000000000ull
#define FRACTION 0x000fffffffffffffull
#define IMPLICIT 0x0010000000000000ull
#define BIAS 1023

TOOL uint32_t high(uint64_t x) { return (uint32_t)(x >> 32); }
TOOL uint32_t low(uint64_t x) { return (uint32_t)x; }
TOOL uint64_t join(uint32_t hi, uint32_t lo) { return (uint64_t)hi << 32 | lo; }

TOOL uint64_t bits_of(double x) {
  uint64_t bits;
  __builtin_memcpy(&bits, &x, sizeof bits);
  return bits;
}

TOOL double double_of(uint64_t bits) {
  double x;
  __builtin_memcpy(&x, &bits, sizeof x);
  return x;
}

/* `yes` if `flag` is 1, `no` if it is 0. */
TOOL uint64_t choose(uint32_t flag, uint64_t yes, uint64_t no) {
  return join(flag ? high(yes) : high(no), flag ? low(yes) : low(no));
}

/* a < b, as 0 or 1. */
TOOL uint32_t below(uint64_t a, uint64_t b) {
  return (uint32_t)(high(a) < high(b)) | ((uint32_t)(high(a) == high(b)) & (uint32_t)(low(a) < low(b)));
}

TOOL uint32_t is_zero(uint64_t x) { return (high(x) | low(x)) == 0; }

/* x << n for n < 64. */
TOOL uint64_t shifted_left(uint64_t x, uint32_t n) {
  uint32_t words = n >> 5, rest = n & 31;
  uint32_t hi = words ? low(x) : high(x), lo = words ? 0 : low(x);
  return join(hi << rest | lo >> 1 >> (31 - rest), lo << rest);
}

/* x >> n for n < 64. */
TOOL uint64_t shifted_right(uint64_t x, uint32_t n) {
  uint32_t words = n >> 5, rest = n & 31;
  uint32_t lo = words ? high(x) : low(x), hi = words ? 0 : high(x);
  return join(hi >> rest, lo >> rest | hi << 1 << (31 - rest));
}

/* x >> n, any n; the last bit is set if a bit was lost. */
TOOL uint64_t shifted_sticky(uint64_t x, uint32_t n) {
  uint32_t amount = n < 63 ? n : 63;
  uint64_t result = shifted_right(x, amount);
  return result | !is_zero(x ^ shifted_left(result, amount));
}

/* Zeros before the first one; 63 for 0. */
TOOL uint32_t leading_zeros(uint64_t x) {
  uint32_t none = high(x) == 0;
  return (uint32_t)__builtin_clz(none ? low(x) | 1 : high(x)) + (none ? 32 : 0);
}

/* 2^(exponent - BIAS) * significand / 2^63 rounded to nearest even, with `sign` 0 or SIGN. The significand is 0 or has
 * its top bit set; a last bit that stands for lost ones is right. */
TOOL double packed(uint64_t sign, int32_t exponent, uint64_t significand) {
  int32_t deep = exponent <= 0 ? 1 - exponent : 0;
  significand = shifted_sticky(significand, (uint32_t)deep);
  int32_t field = exponent <= 0 ? 0 : exponent - 1;
  field = field > 2046 ? 2046 : field;
  significand = exponent >= 2047 ? SIGN : significand;
  uint64_t kept = significand >> 11;
  uint32_t rest = low(significand) & 0x7ff;
  uint32_t up = (uint32_t)(rest > 0x400) | ((uint32_t)(rest == 0x400) & low(kept));
  return double_of(sign | ((join((uint32_t)field << 20, 0) + kept) + (up & 1)));
}

/* A finite number apart: 2^(exponent - BIAS) * significand / 2^63, top bit set unless the number is 0. */
typedef struct {
  int32_t exponent;
  uint64_t significand;
} parts_t;

TOOL parts_t parts_of(uint64_t bits) {
  int32_t exponent = (int32_t)(high(bits) >> 20 & 0x7ff);
  uint64_t significand = (bits & FRACTION) << 11 | (exponent != 0 ? SIGN : 0);
  if (exponent == 0 && !is_zero(significand)) {
    uint32_t zeros = leading_zeros(significand);
    significand = shifted_left(significand, zeros);
    exponent = 1 - (int32_t)zeros;
  }
  return (parts_t){exponent, significand};
}

TOOL uint32_t is_nan(uint64_t bits) { return below(INFINITE, bits & MAGNITUDE); }

#endif
