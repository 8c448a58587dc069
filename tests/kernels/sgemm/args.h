/* Argument block of sgemm; natural layout, 32 bytes.
 *
 *   offset  size  field
 *   0       4     size    n, rows and columns of each matrix
 *   8       8     a_addr  device address of float a[n][n], row-major
 *   16      8     b_addr  device address of float b[n][n]
 *   24      8     c_addr  device address of float c[n][n]
 */

#ifndef SGEMM_ARGS_H
#define SGEMM_ARGS_H

#include <stdint.h>

typedef struct {
  uint32_t size;
  uint64_t a_addr;
  uint64_t b_addr;
  uint64_t c_addr;
} kernel_arg_t;

#endif
