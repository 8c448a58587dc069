/* Soft double: product and quotient. */

#include "double_bits.h"

/* What multiplication and division have in common: `size` is what infinite or zero operands give. */
static inline double finish(uint64_t sign, int32_t exponent, uint64_t significand, uint32_t zero, uint32_t infinite,
                            uint32_t wrong) {
  uint64_t result = bits_of(packed(sign, exponent, significand));
  result = choose(zero, sign, result);
  result = choose(infinite, sign | INFINITE, result);
  return double_of(choose(wrong, NOT_A_NUMBER, result));
}

static inline uint32_t is_infinite(uint64_t bits) { return is_zero((bits & MAGNITUDE) ^ INFINITE); }
static inline uint32_t is_nothing(uint64_t bits) { return is_zero(bits & MAGNITUDE); }

double __muldf3(double left, double right) {
  uint64_t a = bits_of(left), b = bits_of(right);
  parts_t x = parts_of(a), y = parts_of(b);
  uint64_t ll = (uint64_t)low(x.significand) * low(y.significand);
  uint64_t lh = (uint64_t)low(x.significand) * high(y.significand);
  uint64_t hl = (uint64_t)high(x.significand) * low(y.significand);
  uint64_t hh = (uint64_t)high(x.significand) * high(y.significand);
  uint64_t middle = (uint64_t)high(ll) + low(lh) + low(hl);
  uint64_t top = hh + high(lh) + high(hl) + high(middle);
  uint32_t rest = low(middle);
  /* The product of two numbers in [1, 2) is in [1, 4): a shift by one at most. */
  uint32_t one = (high(top) >> 31) ^ 1;
  top = top << one | (rest >> 31 & one);
  rest <<= one;
  top |= (rest | low(ll)) != 0;
  return finish((a ^ b) & SIGN, x.exponent + y.exponent - BIAS + 1 - (int32_t)one, top, is_nothing(a) | is_nothing(b),
                is_infinite(a) | is_infinite(b),
                is_nan(a) | is_nan(b) | (is_infinite(a) & is_nothing(b)) | (is_nothing(a) & is_infinite(b)));
}

double __divdf3(double left, double right) {
  uint64_t a = bits_of(left), b = bits_of(right);
  parts_t x = parts_of(a), y = parts_of(b);
  /* A bit a step, the same number of steps in every lane; half of both, so that the shift loses nothing. */
  uint64_t remainder = x.significand >> 1, divisor = y.significand >> 1, quotient = 0;
  uint32_t less = below(remainder, divisor);
  remainder = choose(less, remainder << 1, remainder);
  for (int step = 0; step < 56; ++step) {
    uint32_t fits = below(remainder, divisor) ^ 1;
    remainder -= choose(fits, divisor, 0);
    remainder <<= 1;
    quotient = quotient << 1 | fits;
  }
  quotient = quotient << 8 | !is_zero(remainder);
  return finish((a ^ b) & SIGN, x.exponent - y.exponent + BIAS - (int32_t)less, quotient,
                is_nothing(a) | is_infinite(b), is_nothing(b) | is_infinite(a),
                is_nan(a) | is_nan(b) | (is_infinite(a) & is_infinite(b)) | (is_nothing(a) & is_nothing(b)));
}
