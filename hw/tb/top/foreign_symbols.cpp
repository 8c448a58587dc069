// Functions that DPI sources of other cores call although no DPI import names them (docs/your_own_core.md lists them).
// Weak, so that a core may bring its own.
#include "verilated.h"

// Simulated time in units of the time precision, for code that was written for a main that keeps time itself.
__attribute__((weak)) double sc_time_stamp() {
    return static_cast<double>(Verilated::threadContextp()->time());
}

namespace {
bool trace_enabled = false;
}

// Whether the core's own trace messages are wanted. Off until the core switches them on.
__attribute__((weak)) bool sim_trace_enabled() { return trace_enabled; }

__attribute__((weak)) void sim_trace_enable(bool enable) { trace_enabled = enable; }
