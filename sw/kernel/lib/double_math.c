/* The double functions of math.h: those that need no polynomial. */

#include "double_bits.h"
#include <math.h>

double fabs(double x) { return double_of(bits_of(x) & MAGNITUDE); }
double copysign(double x, double sign) { return double_of((bits_of(x) & MAGNITUDE) | (bits_of(sign) & SIGN)); }

/* Bits below the point of a number with this exponent; all of them below 1, none from 2^52 on. */
static inline uint64_t fraction_mask(uint64_t bits) {
  int32_t exponent = (int32_t)(high(bits) >> 20 & 0x7ff) - BIAS;
  uint32_t shift = exponent < 0 ? 0 : exponent > 52 ? 52 : (uint32_t)exponent;
  return choose(exponent < 0, MAGNITUDE, shifted_right(FRACTION, shift));
}

static inline double cut(uint64_t bits) {
  uint64_t result = bits & ~fraction_mask(bits);
  return double_of(choose(is_nan(bits), NOT_A_NUMBER, result));
}

/* Away from zero by one if `up`: an addition to the bits carries into the exponent as it should, except below 1. */
static inline double outwards(uint64_t bits, uint32_t up) {
  uint64_t mask = fraction_mask(bits);
  uint64_t next = (bits & ~mask) + mask + 1;
  next = choose(below(bits & MAGNITUDE, (uint64_t)BIAS << 52), (bits & SIGN) | (uint64_t)BIAS << 52, next);
  return double_of(choose(up & (is_nan(bits) ^ 1), next, bits_of(cut(bits))));
}

static inline uint32_t is_whole(uint64_t bits) { return is_zero(bits & fraction_mask(bits)); }

double trunc(double x) { return cut(bits_of(x)); }
double floor(double x) { return outwards(bits_of(x), (high(bits_of(x)) >> 31) & (is_whole(bits_of(x)) ^ 1)); }
double ceil(double x) { return outwards(bits_of(x), ((high(bits_of(x)) >> 31) ^ 1) & (is_whole(bits_of(x)) ^ 1)); }

double round(double x) {
  uint64_t bits = bits_of(x);
  uint64_t mask = fraction_mask(bits);
  uint32_t small = below(bits & MAGNITUDE, (uint64_t)BIAS << 52);
  uint32_t half_of_small = below(bits & MAGNITUDE, (uint64_t)(BIAS - 1) << 52) ^ 1;
  uint32_t half = !is_zero(bits & (mask ^ mask >> 1));
  return outwards(bits, small ? half_of_small : half);
}

/* As fmin.s and fmax.s: a number wins against what is none, and -0 is below +0. */
static inline double extreme(uint64_t a, uint64_t b, uint32_t largest) {
  uint64_t flip_a = choose(high(a) >> 31, ~0ull, SIGN), flip_b = choose(high(b) >> 31, ~0ull, SIGN);
  uint32_t first = below(a ^ flip_a, b ^ flip_b) ^ largest;
  uint64_t result = choose(first, a, b);
  result = choose(is_nan(a), b, choose(is_nan(b), a, result));
  return double_of(choose(is_nan(result), NOT_A_NUMBER, result));
}

double fmin(double a, double b) { return extreme(bits_of(a), bits_of(b), 0); }
double fmax(double a, double b) { return extreme(bits_of(a), bits_of(b), 1); }

double sqrt(double x) {
  uint64_t bits = bits_of(x);
  parts_t part = parts_of(bits);
  int32_t exponent = part.exponent - BIAS;
  uint32_t odd = (uint32_t)exponent & 1;
  /* A bit a step, as on paper: two more bits of the operand, which is in [1, 4), for one of the root. */
  uint64_t remainder = 0, root = 0;
  uint64_t operand = part.significand;
  uint32_t first = high(operand) >> 30 >> (odd ^ 1);
  operand <<= 1 + odd;
  for (int step = 0; step < 55; ++step) {
    remainder = remainder << 2 | first;
    uint64_t trial = root << 2 | 1;
    uint32_t fits = below(remainder, trial) ^ 1;
    remainder -= choose(fits, trial, 0);
    root = root << 1 | fits;
    first = high(operand) >> 30;
    operand <<= 2;
  }
  uint64_t significand = root << 9 | !is_zero(remainder);
  uint64_t result = bits_of(packed(0, (exponent >> 1) + BIAS, significand));
  result = choose(is_zero(bits & MAGNITUDE) | is_zero(bits ^ INFINITE), bits, result);
  uint32_t wrong = is_nan(bits) | ((high(bits) >> 31) & (is_zero(bits & MAGNITUDE) ^ 1));
  return double_of(choose(wrong, NOT_A_NUMBER, result));
}
