/* Text to the console ring (docs/reference/vortex.md 9.4, 10.5). C and C++.
 *
 * Each hart has a ring of 512 bytes, which the host drains after the launch; what does not fit is counted as lost. Active
 * lanes print one after the other, each a whole message.
 *
 * vx_printf knows %d %i %u %x %X %o %c %s %p %f and %%, the flags - + 0 # and space, width, precision (also *), and the
 * lengths hh h l ll z. A conversion that it does not know is printed as it stands. It returns the number of bytes.
 */

#ifndef VX_PRINT_H
#define VX_PRINT_H

#include <stdarg.h>
#include <stdint.h>

#if defined(__cplusplus)
extern "C" {
#endif

int vx_printf(const char *format, ...) __attribute__((format(printf, 1, 2)));
int vx_vprintf(const char *format, va_list arguments);

/* One byte to the ring of this lane's hart; never waits. */
void vx_putchar(int byte);

/* `base` is 2 to 16. */
void vx_putint(int value, int base);

/* Integer part, a point, and the whole number fraction * 10^precision, without leading zeros. */
void vx_putfloat(float value, int precision);

#if defined(__cplusplus)
}
#endif

#endif
