/* 64-bit values as two words, where the back end would otherwise make a branch: comparing, choosing, and shifting by an
 * amount that is no constant. No branch in here, with Zicond or without.
 */

#ifndef VX_WORDS_H
#define VX_WORDS_H

#include <stdint.h>

#define TOOL static inline __attribute__((always_inline, unused))

TOOL uint32_t high(uint64_t x) { return (uint32_t)(x >> 32); }
TOOL uint32_t low(uint64_t x) { return (uint32_t)x; }
TOOL uint64_t join(uint32_t hi, uint32_t lo) { return (uint64_t)hi << 32 | lo; }

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

#endif
