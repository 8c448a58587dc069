/* Soft double: sum and difference, under the names that a compiler calls. */

#include "double_bits.h"

static inline double add(uint64_t a, uint64_t b) {
  uint64_t size_a = a & MAGNITUDE, size_b = b & MAGNITUDE;
  uint32_t swap = below(size_a, size_b);
  uint64_t large = choose(swap, b, a), small = choose(swap, a, b);
  uint64_t size = large & MAGNITUDE;
  int32_t exponent = (int32_t)(high(large) >> 20 & 0x7ff), other = (int32_t)(high(small) >> 20 & 0x7ff);
  /* The implicit bit at 62: room for a carry. Subnormal numbers have the exponent of the smallest normal ones. */
  uint64_t first = ((large & FRACTION) | (exponent != 0 ? IMPLICIT : 0)) << 10;
  uint64_t second = ((small & FRACTION) | (other != 0 ? IMPLICIT : 0)) << 10;
  exponent += exponent == 0;
  other += other == 0;
  second = shifted_sticky(second, (uint32_t)(exponent - other));
  uint32_t subtract = high(a ^ b) >> 31;
  uint64_t flip = join(-subtract, -subtract);
  uint64_t sum = first + ((second ^ flip) + subtract);
  uint32_t zeros = leading_zeros(sum);
  uint32_t nothing = is_zero(sum);
  uint64_t sign = nothing & subtract ? 0 : large & SIGN;
  double result = packed(sign, nothing ? 0 : exponent + 1 - (int32_t)zeros, shifted_left(sum, zeros));

  uint32_t special = !below(size, INFINITE);
  uint32_t wrong = is_nan(a) | is_nan(b) | (subtract & (uint32_t)is_zero((small & MAGNITUDE) ^ INFINITE));
  return double_of(choose(special, choose(wrong, NOT_A_NUMBER, large), bits_of(result)));
}

double __adddf3(double a, double b) { return add(bits_of(a), bits_of(b)); }
double __subdf3(double a, double b) { return add(bits_of(a), bits_of(b) ^ SIGN); }
