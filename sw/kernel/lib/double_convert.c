/* Soft double: conversions to and from integers and floats. Out of range, integers saturate as the instructions of the F
 * extension do: the nearest integer there is, and the largest for what is not a number.
 */

#include "double_bits.h"

static inline double from_unsigned(uint64_t value, uint64_t sign) {
  uint32_t zeros = leading_zeros(value);
  uint64_t result = bits_of(packed(sign, BIAS + 63 - (int32_t)zeros, shifted_left(value, zeros)));
  return double_of(choose(is_zero(value), 0, result));
}

static inline double from_signed(int64_t value) {
  uint32_t negative = high((uint64_t)value) >> 31;
  uint64_t flip = join(-negative, -negative);
  return from_unsigned(((uint64_t)value ^ flip) + negative, (uint64_t)value & SIGN);
}

double __floatsidf(int32_t value) { return from_signed(value); }
double __floatunsidf(uint32_t value) { return from_unsigned(value, 0); }
double __floatdidf(int64_t value) { return from_signed(value); }
double __floatundidf(uint64_t value) { return from_unsigned(value, 0); }

/* The whole part of |x|, cut off at 2^64 - 1. */
static inline uint64_t whole(uint64_t bits) {
  int32_t exponent = (int32_t)(high(bits) >> 20 & 0x7ff) - BIAS;
  uint64_t significand = (bits & FRACTION) << 11 | SIGN;
  uint64_t inside = shifted_right(significand, (uint32_t)(63 - exponent) & 63);
  return choose(exponent < 0, 0, choose(exponent > 63, ~0ull, inside));
}

static inline uint64_t to_signed(uint64_t bits, uint64_t largest) {
  uint32_t negative = (high(bits) >> 31) & (is_nan(bits) ^ 1);
  uint64_t size = whole(bits);
  uint64_t limit = largest + negative;
  size = choose(below(limit, size), limit, size);
  uint64_t flip = join(-negative, -negative);
  return (size ^ flip) + negative;
}

static inline uint64_t to_unsigned(uint64_t bits, uint64_t largest) {
  uint64_t size = whole(bits);
  size = choose(below(largest, size), largest, size);
  return choose((high(bits) >> 31) & (is_nan(bits) ^ 1), 0, size);
}

int32_t __fixdfsi(double x) { return (int32_t)to_signed(bits_of(x), 0x7fffffff); }
uint32_t __fixunsdfsi(double x) { return (uint32_t)to_unsigned(bits_of(x), 0xffffffff); }
int64_t __fixdfdi(double x) { return (int64_t)to_signed(bits_of(x), MAGNITUDE); }
uint64_t __fixunsdfdi(double x) { return to_unsigned(bits_of(x), ~0ull); }

static inline uint32_t float_bits(float x) {
  uint32_t bits;
  __builtin_memcpy(&bits, &x, sizeof bits);
  return bits;
}

double __extendsfdf2(float x) {
  uint32_t bits = float_bits(x);
  uint64_t sign = join(bits & 0x80000000u, 0);
  uint32_t size = bits & 0x7fffffffu;
  /* A subnormal float is its fraction times 2^-149, so it converts like an integer. */
  uint32_t zeros = (uint32_t)__builtin_clz(size | 1);
  uint64_t tiny = join((BIAS - 149 + 31 - zeros) << 20, 0) + ((uint64_t)(size << zeros << 1) << 20);
  uint64_t normal = ((uint64_t)size << 29) + join((BIAS - 127) << 20, 0);
  uint64_t result = choose(size < 0x00800000u, tiny, normal);
  result = choose(size >= 0x7f800000u, size > 0x7f800000u ? NOT_A_NUMBER : INFINITE, result);
  return double_of(choose(size == 0, 0, result) | (size > 0x7f800000u ? 0 : sign));
}

float __truncdfsf2(double x) {
  uint64_t bits = bits_of(x);
  int32_t exponent = (int32_t)(high(bits) >> 20 & 0x7ff) - BIAS + 127;
  /* The significand in a word with 8 bits below the last one; doubles that are subnormal become 0 anyway. */
  uint64_t significand = (bits & FRACTION) << 11 | SIGN;
  uint32_t word = high(significand) | (low(significand) != 0);
  uint32_t deep = exponent <= 0 ? (uint32_t)(1 - exponent) : 0;
  deep = deep < 31 ? deep : 31;
  uint32_t moved = word >> deep;
  moved |= moved << deep != word;
  uint32_t kept = moved >> 8, rest = moved & 0xff;
  uint32_t up = (uint32_t)(rest > 0x80) | ((uint32_t)(rest == 0x80) & kept);
  uint32_t field = exponent <= 0 ? 0 : (uint32_t)(exponent - 1);
  uint32_t result = (field << 23) + kept + (up & 1);
  result = exponent >= 255 ? 0x7f800000u : result;
  result |= high(bits) & 0x80000000u;
  result = is_nan(bits) ? 0x7fc00000u : result;
  float value;
  __builtin_memcpy(&value, &result, sizeof value);
  return value;
}
