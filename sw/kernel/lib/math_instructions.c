/* Functions that are an instruction or that the pass replaces by code without branches, for callers that need a
 * function: a kernel that calls them by name gets the code in place.
 */

#include <math.h>

float floorf(float x) { return __builtin_floorf(x); }
float ceilf(float x) { return __builtin_ceilf(x); }
float truncf(float x) { return __builtin_truncf(x); }
float roundf(float x) { return __builtin_roundf(x); }
float rintf(float x) { return __builtin_rintf(x); }
float nearbyintf(float x) { return __builtin_rintf(x); }
float sqrtf(float x) { return __builtin_sqrtf(x); }
float fabsf(float x) { return __builtin_fabsf(x); }
float copysignf(float x, float sign) { return __builtin_copysignf(x, sign); }
float fmaf(float a, float b, float c) { return __builtin_fmaf(a, b, c); }
float fminf(float a, float b) { return __builtin_fminf(a, b); }
float fmaxf(float a, float b) { return __builtin_fmaxf(a, b); }
long lroundf(float x) { return (long)__builtin_roundf(x); }
long lrintf(float x) { return (long)__builtin_rintf(x); }
