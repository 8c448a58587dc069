// Small seeded generator. Every consumer has its own stream, so that adding one changes no other's numbers.
#pragma once
#include <cstdint>

namespace vx {

class Random {
  public:
    Random() = default;
    Random(uint64_t seed, uint64_t stream) : state_(mix(seed + 0x9e3779b97f4a7c15ull) ^ mix(stream * 0xd1342543de82ef95ull + 1)) {}

    uint64_t next() {
        state_ += 0x9e3779b97f4a7c15ull;
        return mix(state_);
    }
    // Uniform in [low, high].
    uint32_t between(uint32_t low, uint32_t high) { return low + static_cast<uint32_t>(next() % (uint64_t(high - low) + 1)); }
    bool percent(uint32_t chance) { return chance != 0 && next() % 100 < chance; }

  private:
    static uint64_t mix(uint64_t z) {
        z = (z ^ (z >> 30)) * 0xbf58476d1ce4e5b9ull;
        z = (z ^ (z >> 27)) * 0x94d049bb133111ebull;
        return z ^ (z >> 31);
    }
    uint64_t state_ = 0;
};

}  // namespace vx
