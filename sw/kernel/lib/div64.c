/* 64-bit division for 32-bit kernels, under the names that a compiler calls. Linked only into images that use them.
 *
 * A fixed number of steps and no branch: it costs all lanes the same and diverges nowhere. Division by zero gives what
 * the instructions of the M extension give: quotient all ones, remainder the dividend.
 */

#include <stdint.h>

typedef struct {
  uint64_t quotient;
  uint64_t remainder;
} result_t;

static inline __attribute__((always_inline)) result_t divide(uint64_t a, uint64_t b) {
  uint64_t remainder = 0;
  for (int step = 0; step < 64; ++step) {
    remainder = remainder << 1 | a >> 63; /* at most the first step + 1 bits of the dividend: nothing is lost */
    uint64_t fits = remainder >= b;
    remainder -= b & -fits;
    a = a << 1 | fits;
  }
  return (result_t){a, remainder};
}

/* Absolute value as an unsigned number; `sign` is 0 or all ones. */
static inline uint64_t apply_sign(uint64_t value, uint64_t sign) { return (value ^ sign) - sign; }
static inline uint64_t sign_of(int64_t value) { return (uint64_t)(value >> 63); }

uint64_t __udivdi3(uint64_t a, uint64_t b) { return divide(a, b).quotient; }
uint64_t __umoddi3(uint64_t a, uint64_t b) { return divide(a, b).remainder; }

int64_t __divdi3(int64_t a, int64_t b) {
  uint64_t quotient = divide(apply_sign((uint64_t)a, sign_of(a)), apply_sign((uint64_t)b, sign_of(b))).quotient;
  uint64_t sign = (sign_of(a) ^ sign_of(b)) & -(uint64_t)(b != 0);
  return (int64_t)apply_sign(quotient, sign);
}

int64_t __moddi3(int64_t a, int64_t b) {
  uint64_t remainder = divide(apply_sign((uint64_t)a, sign_of(a)), apply_sign((uint64_t)b, sign_of(b))).remainder;
  return (int64_t)apply_sign(remainder, sign_of(a));
}
