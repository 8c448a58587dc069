/* Tools of the double functions. No branch in here but for subnormal operands. */

#ifndef VX_DOUBLE_BITS_H
#define VX_DOUBLE_BITS_H

#include "words.h"

#define SIGN 0x8000000000000000ull
#define MAGNITUDE 0x7fffffffffffffffull
#define INFINITE 0x7ff0000000000000ull
#define NOT_A_NUMBER 0x7ff8000000000000ull
#define FRACTION 0x000fffffffffffffull
#define IMPLICIT 0x0010000000000000ull
#define BIAS 1023

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
