#include "force.h"

#include <algorithm>
#include <cstdio>
#include <cstring>

#include "verilated.h"
#include "verilated_sym_props.h"
#include "verilated_syms.h"

namespace vx {

namespace {

struct Forceable {
    const VerilatedVar* enable = nullptr;
    const VerilatedVar* value = nullptr;
};

// `*` stands for any text, also for several levels of the hierarchy.
bool matches(const char* pattern, const char* text) {
    if (*pattern == 0) return *text == 0;
    if (*pattern != '*') return *pattern == *text && matches(pattern + 1, text + 1);
    for (;; ++text) {
        if (matches(pattern + 1, text)) return true;
        if (*text == 0) return false;
    }
}

// The instances that match `pattern` and have a forceable `signal`.
std::vector<std::pair<std::string, Forceable>> find(const std::string& pattern, const std::string& signal) {
    std::vector<std::pair<std::string, Forceable>> found;
    for (const auto& [name, scope] : *Verilated::threadContextp()->scopeNameMap()) {
        if (!matches(pattern.c_str(), name)) continue;
        const Forceable forceable{scope->varFind((signal + "__VforceEn").c_str()), scope->varFind((signal + "__VforceVal").c_str())};
        if (forceable.enable != nullptr && forceable.value != nullptr) found.emplace_back(name, forceable);
    }
    return found;
}

}  // namespace

std::string Forces::add(const std::string& name, const uint32_t* value, const uint32_t* mask, uint32_t words,
                        const CTrigger& trigger) {
    const size_t dot = name.rfind('.');
    if (dot == std::string::npos) return "forced signal '" + name + "' is not a path of the form instance.instance.signal";
    const std::string scope_name = name.substr(0, dot);
    const std::string signal = name.substr(dot + 1);
    const auto found = find(scope_name, signal);
    if (found.empty()) {
        return "forced signal '" + name + "': no instance '" + scope_name + "' has a forceable signal '" + signal +
               "'; only the signals of hw/tb/build/forceable.vlt are, and only in a debug model";
    }
    if (found.size() > 1) {
        return "forced signal '" + name + "' is in " + std::to_string(found.size()) + " instances, among them '" + found[0].first +
               "' and '" + found[1].first + "'; name one of them";
    }
    const VerilatedVar* enable = found[0].second.enable;
    const VerilatedVar* forced = found[0].second.value;
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
    force.trigger = trigger;
    force.first = force.last = kNever;
    if (trigger.when == When::CYCLE) open(force, 0);
    forces_.push_back(force);
    return "";
}

void Forces::open(Force& force, uint64_t origin) {
    force.first = origin + force.trigger.first;
    force.last = force.trigger.last == kNever ? kNever : origin + force.trigger.last;
}

void Forces::started(uint64_t launch, uint64_t cycle) {
    for (Force& force : forces_) {
        const CTrigger& trigger = force.trigger;
        if (trigger.when == When::START && force.first == kNever && trigger.launch == launch) open(force, cycle);
    }
}

void Forces::issued(uint64_t launch, uint32_t core, uint32_t warp, uint32_t uid, uint64_t pc, uint64_t cycle) {
    for (Force& force : forces_) {
        CTrigger& trigger = force.trigger;
        if (force.first != kNever || force.in_flight || trigger.pc != pc) continue;
        if (trigger.when != When::ISSUE && trigger.when != When::COMMIT) continue;
        if (trigger.core != kAny && trigger.core != core) continue;
        if (trigger.warp != kAny && trigger.warp != warp) continue;
        if (trigger.launch != 0 && trigger.launch != launch) continue;
        if (trigger.occurrence != 0) {
            --trigger.occurrence;
            continue;
        }
        if (trigger.when == When::ISSUE) open(force, cycle + 1);
        force.in_flight = trigger.when == When::COMMIT || trigger.last == kNever;
        force.core = core;
        force.warp = warp;
        force.uid = uid;
    }
}

void Forces::committed(uint32_t core, uint32_t warp, uint32_t uid, uint64_t cycle) {
    for (Force& force : forces_) {
        if (!force.in_flight || force.uid != uid || force.core != core || force.warp != warp) continue;
        force.in_flight = false;
        if (force.trigger.when == When::COMMIT) {
            open(force, cycle + 1);
        } else {
            force.last = cycle;
        }
    }
}

void Forces::release(const std::string& name) {
    for (Force& force : forces_) {
        if (force.name == name) std::memset(force.enable, 0, force.bytes);
    }
    std::erase_if(forces_, [&name](const Force& force) { return force.name == name; });
}

uint32_t Forces::apply(uint64_t cycle) {
    uint32_t begun = 0;
    // Ends before begins, so that two windows on one signal may touch.
    for (Force& force : forces_) {
        if (force.on && cycle > force.last) std::memset(force.enable, 0, force.bytes);
    }
    std::erase_if(forces_, [cycle](const Force& force) { return cycle > force.last; });
    for (Force& force : forces_) {
        if (force.on || cycle < force.first) continue;
        force.on = true;
        ++begun;
        std::memcpy(force.value, force.value_bits, force.bytes);
        std::memcpy(force.enable, force.mask, force.bytes);
        std::fprintf(stderr, "force: %s from cycle %llu on\n", force.name.c_str(), static_cast<unsigned long long>(cycle));
    }
    return begun;
}

}  // namespace vx
