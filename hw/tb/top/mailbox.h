// Executes commands from Python cycle by cycle on the control wires: reset, DCR bus, start, busy.
#pragma once
#include <cstdint>
#include <deque>
#include <vector>

#include "abi.h"  // generated
#include "host_side.h"
#include "ring.h"

namespace vx {

struct ControlInputs {  // of the core
    bool reset = true, select = false, dcr_valid = false, dcr_rw = false, start = false;
    uint32_t dcr_addr = 0, dcr_data = 0;
};

struct ControlOutputs {
    bool busy, dcr_rsp_valid;
    uint32_t dcr_rsp_data;
    bool device_quiet;
    uint32_t device_busy;
};

// What the BAR device does with the core in one cycle.
struct DeviceControl {
    bool reset, start, dcr_valid, dcr_rw;
    uint32_t dcr_addr, dcr_data;
};

class Mailbox {
  public:
    // `host` carries out accesses to the BARs.
    Mailbox(Rings& rings, Status& status, BarMaster& host) : rings_(rings), status_(status), host_(host) {}

    void post(const Command* commands, uint64_t count);
    void abort();  // drop everything that is pending
    bool idle() const { return !active_ && queue_.empty(); }
    bool in_reset() const { return inputs_.reset; }
    bool out_of_reset_steady() const { return steady_; }
    uint64_t result(uint64_t index) const { return index < results_.size() ? results_[index] : 0; }

    const ControlInputs& drive(uint64_t cycle);
    // Reason bits that this cycle brought.
    uint32_t sample(uint64_t cycle, const ControlOutputs& outputs, bool memory_active);
    // Before `sample`, in cycles in which the device is selected. True in the first cycle of a reset of the core.
    bool watch_device(uint64_t cycle, const DeviceControl& device, uint64_t launch);
    // The harness asks once a cycle; true in the first cycle of a reset.
    bool take_reset() {
        const bool now = reset_begins_;
        reset_begins_ = false;
        return now;
    }

  private:
    uint32_t finish();
    uint32_t time_out();
    uint32_t sample_device_command(uint64_t phase, const ControlOutputs& out, bool memory_active);
    void begin_launch(uint64_t cycle, uint64_t launch);
    void push(uint64_t value) {
        results_.push_back(value);
        status_.results = results_.size();
    }
    void record(uint64_t cycle, uint32_t event, uint64_t addr, uint64_t data);
    void watch_busy(uint64_t cycle, bool busy);

    Rings& rings_;
    Status& status_;
    BarMaster& host_;
    std::deque<Command> queue_;
    std::vector<uint64_t> results_;
    Command current_{};
    bool active_ = false;
    bool reset_begins_ = true;
    bool steady_ = false;     // reset and the idle cycles after it are over
    bool launched_ = false;   // between START and QUIESCENT busy edges are recorded
    bool busy_ = false;
    bool device_launch_ = false;  // the launch was started by the device
    bool device_reset_ = false;   // the device holds the core in reset
    bool device_reads_ = false;   // a DCR read of the device is not answered
    uint32_t device_read_addr_ = 0;
    uint64_t phase_ = 0;      // cycles since the current command began
    uint64_t quiet_ = 0;      // cycles of WAIT_QUIESCENT without activity
    uint64_t last_dcr_ = 0;   // cycle of the last DCR request or response
    bool dcr_waiting_ = false;
    ControlInputs inputs_;
};

}  // namespace vx
