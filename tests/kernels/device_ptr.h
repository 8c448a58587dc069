/* A device address in an argument block: 8 bytes at every XLEN (docs/reference/vortex.md 11.1), used like a T*. */

#ifndef DEVICE_PTR_H
#define DEVICE_PTR_H

#include <stdint.h>

template <typename T> struct device_ptr {
  uint64_t address;

  __attribute__((always_inline)) operator T *() const { return (T *)(uintptr_t)address; }
};

#endif
