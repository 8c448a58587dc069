/* Argument block of vecadd_i; natural layout, 32 bytes.
 *
 *   offset  size  field
 *   0       4     count      elements of each array
 *   8       8     src0_addr  device address of int32_t src0[count]
 *   16      8     src1_addr  device address of int32_t src1[count]
 *   24      8     dst_addr   device address of int32_t dst[count]
 */

#ifndef VECADD_I_ARGS_H
#define VECADD_I_ARGS_H

#include <stdint.h>

typedef struct {
  uint32_t count;
  uint64_t src0_addr;
  uint64_t src1_addr;
  uint64_t dst_addr;
} kernel_arg_t;

#endif
