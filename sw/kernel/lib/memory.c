/* The memory functions of C. They move words where both addresses allow it; lanes may pass different addresses and sizes,
 * which then loop as often as the lane that needs most.
 */

#include <string.h>
#include <stdint.h>

typedef size_t __attribute__((may_alias)) word_t;

#define WORD sizeof(word_t)
#define STEP (4 * WORD)

static inline size_t odd_bytes(const void *address) { return (uintptr_t)address & (WORD - 1); }

/* Upwards. Every load of a step comes before its first store, so the target may begin below the source. */
static inline void copy_up(unsigned char *to, const unsigned char *from, size_t size) {
  if (size >= STEP && odd_bytes(to) == odd_bytes(from)) {
    for (; odd_bytes(to) != 0; --size)
      *to++ = *from++;
    for (; size >= STEP; size -= STEP, to += STEP, from += STEP) {
      const word_t *source = (const word_t *)from;
      word_t *target = (word_t *)to;
      word_t a = source[0], b = source[1], c = source[2], d = source[3];
      target[0] = a;
      target[1] = b;
      target[2] = c;
      target[3] = d;
    }
    for (; size >= WORD; size -= WORD, to += WORD, from += WORD)
      *(word_t *)to = *(const word_t *)from;
  }
  for (; size != 0; --size)
    *to++ = *from++;
}

void *memcpy(void *restrict target, const void *restrict source, size_t size) {
  copy_up(target, source, size);
  return target;
}

void *memmove(void *target, const void *source, size_t size) {
  unsigned char *to = target;
  const unsigned char *from = source;
  if (to <= from || to >= from + size) {
    copy_up(to, from, size);
    return target;
  }
  to += size;
  from += size;
  if (size >= STEP && odd_bytes(to) == odd_bytes(from)) {
    for (; odd_bytes(to) != 0; --size)
      *--to = *--from;
    for (; size >= WORD; size -= WORD) {
      to -= WORD;
      from -= WORD;
      *(word_t *)to = *(const word_t *)from;
    }
  }
  for (; size != 0; --size)
    *--to = *--from;
  return target;
}

void *memset(void *target, int value, size_t size) {
  unsigned char *to = target;
  unsigned char byte = (unsigned char)value;
  if (size >= STEP) {
    word_t word = (word_t)-1 / 255 * byte;
    for (; odd_bytes(to) != 0; --size)
      *to++ = byte;
    for (; size >= STEP; size -= STEP, to += STEP) {
      word_t *place = (word_t *)to;
      place[0] = word;
      place[1] = word;
      place[2] = word;
      place[3] = word;
    }
    for (; size >= WORD; size -= WORD, to += WORD)
      *(word_t *)to = word;
  }
  for (; size != 0; --size)
    *to++ = byte;
  return target;
}

int memcmp(const void *left, const void *right, size_t size) {
  const unsigned char *a = left;
  const unsigned char *b = right;
  int difference = 0;
  for (; size != 0 && difference == 0; --size)
    difference = (int)*a++ - (int)*b++;
  return difference;
}

size_t strlen(const char *text) {
  size_t size = 0;
  while (text[size] != 0)
    ++size;
  return size;
}
