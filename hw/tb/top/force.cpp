#include "force.h"

#include <algorithm>
#include <cstring>

#include "verilated.h"
#include "verilated_sym_props.h"
#include "verilated_syms.h"

namespace vx {

std::string Forces::add(const std::string& name, const uint32_t* value, const uint32_t* mask, uint32_t words, uint64_t first,
                        uint64_t last) {
    const size_t dot = name.rfind('.');
    if (dot == std::string::npos) return "forced signal '" + name + "' is not a path of the form instance.instance.signal";
    const std::string scope_name = name.substr(0, dot);
    const std::string signal = name.substr(dot + 1);
    const VerilatedScope* scope = Verilated::threadContextp()->scopeFind(scope_name.c_str());
    if (scope == nullptr) scope = Verilated::threadContextp()->scopeFind(("TOP." + scope_name).c_str());
    if (scope == nullptr) {
        return "forced signal '" + name + "': there is no instance '" + scope_name + "' with forceable signals in this model";
    }
    const VerilatedVar* enable = scope->varFind((signal + "__VforceEn").c_str());
    const VerilatedVar* forced = scope->varFind((signal + "__VforceVal").c_str());
    if (enable == nullptr || forced == nullptr) {
        return "forced signal '" + name + "' is not forceable in this model; only the signals of hw/tb/build/forceable.vlt "
               "are, and only in a debug build";
    }
    const uint32_t bytes = static_cast<uint32_t>(enable->entSize());
    if (words > kMaxForceWords || bytes > 4 * kMaxForceWords) {
        return "forced signal '" + name + "' is wider than " + std::to_string(32 * kMaxForceWords) + " bits";
    }
    Force force{};
    force.name = name;
    force.enable = static_cast<uint8_t*>(enable->datap());
    force.value = static_cast<uint8_t*>(forced->datap());
    force.bytes = bytes;
    std::memcpy(force.value_bits, value, 4ul * words);
    std::memcpy(force.mask, mask, 4ul * words);
    force.first = first;
    force.last = last;
    forces_.push_back(force);
    return "";
}

void Forces::release(const std::string& name) {
    for (Force& force : forces_) {
        if (force.name == name) std::memset(force.enable, 0, force.bytes);
    }
    std::erase_if(forces_, [&name](const Force& force) { return force.name == name; });
}

void Forces::apply(uint64_t cycle) {
    // Ends before begins, so that two windows on one signal may touch.
    for (Force& force : forces_) {
        if (force.on && cycle > force.last) std::memset(force.enable, 0, force.bytes);
    }
    std::erase_if(forces_, [cycle](const Force& force) { return cycle > force.last; });
    for (Force& force : forces_) {
        if (force.on || cycle < force.first) continue;
        force.on = true;
        std::memcpy(force.value, force.value_bits, force.bytes);
        std::memcpy(force.enable, force.mask, force.bytes);
    }
}

}  // namespace vx
