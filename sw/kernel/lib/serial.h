/* vx_serial in place: the call is direct where the callback is known, so the check of the stack sees it. */

#ifndef VX_SERIAL_TOOL_H
#define VX_SERIAL_TOOL_H

#include <vx_intrinsics.h>
#include <vx_serial.h>

static inline __attribute__((always_inline)) void serially(vx_serial_cb callback, void *argument) {
  for (int lane = 0; lane < vx_num_threads(); ++lane) {
    if (lane == vx_thread_id())
      callback(argument);
  }
}

#endif
