/* The float functions of math.h, under the name that the other headers have. */

#ifndef VX_MATH_FUNCTIONS_H
#define VX_MATH_FUNCTIONS_H

#include <math.h>

#endif
