// Holds the soft double functions of the kernel library, compiled for the host, against the host's own double.
//
//   double_reference LIBRARY COUNT SEED
//
// Operands are weighted towards corners: zeros, subnormals, infinities, NaNs, powers of two with few bits set or cleared,
// operands of nearly equal size and opposite sign, exponents around those where conversions change. Results must agree bit for
// bit; every NaN counts as the same one. Prints the first differences, then operand pairs, checks and failures.
#include <dlfcn.h>

#include <cinttypes>
#include <cmath>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <cstring>

namespace {

uint64_t state[2];
uint64_t random_bits() {
    uint64_t a = state[0];
    const uint64_t b = state[1];
    state[0] = b;
    a ^= a << 23;
    state[1] = a ^ b ^ (a >> 17) ^ (b >> 26);
    return state[1] + b;
}

double double_of(uint64_t bits) {
    double x;
    memcpy(&x, &bits, sizeof x);
    return x;
}
float float_of(uint32_t bits) {
    float x;
    memcpy(&x, &bits, sizeof x);
    return x;
}
uint64_t plain(uint64_t x) { return x; }
uint64_t plain(int64_t x) { return static_cast<uint64_t>(x); }
uint64_t plain(int32_t x) { return static_cast<uint64_t>(static_cast<int64_t>(x)); }
uint64_t plain(uint32_t x) { return x; }
uint64_t plain(bool x) { return x; }
uint64_t plain(double x) {
    uint64_t bits;
    memcpy(&bits, &x, sizeof bits);
    return std::isnan(x) ? 0x7ff8000000000000u : bits;
}
uint64_t plain(float x) {
    uint32_t bits;
    memcpy(&bits, &x, sizeof bits);
    return std::isnan(x) ? 0x7fc00000u : bits;
}

uint64_t corner() {
    static const uint64_t kValues[] = {
        0,         1,         2,         3,         0xfffffffffffffu,  0x10000000000000u, 0x10000000000001u, 0x3ff0000000000000u, 0x3ff0000000000001u,
        0x3fefffffffffffffu,  0x4330000000000000u,  0x4340000000000000u,  0x7fefffffffffffffu,  0x7ff0000000000000u,  0x7ff0000000000001u,
        0x7ff8000000000000u,  0x41dfffffffc00000u,  0x41e0000000000000u,  0x43e0000000000000u,  0x3fe0000000000000u,  0x3fdfffffffffffffu,
        0x47efffffe0000000u,  0x47effffff0000000u,  0x3690000000000000u,  0x3680000000000000u,  0x380fffffc0000000u};
    const uint64_t r = random_bits(), sign = random_bits() & 1ull << 63, fraction = random_bits() >> 12;
    uint64_t few = 0;
    for (uint64_t i = 0; i <= (r >> 40 & 3); ++i) few ^= 1ull << random_bits() % 52;
    const auto number = [&](uint64_t exponent, uint64_t bits) { return sign | exponent << 52 | bits; };
    switch (r & 7) {
        case 0: return random_bits();
        case 1: return sign | kValues[(r >> 8) % (sizeof kValues / sizeof *kValues)];
        case 2: return number(1013 + (r >> 20) % 20, fraction);
        case 3: return sign | fraction >> (r >> 20) % 52;
        case 4: return number((r >> 20) % 2047, few);
        case 5: return number((r >> 20) % 2047, few ^ ((1ull << 52) - 1));
        case 6: return number(1023 + (r >> 20) % 70, fraction);
        default: return number(860 + (r >> 20) % 330, fraction);
    }
}

void* library;
uint64_t checks, failures, left, right;

template <class Result, class... Arguments>
struct Function {
    const char* name;
    Result (*call)(Arguments...);
    explicit Function(const char* wanted) : name(wanted), call(reinterpret_cast<Result (*)(Arguments...)>(dlsym(library, wanted))) {
        if (call == nullptr) {
            fprintf(stderr, "%s\n", dlerror());
            exit(2);
        }
    }
};

template <class Found, class Wanted>
void check(const char* name, Found found, Wanted wanted) {
    ++checks;
    if (plain(found) == plain(wanted)) return;
    if (failures++ < 20) {
        printf("%s(%016" PRIx64 ", %016" PRIx64 "): %016" PRIx64 ", host %016" PRIx64 "\n", name, left, right, plain(found), plain(wanted));
    }
}

// A conversion to an integer as RISC-V makes it: saturated, the largest for a NaN.
template <class Integer>
Integer saturated(double x, double low, double high, Integer least, Integer most) {
    if (std::isnan(x) || x >= high) return most;
    return x <= low ? least : static_cast<Integer>(x);
}

double smaller(double a, double b, bool largest) {
    if (std::isnan(a)) return b;
    if (std::isnan(b)) return a;
    const bool first = a == b ? std::signbit(a) : a < b;
    return first != largest ? a : b;
}

void run(uint64_t count) {
    using Two = Function<double, double, double>;
    using One = Function<double, double>;
    using Compare = Function<int, double, double>;
    const Two add("__adddf3"), sub("__subdf3"), mul("__muldf3"), div("__divdf3"), least("fmin"), most("fmax");
    const Compare eq("__eqdf2"), ne("__nedf2"), lt("__ltdf2"), le("__ledf2"), gt("__gtdf2"), ge("__gedf2"), un("__unorddf2");
    const One root("sqrt"), down("floor"), up("ceil"), cut("trunc"), nearest("round"), size("fabs");
    const Function<double, int32_t> from_i("__floatsidf");
    const Function<double, uint32_t> from_u("__floatunsidf");
    const Function<double, int64_t> from_l("__floatdidf");
    const Function<double, uint64_t> from_ul("__floatundidf");
    const Function<int32_t, double> to_i("__fixdfsi");
    const Function<uint32_t, double> to_u("__fixunsdfsi");
    const Function<int64_t, double> to_l("__fixdfdi");
    const Function<uint64_t, double> to_ul("__fixunsdfdi");
    const Function<double, float> widen("__extendsfdf2");
    const Function<float, double> narrow("__truncdfsf2");
    const Function<float, int64_t> float_l("__floatdisf");
    const Function<float, uint64_t> float_ul("__floatundisf");
    const Function<int64_t, float> float_to_l("__fixsfdi");
    const Function<uint64_t, float> float_to_ul("__fixunssfdi");
    for (uint64_t i = 0; i < count; ++i) {
        left = corner();
        right = corner();
        if (i % 8 == 0) right = left ^ 1ull << 63 ^ (random_bits() & 7);
        if (i % 8 == 1) right = (right & ~(0x7ffull << 52)) | ((left >> 52) + random_bits() % 120 - 60 & 0x7ff) << 52;
        volatile double vx = double_of(left), vy = double_of(right);  // the host must not fold what it computes
        const double x = vx, y = vy;
        check("add", add.call(x, y), x + y);
        check("sub", sub.call(x, y), x - y);
        check("mul", mul.call(x, y), x * y);
        check("div", div.call(x, y), x / y);
        check("fmin", least.call(x, y), smaller(x, y, false));
        check("fmax", most.call(x, y), smaller(x, y, true));
        check("eq", eq.call(x, y) == 0, x == y);
        check("ne", ne.call(x, y) != 0, x != y);
        check("lt", lt.call(x, y) < 0, x < y);
        check("le", le.call(x, y) <= 0, x <= y);
        check("gt", gt.call(x, y) > 0, x > y);
        check("ge", ge.call(x, y) >= 0, x >= y);
        check("unordered", un.call(x, y) != 0, std::isnan(x) || std::isnan(y));
        check("sqrt", root.call(x), sqrt(x));
        check("floor", down.call(x), floor(x));
        check("ceil", up.call(x), ceil(x));
        check("trunc", cut.call(x), trunc(x));
        check("round", nearest.call(x), round(x));
        check("fabs", size.call(x), fabs(x));
        const uint64_t integer = left >> (right & 63);
        check("from int32", from_i.call(static_cast<int32_t>(integer)), static_cast<double>(static_cast<int32_t>(integer)));
        check("from uint32", from_u.call(static_cast<uint32_t>(integer)), static_cast<double>(static_cast<uint32_t>(integer)));
        check("from int64", from_l.call(static_cast<int64_t>(integer)), static_cast<double>(static_cast<int64_t>(integer)));
        check("from uint64", from_ul.call(integer), static_cast<double>(integer));
        check("float from int64", float_l.call(static_cast<int64_t>(integer)), static_cast<float>(static_cast<int64_t>(integer)));
        check("float from uint64", float_ul.call(integer), static_cast<float>(integer));
        check("to int32", to_i.call(x), saturated<int32_t>(x, -0x1p31, 0x1.fffffffcp30, INT32_MIN, INT32_MAX));
        check("to uint32", to_u.call(x), saturated<uint32_t>(x, -1, 0x1.fffffffep31, 0, UINT32_MAX));
        check("to int64", to_l.call(x), saturated<int64_t>(x, -0x1p63, 0x1p63, INT64_MIN, INT64_MAX));
        check("to uint64", to_ul.call(x), saturated<uint64_t>(x, -1, 0x1p64, 0, UINT64_MAX));
        check("to float", narrow.call(x), static_cast<float>(x));
        const float f = float_of(static_cast<uint32_t>(left >> 32) >> (i & 1 ? 9 : 0));
        left = plain(f);
        check("from float", widen.call(f), static_cast<double>(f));
        check("float to int64", float_to_l.call(f), saturated<int64_t>(f, -0x1p63, 0x1p63, INT64_MIN, INT64_MAX));
        check("float to uint64", float_to_ul.call(f), saturated<uint64_t>(f, -1, 0x1p64, 0, UINT64_MAX));
    }
}

}  // namespace

int main(int argc, char** argv) {
    if (argc != 4) return 2;
    library = dlopen(argv[1], RTLD_NOW | RTLD_LOCAL);
    if (library == nullptr) {
        fprintf(stderr, "%s\n", dlerror());
        return 2;
    }
    const uint64_t count = strtoull(argv[2], nullptr, 0);
    state[0] = strtoull(argv[3], nullptr, 0) * 0x9e3779b97f4a7c15u + 1;
    state[1] = 2;
    run(count);
    printf("%" PRIu64 " %" PRIu64 " %" PRIu64 "\n", count, checks, failures);
    return failures != 0;
}
