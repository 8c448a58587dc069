/* One lane after the other. */

#include <vx_intrinsics.h>
#include <vx_serial.h>

void vx_serial(vx_serial_cb callback, const void *argument) {
  for (int lane = 0; lane < vx_num_threads(); ++lane) {
    if (lane == vx_thread_id())
      callback((void *)argument);
  }
}
