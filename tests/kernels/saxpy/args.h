/* Argument block of saxpy; natural layout, 24 bytes.
 *
 *   offset  size  field
 *   0       4     size    elements
 *   4       4     factor
 *   8       8     x_addr  device address of float x[size]
 *   16      8     y_addr  device address of float y[size], read and written
 */

#ifndef SAXPY_ARGS_H
#define SAXPY_ARGS_H

#include <stdint.h>

typedef struct {
  uint32_t size;
  float factor;
  uint64_t x_addr;
  uint64_t y_addr;
} kernel_arg_t;

#endif
