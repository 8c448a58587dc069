// Operands of one vector: corners, operands that depend on each other so that results are close to where rules change.
#pragma once
#include <cstdint>

#include "oracle.h"

namespace fpu {

class Random {
  public:
    // Neighbouring seeds start far from each other in the one sequence that there is.
    explicit Random(uint64_t seed) : state_(seed) { state_ = next(); }

    uint64_t next() {  // splitmix64
        uint64_t z = state_ += 0x9e3779b97f4a7c15ull;
        z = (z ^ (z >> 30)) * 0xbf58476d1ce4e5b9ull;
        z = (z ^ (z >> 27)) * 0x94d049bb133111ebull;
        return z ^ (z >> 31);
    }
    uint32_t bits() { return static_cast<uint32_t>(next() >> 32); }
    uint32_t below(uint32_t limit) { return static_cast<uint32_t>((static_cast<uint64_t>(bits()) * limit) >> 32); }
    int between(int low, int high) { return low + static_cast<int>(below(static_cast<uint32_t>(high - low + 1))); }

  private:
    uint64_t state_;
};

struct Operands {
    uint64_t a;
    uint32_t b, c;
};

Operands operands(int op, Random& random);

}  // namespace fpu
