/* One lane after the other (docs/reference/vortex.md 10.3). C and C++. */

#ifndef VX_SERIAL_H
#define VX_SERIAL_H

#if defined(__cplusplus)
extern "C" {
#endif

typedef void (*vx_serial_cb)(void *argument);

/* Calls `callback` once for each active lane, in the order of the lanes, with only that lane active. */
void vx_serial(vx_serial_cb callback, const void *argument);

#if defined(__cplusplus)
}
#endif

#endif
