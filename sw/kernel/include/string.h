/* The memory functions of C. Lanes may pass different addresses and sizes. */

#ifndef VX_STRING_H
#define VX_STRING_H

#include <stddef.h>

#if defined(__cplusplus)
extern "C" {
#endif

void *memcpy(void *__restrict target, const void *__restrict source, size_t size);
void *memmove(void *target, const void *source, size_t size);
void *memset(void *target, int value, size_t size);
int memcmp(const void *left, const void *right, size_t size);
size_t strlen(const char *text);

#if defined(__cplusplus)
}
#endif

#endif
