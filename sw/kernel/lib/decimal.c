/* From the bits of a double to its digits. One lane runs this at a time. */

#include "decimal.h"
#include <vx_intrinsics.h>

#define BASE 10000u

VX_SINGLE_LANE static void times_power(vx_decimal_t *x, unsigned shift, uint32_t add) {
  uint32_t carry = add;
  for (int i = 0; i < x->whole_count; ++i) {
    carry += (uint32_t)x->whole[i] << shift;
    x->whole[i] = (uint16_t)(carry % BASE);
    carry /= BASE;
  }
  for (; carry != 0; carry /= BASE)
    x->whole[x->whole_count++] = (uint16_t)(carry % BASE);
}

VX_SINGLE_LANE static void halve(vx_decimal_t *x, unsigned shift) {
  uint32_t mask = (1u << shift) - 1, rest = 0;
  for (int i = x->whole_count - 1; i >= 0; --i) {
    rest = rest * BASE + x->whole[i];
    x->whole[i] = (uint16_t)(rest >> shift);
    rest &= mask;
  }
  while (x->whole_count > 1 && x->whole[x->whole_count - 1] == 0)
    --x->whole_count;
  for (int i = 0; i < x->fraction_count; ++i) {
    rest = rest * BASE + x->fraction[i];
    x->fraction[i] = (uint16_t)(rest >> shift);
    rest &= mask;
  }
  for (; rest != 0; rest &= mask) {
    rest *= BASE;
    x->fraction[x->fraction_count++] = (uint16_t)(rest >> shift);
  }
}

/* Adds to the limb before fraction[at], and carries. */
VX_SINGLE_LANE static void carry_into(vx_decimal_t *x, int at) {
  while (--at >= 0) {
    if (++x->fraction[at] < BASE)
      return;
    x->fraction[at] = 0;
  }
  for (int i = 0; i < x->whole_count; ++i) {
    if (++x->whole[i] < BASE)
      return;
    x->whole[i] = 0;
  }
  x->whole[x->whole_count++] = 1;
}

VX_SINGLE_LANE static void round_to(vx_decimal_t *x, int precision) {
  int at = precision / 4;
  if (precision >= 4 * x->fraction_count)
    return;
  uint32_t unit = precision % 4 == 0 ? BASE : precision % 4 == 1 ? 1000 : precision % 4 == 2 ? 100 : 10;
  uint32_t rest = x->fraction[at] % unit;
  uint32_t last = unit != BASE ? x->fraction[at] / unit : at > 0 ? x->fraction[at - 1] : x->whole[0];
  int beyond = 0;
  for (int i = at + 1; i < x->fraction_count; ++i)
    beyond |= x->fraction[i] != 0;
  int up = 2 * rest > unit || (2 * rest == unit && (beyond || (last & 1)));
  x->fraction[at] = (uint16_t)(x->fraction[at] - rest);
  x->fraction_count = at + (unit != BASE);
  if (!up)
    return;
  if (unit == BASE) {
    carry_into(x, at);
    return;
  }
  x->fraction[at] = (uint16_t)(x->fraction[at] + unit);
  if (x->fraction[at] >= BASE) {
    x->fraction[at] = 0;
    carry_into(x, at);
  }
}

VX_SINGLE_LANE void vx_decimal(vx_decimal_t *result, uint64_t bits, int precision) {
  uint32_t high = (uint32_t)(bits >> 32) & 0x7fffffffu, low = (uint32_t)bits;
  int exponent = (int)(high >> 20);
  uint32_t top = (high & 0xfffffu) | (exponent != 0 ? 0x100000u : 0);
  exponent = (exponent != 0 ? exponent : 1) - 1075;
  result->whole_count = 1;
  result->fraction_count = 0;
  result->whole[0] = 0;
  times_power(result, 0, top);
  times_power(result, 16, low >> 16);
  times_power(result, 16, low & 0xffffu);
  for (; exponent > 0; exponent -= exponent < 16 ? exponent : 16)
    times_power(result, exponent < 16 ? (unsigned)exponent : 16u, 0);
  for (; exponent < 0; exponent += exponent > -16 ? -exponent : 16)
    halve(result, exponent > -16 ? (unsigned)-exponent : 16u);
  round_to(result, precision);
}
