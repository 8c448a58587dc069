/* The memory functions that a compiler may call on its own. Linked only into images that use them.
 *
 * Plain loops: the number of bytes must be the same in all active lanes of a warp, as for any loop.
 */

#include <stddef.h>

void *memcpy(void *restrict target, const void *restrict source, size_t size) {
  unsigned char *to = target;
  const unsigned char *from = source;
  for (size_t i = 0; i < size; ++i)
    to[i] = from[i];
  return target;
}

void *memmove(void *target, const void *source, size_t size) {
  unsigned char *to = target;
  const unsigned char *from = source;
  if (to <= from) {
    for (size_t i = 0; i < size; ++i)
      to[i] = from[i];
  } else {
    for (size_t i = size; i > 0; --i)
      to[i - 1] = from[i - 1];
  }
  return target;
}

void *memset(void *target, int value, size_t size) {
  unsigned char *to = target;
  for (size_t i = 0; i < size; ++i)
    to[i] = (unsigned char)value;
  return target;
}

/* Without a way out of the loop before `size`, so that equal sizes mean equal control flow in all lanes. */
int memcmp(const void *left, const void *right, size_t size) {
  const unsigned char *a = left;
  const unsigned char *b = right;
  int result = 0;
  for (size_t i = size; i > 0; --i) {
    int difference = (int)a[i - 1] - (int)b[i - 1];
    result = difference != 0 ? difference : result;
  }
  return result;
}

size_t strlen(const char *text) {
  size_t size = 0;
  while (text[size] != 0)
    ++size;
  return size;
}
