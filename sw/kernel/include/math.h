/* Float mathematics on the device, under the names of C and C++. Accuracy: docs/math_library.md.
 *
 * The functions live in sw/kernel/lib and pass through the divergence pass like every kernel, so lanes may call them with
 * different values and in divergent code. Those with an instruction of their own are made in place. In C++ the names
 * without `f` take floats too (`exp(x)`, and `std::exp(x)` with <cmath>).
 *
 * Of double there is what needs no polynomial: fabs, copysign, floor, ceil, trunc, round, fmin, fmax, sqrt.
 */

#ifndef VX_MATH_H
#define VX_MATH_H

#define INFINITY __builtin_inff()
#define NAN __builtin_nanf("")
#define HUGE_VALF __builtin_inff()
#define HUGE_VAL __builtin_inf()

#define M_E 2.7182818284590452354
#define M_LOG2E 1.4426950408889634074
#define M_LOG10E 0.43429448190325182765
#define M_LN2 0.69314718055994530942
#define M_LN10 2.30258509299404568402
#define M_PI 3.14159265358979323846
#define M_PI_2 1.57079632679489661923
#define M_PI_4 0.78539816339744830962
#define M_1_PI 0.31830988618379067154
#define M_2_PI 0.63661977236758134308
#define M_SQRT2 1.41421356237309504880
#define M_SQRT1_2 0.70710678118654752440

#if !defined(__cplusplus)
#define isnan(x) __builtin_isnan(x)
#define isinf(x) __builtin_isinf(x)
#define isfinite(x) __builtin_isfinite(x)
#define signbit(x) __builtin_signbit(x)
#endif

#if defined(__cplusplus)
extern "C" {
#endif

float expf(float x);
float exp2f(float x);
float exp10f(float x);
float expm1f(float x);
float logf(float x);
float log2f(float x);
float log10f(float x);
float log1pf(float x);
float powf(float x, float y);
float sqrtf(float x);
float cbrtf(float x);
float hypotf(float x, float y);

float sinf(float x);
float cosf(float x);
float tanf(float x);
float asinf(float x);
float acosf(float x);
float atanf(float x);
float atan2f(float y, float x);
float sinhf(float x);
float coshf(float x);
float tanhf(float x);

float floorf(float x);
float ceilf(float x);
float truncf(float x);
float roundf(float x);
float rintf(float x);
float nearbyintf(float x);
long lroundf(float x);
long lrintf(float x);

float fabsf(float x);
float copysignf(float x, float sign);
float fminf(float a, float b);
float fmaxf(float a, float b);
float fmaf(float a, float b, float c);
float fdimf(float a, float b);
float fmodf(float x, float y);
float modff(float x, float *whole);
float ldexpf(float x, int exponent);
float scalbnf(float x, int exponent);
float frexpf(float x, int *exponent);

double fabs(double x);
double copysign(double x, double sign);
double floor(double x);
double ceil(double x);
double trunc(double x);
double round(double x);
double fmin(double a, double b);
double fmax(double a, double b);
double sqrt(double x);

#if defined(__cplusplus)
} /* extern "C" */

#define __VX_ONE(name)                                                                                                 \
  static inline __attribute__((always_inline, unused)) float name(float x) { return name##f(x); }
#define __VX_TWO(name)                                                                                                 \
  static inline __attribute__((always_inline, unused)) float name(float a, float b) { return name##f(a, b); }

__VX_ONE(exp)
__VX_ONE(exp2)
__VX_ONE(exp10)
__VX_ONE(expm1)
__VX_ONE(log)
__VX_ONE(log2)
__VX_ONE(log10)
__VX_ONE(log1p)
__VX_ONE(sqrt)
__VX_ONE(cbrt)
__VX_ONE(sin)
__VX_ONE(cos)
__VX_ONE(tan)
__VX_ONE(asin)
__VX_ONE(acos)
__VX_ONE(atan)
__VX_ONE(sinh)
__VX_ONE(cosh)
__VX_ONE(tanh)
__VX_ONE(floor)
__VX_ONE(ceil)
__VX_ONE(trunc)
__VX_ONE(round)
__VX_ONE(rint)
__VX_ONE(nearbyint)
__VX_ONE(fabs)
__VX_TWO(pow)
__VX_TWO(hypot)
__VX_TWO(atan2)
__VX_TWO(copysign)
__VX_TWO(fmin)
__VX_TWO(fmax)
__VX_TWO(fdim)
__VX_TWO(fmod)

static inline __attribute__((always_inline, unused)) float fma(float a, float b, float c) { return fmaf(a, b, c); }
static inline __attribute__((always_inline, unused)) float ldexp(float x, int k) { return ldexpf(x, k); }
static inline __attribute__((always_inline, unused)) float modf(float x, float *whole) { return modff(x, whole); }
static inline __attribute__((always_inline, unused)) float frexp(float x, int *k) { return frexpf(x, k); }
static inline __attribute__((always_inline, unused)) bool isnan(float x) { return __builtin_isnan(x); }
static inline __attribute__((always_inline, unused)) bool isinf(float x) { return __builtin_isinf(x); }
static inline __attribute__((always_inline, unused)) bool isfinite(float x) { return __builtin_isfinite(x); }
static inline __attribute__((always_inline, unused)) bool signbit(float x) { return __builtin_signbit(x); }

#undef __VX_ONE
#undef __VX_TWO
#endif

#endif
