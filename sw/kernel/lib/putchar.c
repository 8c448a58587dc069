/* A byte to the console ring (docs/reference/vortex.md 9.4). */

#include <vx_intrinsics.h>
#include <vx_print.h>

#define WORDS(offset) ((volatile uint32_t *)(uintptr_t)(VX_MEM_IO_COUT_ADDR + (offset)))

void vx_putchar(int byte) {
  uint32_t slot = (uint32_t)vx_hart_id() & (VX_MEM_IO_COUT_SLOTS - 1);
  volatile uint32_t *written = WORDS(0) + slot, *read = WORDS(4 * VX_MEM_IO_COUT_SLOTS) + slot;
  uint32_t count = *written;
  if (count - *read >= VX_MEM_IO_COUT_RING) {
    volatile uint32_t *lost = WORDS((8 + VX_MEM_IO_COUT_RING) * VX_MEM_IO_COUT_SLOTS) + slot;
#if defined(__riscv_atomic)
    __atomic_fetch_add(lost, 1, __ATOMIC_RELAXED);
#else
    *lost = *lost + 1;
#endif
    return;
  }
  volatile uint8_t *ring = (volatile uint8_t *)WORDS(8 * VX_MEM_IO_COUT_SLOTS) + slot * VX_MEM_IO_COUT_RING;
  ring[count & (VX_MEM_IO_COUT_RING - 1)] = (uint8_t)byte;
  __asm__ __volatile__("fence ow, ow" : : : "memory");
  *written = count + 1;
}
