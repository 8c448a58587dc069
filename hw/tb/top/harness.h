// Owns the model and its clock. One call of `cycle` is one clock cycle, from a settled state to the next one:
//
//   clk = 0   forced signals                                                     eval (nothing else changes)
//             sample: handshakes, busy, DCR response ▸ records
//             drive the next cycle: mailbox ▸ reset, start, DCR     responders ▸ ready, B, R
//   clk = 1   eval: core and inputs change together, probes call C++ ▸ records
#pragma once
#include <cstdint>
#include <memory>
#include <string>
#include <vector>

#include "abi.h"  // generated
#include "core_monitor.h"
#include "device_side.h"
#include "force.h"
#include "mailbox.h"
#include "memory_file.h"
#include "policy.h"  // generated
#include "probe.h"
#include "responder.h"
#include "ring.h"
#include "waves.h"

class Vtop;

namespace vx {

constexpr uint64_t kHalfPeriod = 5;  // time units; rising edge of cycle n is at 10 n

class Harness {
  public:
    // Options are Verilator plusargs plus: +vx_run_dir=<dir> +vx_ring=<records>. Throws std::runtime_error.
    Harness(int argc, char** argv);
    ~Harness();

    // Run while there are commands and no event, or until time `deadline`; true if the time was reached.
    bool run(uint64_t deadline);
    bool has_work() const { return !mailbox_.idle(); }
    bool finished() const { return finished_; }
    void finish() { finished_ = true; }
    void flip_event_signal();
    uint64_t time() const;

    // Called from DPI, Verilator's error hooks and the C interface.
    void assertion(const char* file, int line);
    void raise(uint32_t reasons) {
        wake_ = wake_ || (reasons & ~status_.events) != 0;
        status_.events |= reasons;
    }
    uint32_t take_events();
    // An event was raised since the event signal was last flipped.
    bool woken() const { return wake_; }
    bool take_wake() {
        const bool woken = wake_;
        wake_ = false;
        return woken;
    }
    void set_policy(const CPolicy& policy);
    void arm(const Injection& injection) { injection_ = injection; }
    void set_settings(const Settings& settings);

    Status& status() { return status_; }
    Mailbox& mailbox() { return mailbox_; }
    DeviceSide& device() { return device_; }
    Probe& probe() { return probe_; }
    Waves& waves() { return waves_; }
    Forces& forces() { return forces_; }
    Rings& rings() { return rings_; }
    MemoryFile& memory() { return memory_; }

    static Harness& instance();

  private:
    void cycle();
    void drive_control(const ControlInputs& control);
    void drive_memory(bool reset);
    bool sample_memory();
    bool sample_core();
    void sample_device();
    void sample_faults();
    void watchdog();

    Status status_{};
    Settings settings_{};
    std::string run_dir_;
    std::unique_ptr<Vtop> top_;
    Rings rings_;
    MemoryFile memory_;
    Injection injection_;
    DeviceSide device_;
    Mailbox mailbox_;
    Probe probe_;
    std::vector<Responder> responders_;
    std::vector<CoreMonitor> monitors_;
    Waves waves_;
    Forces forces_;
    bool in_reset_ = true;  // the core sees reset in the present cycle
    bool selected_ = false;  // the device answers the core in the present cycle
    bool awake_ = true;      // the device's clock rose at the beginning of the present cycle
    bool finished_ = false;
    bool wake_ = false;
    bool hang_reported_ = false;
    bool assertion_reported_ = false;
};

}  // namespace vx
