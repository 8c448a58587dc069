// Forced signals for seeded faults: bits of a signal that a .vlt file marks `forceable` hold a value for some cycles.
// Verilator makes two variables for such a signal, <name>__VforceEn and <name>__VforceVal, which are written in place.
#pragma once
#include <cstdint>
#include <string>
#include <vector>

#include "abi.h"  // generated

namespace vx {

class Forces {
  public:
    // Force the bits of `mask` to `value` in cycles [first, last]. Empty text, or a sentence that says what is wrong.
    std::string add(const std::string& name, const uint32_t* value, const uint32_t* mask, uint32_t words, uint64_t first,
                    uint64_t last);
    void release(const std::string& name);
    bool any() const { return !forces_.empty(); }
    void apply(uint64_t cycle);

  private:
    struct Force {
        std::string name;
        uint8_t* enable;
        uint8_t* value;
        uint32_t bytes;
        uint32_t value_bits[kMaxForceWords], mask[kMaxForceWords];
        uint64_t first, last;
        bool on;
    };
    std::vector<Force> forces_;
};

}  // namespace vx
