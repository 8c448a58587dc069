/* Argument block of all amo kernels; natural layout, 24 bytes.
 *
 *   offset  size  field
 *   0       8     src_addr  device address of uint32_t src[threads]
 *   8       8     dst_addr  device address of uint32_t dst[16 * threads]: what one thread owns is a 64-byte line
 *   16      8     acc_addr  device address of uint32_t acc[16]: what all threads share
 */

#ifndef AMO_ARGS_H
#define AMO_ARGS_H

#include <stdint.h>

typedef struct {
  uint64_t src_addr;
  uint64_t dst_addr;
  uint64_t acc_addr;
} kernel_arg_t;

#endif
