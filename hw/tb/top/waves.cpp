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

void Waves::attach(Vtop* top) { top_ = top; }

bool Waves::window(const std::string& path, uint64_t first, uint64_t last, const std::string& scope) {
    windows_.push_back(Window{path, scope, first, last});
    std::sort(windows_.begin(), windows_.end(), [](const Window& a, const Window& b) { return a.first < b.first; });
    return true;
}

void Waves::dump_slow(uint64_t cycle, uint64_t time) {
    const Window& window = windows_.front();
    if (cycle < window.first) return;
    if (cycle > window.last) {
        close();
        windows_.erase(windows_.begin());
        return;
    }
    if (trace_ == nullptr) {
        // A writer can't be opened twice in Verilator 5.48, so each window has its own. They are few; none is deleted,
        // because the model keeps a reference to every writer that it was given.
        auto* trace = new VerilatedFstC;
        if (!window.scope.empty()) trace->dumpvars(99, window.scope);
        top_->trace(trace, 99);
        trace->open(window.path.c_str());
        trace_ = trace;
    }
    static_cast<VerilatedFstC*>(trace_)->dump(time);
}

void Waves::close() {
    if (trace_ != nullptr) static_cast<VerilatedFstC*>(trace_)->close();
    trace_ = nullptr;
}

#else

void Waves::prepare() {}
void Waves::attach(Vtop*) {}
bool Waves::window(const std::string&, uint64_t, uint64_t, const std::string&) { return false; }
void Waves::dump_slow(uint64_t, uint64_t) {}
void Waves::close() {}

#endif

}  // namespace vx
