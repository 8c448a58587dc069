/* Soft double: comparisons, by the convention of the compiler: the result compares to 0 as the operands do. */

#include "double_bits.h"

/* A signed number that orders as the doubles do; both zeros give 0. The top bit is flipped, to compare without sign. */
static inline uint64_t rank_of(uint64_t bits) {
  uint32_t negative = high(bits) >> 31;
  uint64_t flip = join(-negative, -negative);
  return (((bits & MAGNITUDE) ^ flip) + negative) ^ SIGN;
}

static inline int compare(double left, double right, int unordered) {
  uint64_t a = bits_of(left), b = bits_of(right);
  uint64_t x = rank_of(a), y = rank_of(b);
  int order = (int)below(y, x) - (int)below(x, y);
  return is_nan(a) | is_nan(b) ? unordered : order;
}

int __eqdf2(double a, double b) { return compare(a, b, 1); }
int __nedf2(double a, double b) { return compare(a, b, 1); }
int __ltdf2(double a, double b) { return compare(a, b, 1); }
int __ledf2(double a, double b) { return compare(a, b, 1); }
int __gtdf2(double a, double b) { return compare(a, b, -1); }
int __gedf2(double a, double b) { return compare(a, b, -1); }
int __unorddf2(double a, double b) { return (int)(is_nan(bits_of(a)) | is_nan(bits_of(b))); }
