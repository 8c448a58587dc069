#include "operands.h"

#include <algorithm>
#include <iterator>

namespace fpu {
namespace {

constexpr uint32_t kCorners[] = {
    0x00000000, 0x00000001, 0x00000002, 0x003fffff, 0x00400000, 0x007ffffe, 0x007fffff, 0x00800000, 0x00800001, 0x00ffffff,
    0x01000000, 0x33800000, 0x34000000, 0x3effffff, 0x3f000000, 0x3f7fffff, 0x3f800000, 0x3f800001, 0x3fc00000, 0x40000000,
    0x4b000000, 0x4b7fffff, 0x4b800000, 0x4effffff, 0x4f000000, 0x4f7fffff, 0x4f800000, 0x5f000000, 0x7effffff, 0x7f000000,
    0x7f7ffffe, 0x7f7fffff, 0x7f800000, 0x7f800001, 0x7fa00000, 0x7fbfffff, 0x7fc00000, 0x7fc00001, 0x7fffffff};

uint32_t mantissa(Random& random) {
    const uint32_t bit = 1u << random.below(23);
    switch (random.below(8)) {
        case 0: return 0;
        case 1: return 0x7fffff;
        case 2: return bit;
        case 3: return bit - 1;
        case 4: return 0x7fffff & ~(bit - 1);
        case 5: return 0x7fffff ^ bit;
        default: return random.bits() & 0x7fffff;
    }
}

uint32_t make(Random& random, int exponent) {
    return (random.bits() & kSign) | static_cast<uint32_t>(std::clamp(exponent, 0, 255)) << 23 | mantissa(random);
}

uint32_t any(Random& random) {
    switch (random.below(8)) {
        case 0: return kCorners[random.below(std::size(kCorners))] | (random.bits() & kSign);
        case 1: return make(random, random.between(0, 2));
        case 2: return make(random, random.between(252, 255));
        case 3: return make(random, random.between(95, 160));
        case 4: return make(random, random.between(125, 129));
        case 5: return make(random, random.between(0, 255));
        default: return random.bits();
    }
}

int exponent_of(uint32_t a) { return static_cast<int>(a >> 23 & 0xff); }

// A few units away, in the order of encodings.
uint32_t near(Random& random, uint32_t a) { return a + static_cast<uint32_t>(random.between(-3, 3)); }

// So that a * result is about 2 ** (target - 127); targets at both ends of the range.
uint32_t partner(Random& random, uint32_t a, bool quotient) {
    const int target = random.below(4) ? random.between(-26, 3) : random.between(252, 257);
    return make(random, quotient ? exponent_of(a) + 127 - target : target + 127 - exponent_of(a));
}

void for_sum(Random& random, uint32_t& a, uint32_t& b) {
    switch (random.below(4)) {
        case 0: b = near(random, a) ^ (random.bits() & kSign); break;
        case 1: b = make(random, exponent_of(a) + random.between(-27, 27)); break;
        case 2: b = make(random, exponent_of(a) + random.between(-2, 2)); break;
        default: break;
    }
}

void for_fused(Random& random, uint32_t& a, uint32_t& b, uint32_t& c) {
    if (random.below(3) == 0) b = partner(random, a, false);
    const int exponent = exponent_of(a) + exponent_of(b) - 127;
    switch (random.below(5)) {
        case 0: c = near(random, product(a, b)) ^ (random.bits() & kSign); break;
        case 1: c = make(random, exponent + random.between(-50, 50)); break;
        case 2: c = make(random, exponent + random.between(-3, 3)); break;
        case 3: c = make(random, random.between(0, 2)); break;
        default: break;
    }
}

uint64_t integer(Random& random) {
    const uint64_t bit = 1ull << random.below(random.below(4) ? 32 : 64);
    switch (random.below(6)) {
        case 0: return bit + static_cast<uint64_t>(random.between(-2, 2));
        case 1: return ~bit + static_cast<uint64_t>(random.between(-2, 2));
        case 2: {  // around the middle between two floats
            const int places = random.between(0, 39);
            return (static_cast<uint64_t>(random.bits() & 0xffffff) << places) + ((1ull << places) >> 1) +
                   static_cast<uint64_t>(random.between(-1, 1));
        }
        case 3: return random.next() >> random.below(64);
        default: return random.next();
    }
}

}  // namespace

Operands operands(int op, Random& random) {
    uint32_t a = any(random), b = any(random), c = any(random);
    switch (op) {
        case FROM_W:
        case FROM_WU:
        case FROM_L:
        case FROM_LU: return {integer(random), b, c};
        case MADD:
        case MSUB:
        case NMSUB:
        case NMADD: for_fused(random, a, b, c); break;
        case ADD:
        case SUB: for_sum(random, a, b); break;
        case MUL:
            if (random.below(2)) b = partner(random, a, false);
            break;
        case DIV:
            switch (random.below(4)) {
                case 0: b = partner(random, a, true); break;
                case 1: a = near(random, product(a, b)); break;
                case 2: b = (b & 0xff800000u) | (near(random, a) & 0x7fffffu); break;
                default: break;
            }
            break;
        case SQRT:
            if (random.below(2)) a &= ~kSign;
            if (random.below(3) == 0) a = near(random, product(a, a));
            break;
        case TO_W:
        case TO_WU:
        case TO_L:
        case TO_LU:
            if (random.below(2)) a = make(random, random.between(120, 193));
            if (random.below(4) == 0) a = make(random, random.between(125, 152));
            break;
        case MIN:
        case MAX:
        case LE:
        case LT:
        case EQ:
            switch (random.below(4)) {
                case 0: b = near(random, a); break;
                case 1: b = a ^ kSign; break;
                case 2: b = near(random, a) ^ (random.bits() & kSign); break;
                default: break;
            }
            break;
        default: break;
    }
    return {a | static_cast<uint64_t>(random.bits()) << 32, b, c};
}

}  // namespace fpu
