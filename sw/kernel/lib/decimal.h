/* A double as decimal digits, exactly: four digits a limb, so that 32-bit arithmetic is enough. */

#ifndef VX_DECIMAL_H
#define VX_DECIMAL_H

#include <stdint.h>

#define VX_WHOLE_LIMBS 78    /* 2^1024 has 309 digits */
#define VX_FRACTION_LIMBS 270 /* 2^-1074 has 1074 digits */

typedef struct {
  int whole_count;    /* at least 1 */
  int fraction_count;
  uint16_t whole[VX_WHOLE_LIMBS];       /* lowest first */
  uint16_t fraction[VX_FRACTION_LIMBS]; /* highest first */
} vx_decimal_t;

/* |x| of a finite number given by its bits, rounded to `precision` digits after the point, ties to even. */
void vx_decimal(vx_decimal_t *result, uint64_t bits, int precision);

#endif
