/* 64-bit division for 32-bit kernels, under the names that a compiler calls. Linked only into images that use them.
 *
 * A fixed number of steps and no branch: it costs all lanes the same and diverges nowhere. Division by zero gives what
 * the instructions of the M extension give: quotient all ones, remainder the dividend.
 */

#include "words.h"

typedef struct {
  uint64_t quotient;
  uint64_t remainder;
} result_t;

static inline __attribute__((always_inline)) result_t divide(uint64_t a, uint64_t b) {
  uint64_t remainder = 0;
  for (int step = 0; step < 64; ++step) {
    remainder = remainder << 1 | a >> 63; /* at most the first step + 1 bits of the dividend: nothing is lost */
    uint32_t fits = below(remainder, b) ^ 1;
    remainder -= choose(fits, b, 0);
    a = a << 1 | fits;
  }
  return (result_t){a, remainder};
}

static inline uint32_t negative(int64_t value) { return high((uint64_t)value) >> 31; }

/* The negated value if `flag` is 1. In words, because the back end makes a branch of an absolute value of 64 bits. */
static inline uint64_t negated(uint32_t flag, uint64_t value) {
  uint32_t lo = (low(value) ^ -flag) + flag;
  return join((high(value) ^ -flag) + (flag & (uint32_t)(lo == 0)), lo);
}

static inline uint64_t size_of(int64_t value) { return negated(negative(value), (uint64_t)value); }

uint64_t __udivdi3(uint64_t a, uint64_t b) { return divide(a, b).quotient; }
uint64_t __umoddi3(uint64_t a, uint64_t b) { return divide(a, b).remainder; }

int64_t __divdi3(int64_t a, int64_t b) {
  uint64_t quotient = divide(size_of(a), size_of(b)).quotient;
  uint32_t flip = (negative(a) ^ negative(b)) & (is_zero((uint64_t)b) ^ 1);
  return (int64_t)negated(flip, quotient);
}

int64_t __moddi3(int64_t a, int64_t b) {
  return (int64_t)negated(negative(a), divide(size_of(a), size_of(b)).remainder);
}
