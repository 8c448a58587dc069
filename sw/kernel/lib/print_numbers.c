/* Numbers without a format. */

#include "serial.h"
#include <vx_print.h>

typedef struct {
  int value;
  int base;
} integer_t;

VX_SINGLE_LANE static void put_unsigned(uint32_t value, uint32_t base) {
  char digits[32];
  int count = 0;
  do {
    digits[count++] = "0123456789abcdef"[value % base & 15];
    value /= base;
  } while (value != 0);
  while (count > 0)
    vx_putchar(digits[--count]);
}

VX_SINGLE_LANE static void put_integer(void *argument) {
  const integer_t *job = (const integer_t *)argument;
  uint32_t value = (uint32_t)job->value, base = job->base < 2 || job->base > 16 ? 10 : (uint32_t)job->base;
  if (job->value < 0) {
    vx_putchar('-');
    value = -value;
  }
  put_unsigned(value, base);
}

void vx_putint(int value, int base) {
  integer_t job = {value, base};
  serially(put_integer, &job);
}

#if defined(__riscv_flen)
typedef struct {
  float value;
  int precision;
} float_t;

VX_SINGLE_LANE static void put_float(void *argument) {
  const float_t *job = (const float_t *)argument;
  float size = __builtin_fabsf(job->value);
  if (__builtin_signbit(job->value))
    vx_putchar('-');
  uint32_t whole = (uint32_t)size;
  float fraction = size - (float)whole;
  for (int i = 0; i < job->precision; ++i)
    fraction *= 10.0f;
  put_unsigned(whole, 10);
  vx_putchar('.');
  put_unsigned((uint32_t)fraction, 10);
}

void vx_putfloat(float value, int precision) {
  float_t job = {value, precision};
  serially(put_float, &job);
}
#endif
