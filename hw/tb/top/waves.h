// Windows of waves: any number of clean FST files in one run. Empty shell in a model that was built without tracing.
#pragma once
#include <cstdint>
#include <string>
#include <vector>

class Vtop;

namespace vx {

class Waves {
  public:
    static void prepare();  // before the model is made
    void attach(Vtop* top);
    // Dump cycles [first, last] of one instance and what is below it (empty: of everything) into `path`.
    // False if the model has no tracing.
    bool window(const std::string& path, uint64_t first, uint64_t last, const std::string& scope);
    void dump(uint64_t cycle, uint64_t time) {
        if (!windows_.empty()) dump_slow(cycle, time);
    }
    void close();

  private:
    struct Window {
        std::string path, scope;
        uint64_t first, last;
    };
    void dump_slow(uint64_t cycle, uint64_t time);

    std::vector<Window> windows_;  // sorted by first cycle; they do not overlap
    Vtop* top_ = nullptr;
    void* trace_ = nullptr;  // open while inside a window
};

}  // namespace vx
