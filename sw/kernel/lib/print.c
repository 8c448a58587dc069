/* Formatted text. Lanes print one after the other, so nothing in here needs SPLIT and JOIN. */

#include "decimal.h"
#include "serial.h"
#include <vx_print.h>

#define MINUS 1
#define PLUS 2
#define SPACE 4
#define ZERO 8
#define SHARP 16

typedef struct {
  int flags;
  int width;
  int precision; /* -1: none */
  int count;     /* bytes so far */
} state_t;

VX_SINGLE_LANE static void put(state_t *state, char byte) {
  vx_putchar((unsigned char)byte);
  ++state->count;
}

VX_SINGLE_LANE static void pad(state_t *state, char byte, int count) {
  for (; count > 0; --count)
    put(state, byte);
}

/* `text` after `prefix`, both with their length, in a field. */
VX_SINGLE_LANE static void put_field(state_t *state, const char *prefix, int prefix_size, const char *text, int size,
                                     int zeros) {
  int rest = state->width - prefix_size - zeros - size;
  if (!(state->flags & (MINUS | ZERO)))
    pad(state, ' ', rest);
  for (int i = 0; i < prefix_size; ++i)
    put(state, prefix[i]);
  if ((state->flags & (MINUS | ZERO)) == ZERO)
    pad(state, '0', rest);
  pad(state, '0', zeros);
  for (int i = 0; i < size; ++i)
    put(state, text[i]);
  if (state->flags & MINUS)
    pad(state, ' ', rest);
}

/* Digits of `value`, written backwards before `end`; returns the first. */
VX_SINGLE_LANE static char *digits(char *end, uint64_t value, unsigned base, int capital) {
  const char *names = capital ? "0123456789ABCDEF" : "0123456789abcdef";
  for (; value >> 32 != 0; value /= base)
    *--end = names[value % base];
  for (uint32_t rest = (uint32_t)value; rest != 0; rest /= base)
    *--end = names[rest % base];
  return end;
}

VX_SINGLE_LANE static int sign_of(const state_t *state, int negative, char *prefix) {
  *prefix = negative ? '-' : state->flags & PLUS ? '+' : ' ';
  return negative || (state->flags & (PLUS | SPACE));
}

VX_SINGLE_LANE static void put_integer(state_t *state, uint64_t value, unsigned base, int capital, const char *prefix,
                                       int prefix_size) {
  char buffer[24];
  char *end = buffer + sizeof buffer, *first = digits(end, value, base, capital);
  int size = (int)(end - first), least = state->precision < 0 ? 1 : state->precision;
  if (state->precision >= 0)
    state->flags &= ~ZERO;
  put_field(state, prefix, prefix_size, first, size, size < least ? least - size : 0);
}

VX_SINGLE_LANE static void put_limb(state_t *state, unsigned limb, int count) {
  static const unsigned short unit[4] = {1000, 100, 10, 1};
  for (int i = 0; i < count; ++i)
    put(state, (char)('0' + limb / unit[i] % 10));
}

VX_SINGLE_LANE static void put_double(state_t *state, uint64_t bits, int capital) {
  char sign;
  int sign_size = sign_of(state, (int)(bits >> 63), &sign);
  uint64_t size = bits & 0x7fffffffffffffffull;
  if (size >= 0x7ff0000000000000ull) {
    const char *name = size > 0x7ff0000000000000ull ? (capital ? "NAN" : "nan") : (capital ? "INF" : "inf");
    state->flags &= ~ZERO;
    put_field(state, &sign, sign_size, name, 3, 0);
    return;
  }
  int precision = state->precision < 0 ? 6 : state->precision;
  vx_decimal_t value;
  vx_decimal(&value, bits, precision);
  char top[8];
  char *end = top + sizeof top, *first = digits(end, value.whole[value.whole_count - 1], 10, 0);
  if (first == end)
    *--first = '0';
  int point = precision > 0 || (state->flags & SHARP);
  int rest = state->width - sign_size - (int)(end - first) - 4 * (value.whole_count - 1) - point - precision;
  if (!(state->flags & (MINUS | ZERO)))
    pad(state, ' ', rest);
  if (sign_size)
    put(state, sign);
  if ((state->flags & (MINUS | ZERO)) == ZERO)
    pad(state, '0', rest);
  while (first != end)
    put(state, *first++);
  for (int i = value.whole_count - 2; i >= 0; --i)
    put_limb(state, value.whole[i], 4);
  if (point)
    put(state, '.');
  for (int i = 0; i < value.fraction_count && precision > 0; ++i, precision -= 4)
    put_limb(state, value.fraction[i], precision < 4 ? precision : 4);
  pad(state, '0', precision);
  if (state->flags & MINUS)
    pad(state, ' ', rest);
}

typedef struct {
  const char *format;
  va_list *arguments;
  int count;
} job_t;

VX_SINGLE_LANE static int flag_of(char byte) {
  return byte == '-' ? MINUS : byte == '+' ? PLUS : byte == ' ' ? SPACE : byte == '0' ? ZERO : byte == '#' ? SHARP : 0;
}

/* A number in the format, or the next argument for a star. */
VX_SINGLE_LANE static const char *number(const char *at, va_list *arguments, int *value) {
  if (*at == '*') {
    *value = va_arg(*arguments, int);
    return at + 1;
  }
  for (*value = 0; *at >= '0' && *at <= '9'; ++at)
    *value = 10 * *value + (*at - '0');
  return at;
}

VX_SINGLE_LANE static uint64_t integer(va_list *arguments, int longs, int is_signed) {
  if (longs > 1 || (longs == 1 && sizeof(long) == 8))
    return va_arg(*arguments, uint64_t);
  int value = va_arg(*arguments, int);
  if (longs == -1)
    value = is_signed ? (short)value : (unsigned short)value;
  if (longs == -2)
    value = is_signed ? (signed char)value : (unsigned char)value;
  return is_signed ? (uint64_t)(int64_t)value : (unsigned)value;
}

/* One conversion, `at` behind its '%'; returns where the text goes on, or `at` if it is none. */
VX_SINGLE_LANE static const char *convert(state_t *state, const char *at, va_list *arguments) {
  state->flags = 0;
  state->precision = -1;
  for (; flag_of(*at) != 0; ++at)
    state->flags |= flag_of(*at);
  at = number(at, arguments, &state->width);
  if (state->width < 0) {
    state->flags |= MINUS;
    state->width = -state->width;
  }
  if (*at == '.')
    at = number(at + 1, arguments, &state->precision);
  int longs = 0;
  for (; *at == 'l' || *at == 'h' || *at == 'z'; ++at)
    longs += *at == 'h' ? -1 : 1;
  char kind = *at++;
  char prefix[2] = {'0', kind};
  if (kind == 'd' || kind == 'i') {
    int64_t value = (int64_t)integer(arguments, longs, 1);
    int size = sign_of(state, value < 0, prefix);
    put_integer(state, value < 0 ? -(uint64_t)value : (uint64_t)value, 10, 0, prefix, size);
  } else if (kind == 'u') {
    put_integer(state, integer(arguments, longs, 0), 10, 0, prefix, 0);
  } else if (kind == 'x' || kind == 'X') {
    uint64_t value = integer(arguments, longs, 0);
    put_integer(state, value, 16, kind == 'X', prefix, state->flags & SHARP && value != 0 ? 2 : 0);
  } else if (kind == 'o') {
    put_integer(state, integer(arguments, longs, 0), 8, 0, prefix, state->flags & SHARP ? 1 : 0);
  } else if (kind == 'p') {
    prefix[1] = 'x';
    put_integer(state, (uintptr_t)va_arg(*arguments, void *), 16, 0, prefix, 2);
  } else if (kind == 'f' || kind == 'F') {
    double value = va_arg(*arguments, double);
    uint64_t bits;
    __builtin_memcpy(&bits, &value, sizeof bits);
    put_double(state, bits, kind == 'F');
  } else if (kind == 'c') {
    char byte = (char)va_arg(*arguments, int);
    state->flags &= ~ZERO;
    put_field(state, prefix, 0, &byte, 1, 0);
  } else if (kind == 's') {
    const char *text = va_arg(*arguments, const char *);
    int size = 0;
    text = text != 0 ? text : "(null)";
    while (size != state->precision && text[size] != 0)
      ++size;
    state->flags &= ~ZERO;
    put_field(state, prefix, 0, text, size, 0);
  } else {
    return 0;
  }
  return at;
}

VX_SINGLE_LANE static void print(void *argument) {
  job_t *job = (job_t *)argument;
  state_t state = {0, 0, -1, 0};
  for (const char *at = job->format; *at != 0;) {
    char byte = *at++;
    if (byte == '%' && *at == '%') {
      ++at;
    } else if (byte == '%') {
      const char *next = convert(&state, at, job->arguments);
      if (next != 0) {
        at = next;
        continue;
      }
    }
    put(&state, byte);
  }
  job->count = state.count;
}

int vx_vprintf(const char *format, va_list arguments) {
  va_list copy;
  va_copy(copy, arguments);
  job_t job = {format, &copy, 0};
  serially(print, &job);
  va_end(copy);
  return job.count;
}

int vx_printf(const char *format, ...) {
  va_list arguments;
  va_start(arguments, format);
  int count = vx_vprintf(format, arguments);
  va_end(arguments);
  return count;
}
