#include "waves.h"

#include <algorithm>

#include "Vtop.h"
#include "verilated.h"

#if VM_TRACE_FST
#include "verilated_fst_c.h"
#endif

namespace vx {

#if VM_TRACE_FST

void Waves::prepare() { Verilated::traceEverOn(true); }

void Waves::attach(Vtop* top) {
    auto* trace = new VerilatedFstC;
    top->trace(trace, 99);
    trace_ = trace;
}

bool Waves::window(const std::string& path, uint64_t first, uint64_t last) {
    windows_.push_back(Window{path, first, last});
    std::sort(windows_.begin(), windows_.end(), [](const Window& a, const Window& b) { return a.first < b.first; });
    return true;
}

void Waves::dump_slow(uint64_t cycle, uint64_t time) {
    auto* trace = static_cast<VerilatedFstC*>(trace_);
    const Window& window = windows_.front();
    if (cycle < window.first) return;
    if (cycle > window.last) {
        if (open_) trace->close();
        open_ = false;
        windows_.erase(windows_.begin());
        return;
    }
    if (!open_) {
        trace->open(window.path.c_str());
        open_ = true;
    }
    trace->dump(time);
}

void Waves::close() {
    if (open_) static_cast<VerilatedFstC*>(trace_)->close();
    open_ = false;
}

#else

void Waves::prepare() {}
void Waves::attach(Vtop*) {}
bool Waves::window(const std::string&, uint64_t, uint64_t) { return false; }
void Waves::dump_slow(uint64_t, uint64_t) {}
void Waves::close() {}

#endif

}  // namespace vx
