// Forced signals for seeded faults: bits of a signal that a .vlt file marks `forceable` hold a value in a window of
// cycles. The window is absolute, or it is opened by an event: the start of a launch, or the issue or commit of one
// instruction, so that a fault stays where it was meant when timing changes.
// Verilator makes two variables for such a signal, <name>__VforceEn and <name>__VforceVal, which are written in place.
#pragma once
#include <cstdint>
#include <string>
#include <vector>

#include "abi.h"  // generated

namespace vx {

class Forces {
  public:
    // Force the bits of `mask` to `value` once, in the window of `trigger`. Empty text, or a sentence that says what is
    // wrong.
    std::string add(const std::string& name, const uint32_t* value, const uint32_t* mask, uint32_t words,
                    const CTrigger& trigger);
    void release(const std::string& name);
    bool any() const { return !forces_.empty(); }
    // Write the signals for `cycle`; returns how many windows begin.
    uint32_t apply(uint64_t cycle);

    // Events of `cycle`; issue and commit take effect from the next cycle on.
    void started(uint64_t launch, uint64_t cycle);
    void issued(uint64_t launch, uint32_t core, uint32_t warp, uint32_t uid, uint64_t pc, uint64_t cycle);
    void committed(uint32_t core, uint32_t warp, uint32_t uid, uint64_t cycle);

  private:
    struct Force {
        std::string name;
        uint8_t* enable;
        uint8_t* value;
        uint32_t bytes;
        uint32_t value_bits[kMaxForceWords], mask[kMaxForceWords];
        CTrigger trigger;
        uint64_t first, last;  // cycles of the window; kNever while the event has not come
        uint32_t core, warp, uid;  // the instruction whose commit is waited for
        bool on, in_flight;
    };
    static void open(Force& force, uint64_t origin);
    std::vector<Force> forces_;
};

}  // namespace vx
