// Holds float functions of the kernel library, compiled for the host, against the host's double functions.
//
//   float_reference LIBRARY FUNCTION STEP        every STEP-th bit pattern, from 0; 1 is all
//   float_reference LIBRARY NAME COUNT SEED      pow, atan2, hypot, fmod: corners and random pairs, half of them of a kind
//                                                 in which something happens
//
// Prints: inputs tested, largest error in ULP, its argument(s), inputs of the wrong kind (a NaN, an infinity or a sign where
// there should be none, or none where there should be one), and the first of these. One ULP is the distance of neighbouring
// floats at the exact result. The host's double functions err by less than 1e-8 of that.
#include <dlfcn.h>

#include <cmath>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <string>
#include <utility>

namespace {

float float_of(uint32_t bits) {
    float x;
    memcpy(&x, &bits, sizeof x);
    return x;
}

uint32_t bits_of(float x) {
    uint32_t bits;
    memcpy(&bits, &x, sizeof bits);
    return bits;
}

struct Worst {
    uint64_t count = 0, wrong = 0;
    double error = 0;
    float x = 0, y = 0, wrong_x = 0, wrong_y = 0;

    void add(float a, float b, float found, double exact) {
        ++count;
        // One ULP is at least 2^-24 of the value, so this cannot be the worst; it saves the slow part for nearly all inputs.
        if (fabs(found - exact) <= error * 0x1p-24 * fabs(exact) && found != 0 && std::isfinite(found)) return;
        const float rounded = static_cast<float>(exact);
        if (std::isnan(exact) || std::isnan(found) || (std::signbit(exact) != std::signbit(found))) {
            if (std::isnan(exact) && std::isnan(found)) return;
            return bad(a, b);
        }
        if (found == rounded) {
            if (!std::isfinite(rounded) || exact == 0) return;
        } else if (exact == 0 || std::isinf(exact) || exact >= 1e300) {
            return bad(a, b);
        }
        int exponent;
        frexp(exact, &exponent);
        const double ulp = ldexp(1.0, (exponent < -125 ? -125 : exponent > 128 ? 128 : exponent) - 24);
        const double value = std::isinf(found) ? copysign(0x1p128, found) : found;
        const double distance = fabs(value - exact) / ulp;
        if (found == rounded && distance > 1) return;  // overflow, as rounding demands
        if (distance > error) {
            error = distance;
            x = a;
            y = b;
        }
    }
    void bad(float a, float b) {
        if (wrong++ == 0) {
            wrong_x = a;
            wrong_y = b;
        }
    }
    void print() const {
        printf("%llu %.4f %a %a %llu %a %a\n", static_cast<unsigned long long>(count), error, x, y,
               static_cast<unsigned long long>(wrong), wrong_x, wrong_y);
    }
};

using Exact = double (*)(double);

// What saves most of the time: near 0 a series is exact to 2^-50, beyond `low` and `high` the result is 0 or infinite whatever
// it is precisely, and the negative half follows by symmetry, which is checked bit for bit.
struct Reference {
    const char* name;
    Exact exact;
    int symmetry;  // 1 even, -1 odd, 0 none
    bool series;   // c0 + c1 x + c2 x^2 + c3 x^3 for |x| < 2^-14
    double c0, c1, c2, c3;
    double low = -HUGE_VAL, high = HUGE_VAL;

    double operator()(double x) const {
        if (series && fabs(x) < 0x1p-14) return c0 + x * (c1 + x * (c2 + x * c3));
        if (x < low) return 1e-300;
        if (x > high) return 1e300;
        return exact(x);
    }
};

double ten_to(double x) { return exp10(x); }

const double kLn2 = M_LN2, kLn10 = M_LN10;
const Reference kAll[] = {
    {"exp", exp, 0, true, 1, 1, 0.5, 1 / 6., -110, 95},
    {"exp2", exp2, 0, true, 1, kLn2, kLn2 * kLn2 / 2, kLn2 * kLn2 * kLn2 / 6, -155, 135},
    {"exp10", ten_to, 0, true, 1, kLn10, kLn10 * kLn10 / 2, kLn10 * kLn10 * kLn10 / 6, -50, 45},
    {"expm1", expm1, 0, true, 0, 1, 0.5, 1 / 6., -HUGE_VAL, 95},
    {"log", log, 0, false, 0, 0, 0, 0},
    {"log2", log2, 0, false, 0, 0, 0, 0},
    {"log10", log10, 0, false, 0, 0, 0, 0},
    {"log1p", log1p, 0, true, 0, 1, -0.5, 1 / 3.},
    {"sin", sin, -1, true, 0, 1, 0, -1 / 6.},
    {"cos", cos, 1, true, 1, 0, -0.5, 0},
    {"tan", tan, -1, true, 0, 1, 0, 1 / 3.},
    {"asin", asin, -1, true, 0, 1, 0, 1 / 6.},
    {"acos", acos, 0, false, 0, 0, 0, 0},
    {"atan", atan, -1, true, 0, 1, 0, -1 / 3.},
    {"sinh", sinh, -1, true, 0, 1, 0, 1 / 6., -HUGE_VAL, 95},
    {"cosh", cosh, 1, true, 1, 0, 0.5, 0, -HUGE_VAL, 95},
    {"tanh", tanh, -1, true, 0, 1, 0, -1 / 3.},
    {"cbrt", cbrt, -1, false, 0, 0, 0, 0},
};

uint64_t state = 1;
uint64_t random_bits() {
    state ^= state << 13;
    state ^= state >> 7;
    state ^= state << 17;
    return state * 0x2545f4914f6cdd1dull;
}

void one_argument(const Reference& reference, float (*function)(float), uint64_t step) {
    Worst worst;
    for (uint64_t bits = 0; bits < 1ull << (reference.symmetry ? 31 : 32); bits += step) {
        const float x = float_of(static_cast<uint32_t>(bits));
        const float found = function(x);
        worst.add(x, 0, found, reference(x));
        if (reference.symmetry == 0) continue;
        ++worst.count;
        const uint32_t mirrored = bits_of(function(-x)) ^ (reference.symmetry < 0 ? 0x80000000u : 0);
        if (mirrored != bits_of(found) && !(std::isnan(found) && std::isnan(float_of(mirrored)))) worst.bad(-x, 0);
    }
    worst.print();
}

void two_arguments(float (*function)(float, float), double (*exact)(double, double), uint64_t count) {
    static const uint32_t kCorners[] = {0,          1,          0x7fffff,   0x800000,   0x3f7fffff, 0x3f800000, 0x3f800001, 0x3f000000,
                                        0x40000000, 0x40400000, 0x4b7fffff, 0x4b800000, 0x4b000001, 0x7f7fffff, 0x7f800000, 0x7fc00000};
    Worst worst;
    for (uint32_t a : kCorners) {
        for (uint32_t b : kCorners) {
            for (int signs = 0; signs < 4; ++signs) {
                const float x = float_of(a | static_cast<uint32_t>(signs & 1) << 31), y = float_of(b | static_cast<uint32_t>(signs & 2) << 30);
                worst.add(x, y, function(x, y), exact(static_cast<double>(x), static_cast<double>(y)));
            }
        }
    }
    for (uint64_t i = 0; i < count; ++i) {
        const uint64_t bits = random_bits();
        float x = float_of(static_cast<uint32_t>(bits)), y = float_of(static_cast<uint32_t>(bits >> 32));
        if (i & 1 && exact != static_cast<double (*)(double, double)>(pow)) {  // sizes that are not far apart
            y = float_of((bits_of(x) & 0x7fffffff) + static_cast<uint32_t>(static_cast<int64_t>(bits >> 36) - (1 << 27)));
        } else if (i & 1) {  // an exponent that leads somewhere between 2^-150 and 2^130
            x = fabs(x);
            const double goal = static_cast<double>(random_bits() >> 11) * 0x1p-53 * 280 - 150;
            y = static_cast<float>(goal / log2(static_cast<double>(x)));
        }
        worst.add(x, y, function(x, y), exact(static_cast<double>(x), static_cast<double>(y)));
    }
    worst.print();
}

}  // namespace

int main(int argc, char** argv) {
    if (argc < 4) return 2;
    void* library = dlopen(argv[1], RTLD_NOW | RTLD_LOCAL);
    void* function = library ? dlsym(library, (std::string(argv[2]) + "f").c_str()) : nullptr;
    if (function == nullptr) {
        fprintf(stderr, "%s\n", dlerror());
        return 2;
    }
    const uint64_t number = strtoull(argv[3], nullptr, 0);
    const std::pair<const char*, double (*)(double, double)> pairs[] = {{"pow", pow}, {"atan2", atan2}, {"hypot", hypot}, {"fmod", fmod}};
    for (const auto& [name, exact] : pairs) {
        if (std::string(argv[2]) != name) continue;
        state = argc > 4 ? strtoull(argv[4], nullptr, 0) * 2 + 1 : 1;
        two_arguments(reinterpret_cast<float (*)(float, float)>(function), exact, number);
        return 0;
    }
    for (const Reference& reference : kAll) {
        if (std::string(argv[2]) == reference.name) {
            one_argument(reference, reinterpret_cast<float (*)(float)>(function), number);
            return 0;
        }
    }
    fprintf(stderr, "no reference for %s\n", argv[2]);
    return 2;
}
