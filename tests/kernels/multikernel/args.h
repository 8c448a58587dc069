/* Argument block of add_k, mul_k and acc_k; natural layout, 24 bytes.
 *
 *   offset  size  field
 *   0       4     count     elements of src and dst
 *   8       8     src_addr  device address of int32_t src[count]
 *   16      8     dst_addr  device address of int32_t dst[count]
 */

#ifndef MULTIKERNEL_ARGS_H
#define MULTIKERNEL_ARGS_H

#include <stdint.h>

typedef struct {
  uint32_t count;
  uint64_t src_addr;
  uint64_t dst_addr;
} kernel_arg_t;

#endif
