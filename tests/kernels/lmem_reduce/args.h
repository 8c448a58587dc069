/* Argument block of lmem_reduce; natural layout, 16 bytes.
 *
 *   offset  size  field
 *   0       8     src_addr  device address of int32_t src[grid * block]
 *   8       8     dst_addr  device address of int32_t dst[grid * block]
 */

#ifndef LMEM_REDUCE_ARGS_H
#define LMEM_REDUCE_ARGS_H

#include <stdint.h>

typedef struct {
  uint64_t src_addr;
  uint64_t dst_addr;
} kernel_arg_t;

#endif
