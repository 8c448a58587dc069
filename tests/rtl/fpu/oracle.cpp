#include "oracle.h"

#include <dlfcn.h>

#include <cmath>
#include <cstring>

namespace fpu {
namespace {

// Calling conventions of SoftFloat 3: a float is a struct of one word, fast types are the machine's.
struct F32 {
    uint32_t v;
};
using One = F32 (*)(F32);
using Two = F32 (*)(F32, F32);
using Three = F32 (*)(F32, F32, F32);
using Relation = bool (*)(F32, F32);
using Test = bool (*)(F32);
using FromI32 = F32 (*)(int32_t);
using FromU32 = F32 (*)(uint32_t);
using FromI64 = F32 (*)(int64_t);
using FromU64 = F32 (*)(uint64_t);
using ToSigned = int_fast64_t (*)(F32, uint_fast8_t, bool);
using ToUnsigned = uint_fast64_t (*)(F32, uint_fast8_t, bool);

struct {
    uint8_t *mode, *flags, *tininess;
    Two add, sub, mul, div;
    One sqrt;
    Three mul_add;
    Relation le, lt, eq, lt_quiet;
    Test is_signaling;
    FromI32 from_i32;
    FromU32 from_u32;
    FromI64 from_i64;
    FromU64 from_u64;
    ToSigned to_i32, to_i64;
    ToUnsigned to_u32, to_u64;
} soft;

bool is_nan(uint32_t a) { return (a & ~kSign) > kInfinity; }

// The class by the C library, which knows nothing of the unit or of SoftFloat.
uint32_t class_of(uint32_t a) {
    float x;
    std::memcpy(&x, &a, 4);
    const bool negative = std::signbit(x);
    switch (std::fpclassify(x)) {
        case FP_NAN: return soft.is_signaling({a}) ? 1u << 8 : 1u << 9;
        case FP_INFINITE: return negative ? 1u << 0 : 1u << 7;
        case FP_NORMAL: return negative ? 1u << 1 : 1u << 6;
        case FP_SUBNORMAL: return negative ? 1u << 2 : 1u << 5;
        default: return negative ? 1u << 3 : 1u << 4;
    }
}

// SoftFloat has no minimum and maximum: minimumNumber and maximumNumber of IEEE 754-2019 from its comparison.
uint32_t extreme(uint32_t a, uint32_t b, bool largest) {
    if (is_nan(a) && is_nan(b)) return kCanonicalNan;
    if (is_nan(a)) return b;
    if (is_nan(b)) return a;
    if (((a | b) & ~kSign) == 0) return largest ? a & b : a | b;
    const bool first_is_less = soft.lt_quiet({a}, {b});
    return first_is_less != largest ? a : b;
}

uint64_t sext(uint32_t value) { return static_cast<uint64_t>(static_cast<int64_t>(static_cast<int32_t>(value))); }

template <typename Function>
bool find(void* library, const char* name, Function& function) {
    function = reinterpret_cast<Function>(dlsym(library, name));
    return function != nullptr;
}

}  // namespace

std::string load_oracle(const char* path) {
    void* library = dlopen(path, RTLD_LAZY | RTLD_LOCAL);
    if (!library) return dlerror();
    const bool complete =
        find(library, "softfloat_roundingMode", soft.mode) && find(library, "softfloat_exceptionFlags", soft.flags) &&
        find(library, "softfloat_detectTininess", soft.tininess) && find(library, "f32_add", soft.add) &&
        find(library, "f32_sub", soft.sub) && find(library, "f32_mul", soft.mul) && find(library, "f32_div", soft.div) &&
        find(library, "f32_sqrt", soft.sqrt) && find(library, "f32_mulAdd", soft.mul_add) &&
        find(library, "f32_le", soft.le) && find(library, "f32_lt", soft.lt) && find(library, "f32_eq", soft.eq) &&
        find(library, "f32_lt_quiet", soft.lt_quiet) && find(library, "f32_isSignalingNaN", soft.is_signaling) &&
        find(library, "i32_to_f32", soft.from_i32) && find(library, "ui32_to_f32", soft.from_u32) &&
        find(library, "i64_to_f32", soft.from_i64) && find(library, "ui64_to_f32", soft.from_u64) &&
        find(library, "f32_to_i32", soft.to_i32) && find(library, "f32_to_i64", soft.to_i64) &&
        find(library, "f32_to_ui32", soft.to_u32) && find(library, "f32_to_ui64", soft.to_u64);
    if (!complete) return "it does not export the functions of SoftFloat";
    *soft.tininess = 1;  // after rounding
    return "";
}

Result expected(int op, int mode, uint64_t a64, uint32_t b, uint32_t c) {
    const uint32_t a = static_cast<uint32_t>(a64);
    *soft.mode = static_cast<uint8_t>(mode);
    *soft.flags = 0;
    const uint_fast8_t rounding = static_cast<uint_fast8_t>(mode);
    uint64_t value = 0;
    switch (op) {
        case MADD: value = soft.mul_add({a}, {b}, {c}).v; break;
        case MSUB: value = soft.mul_add({a}, {b}, {c ^ kSign}).v; break;
        case NMSUB: value = soft.mul_add({a ^ kSign}, {b}, {c}).v; break;
        case NMADD: value = soft.mul_add({a ^ kSign}, {b}, {c ^ kSign}).v; break;
        case ADD: value = soft.add({a}, {b}).v; break;
        case SUB: value = soft.sub({a}, {b}).v; break;
        case MUL: value = soft.mul({a}, {b}).v; break;
        case DIV: value = soft.div({a}, {b}).v; break;
        case SQRT: value = soft.sqrt({a}).v; break;
        case FROM_W: value = soft.from_i32(static_cast<int32_t>(a)).v; break;
        case FROM_WU: value = soft.from_u32(a).v; break;
        case FROM_L: value = soft.from_i64(static_cast<int64_t>(a64)).v; break;
        case FROM_LU: value = soft.from_u64(a64).v; break;
        case TO_W: value = sext(static_cast<uint32_t>(soft.to_i32({a}, rounding, true))); break;
        case TO_WU: value = sext(static_cast<uint32_t>(soft.to_u32({a}, rounding, true))); break;
        case TO_L: value = static_cast<uint64_t>(soft.to_i64({a}, rounding, true)); break;
        case TO_LU: value = soft.to_u64({a}, rounding, true); break;
        case LE: value = soft.le({a}, {b}); break;
        case LT: value = soft.lt({a}, {b}); break;
        case EQ: value = soft.eq({a}, {b}); break;
        case MIN:
        case MAX:
            value = extreme(a, b, op == MAX);
            *soft.flags = soft.is_signaling({a}) || soft.is_signaling({b}) ? NV : 0;
            break;
        case SGNJ: value = (a & ~kSign) | (b & kSign); break;
        case SGNJN: value = (a & ~kSign) | (~b & kSign); break;
        case SGNJX: value = a ^ (b & kSign); break;
        case CLASS: value = class_of(a); break;
        case MOVE_X: value = sext(a); break;
        case MOVE_F: value = a; break;
        default: break;
    }
    return {value, *soft.flags};
}

uint32_t product(uint32_t a, uint32_t b) {
    *soft.mode = 0;
    return soft.mul({a}, {b}).v;
}

}  // namespace fpu
