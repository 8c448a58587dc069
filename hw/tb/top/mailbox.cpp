#include "mailbox.h"

namespace vx {

namespace {
// Registered busy outputs may show a DCR request a few cycles after it.
constexpr uint64_t kDcrBusyCycles = 8;
constexpr uint64_t kSelectCycles = 4;        // after a change of `select`
constexpr uint64_t kAccessBound = 1000000;  // cycles of one access to a BAR
}  // namespace

void Mailbox::post(const Command* commands, uint64_t count) {
    if (idle()) {
        results_.clear();
        status_.results = 0;
    }
    queue_.insert(queue_.end(), commands, commands + count);
    status_.commands_pending = queue_.size() + active_;
}

void Mailbox::abort() {
    queue_.clear();
    active_ = false;
    dcr_waiting_ = false;
    inputs_.dcr_valid = inputs_.start = false;
    status_.commands_pending = 0;
}

void Mailbox::record(uint64_t cycle, uint32_t event, uint64_t addr, uint64_t data) {
    if (!rings_.enabled(Kind::RUN)) return;
    RunRecord* record = rings_.begin<RunRecord>(cycle);
    record->event = static_cast<uint16_t>(event);
    record->addr = addr;
    record->data = data;
    record->launch = static_cast<uint32_t>(status_.launch);
    rings_.commit(record);
}

const ControlInputs& Mailbox::drive(uint64_t cycle) {
    if (!active_ && !queue_.empty()) {
        current_ = queue_.front();
        queue_.pop_front();
        active_ = true;
        phase_ = quiet_ = 0;
    }
    inputs_.dcr_valid = inputs_.start = false;
    if (!active_) return inputs_;
    switch (current_.op) {
        case Op::RESET:
            inputs_.reset = phase_ < current_.a;
            if (phase_ == 0) {
                reset_begins_ = true;
                steady_ = launched_ = inputs_.select = device_reads_ = false;
                record(cycle, RunEvent::RESET, 0, current_.a);
            }
            break;
        case Op::DCR_WRITE:
        case Op::DCR_READ:
            if (phase_ == 0) {
                const bool write = current_.op == Op::DCR_WRITE;
                inputs_.dcr_valid = true;
                inputs_.dcr_rw = write;
                inputs_.dcr_addr = static_cast<uint32_t>(current_.a);
                inputs_.dcr_data = static_cast<uint32_t>(current_.b);
                last_dcr_ = cycle;
                dcr_waiting_ = !write;
                record(cycle, write ? RunEvent::DCR_WRITE : RunEvent::DCR_READ, current_.a, current_.b);
            }
            break;
        case Op::START:
            inputs_.start = phase_ == 0;
            device_launch_ = false;
            begin_launch(cycle, current_.a);
            break;
        case Op::CTL_WRITE:
        case Op::CTL_READ:
        case Op::VRAM_WRITE:
        case Op::VRAM_READ:
            if (phase_ == 0) host_.begin(current_);
            break;
        default: break;
    }
    return inputs_;
}

void Mailbox::begin_launch(uint64_t cycle, uint64_t launch) {
    status_.launch = launch;
    status_.start_cycle = cycle;
    status_.commits = status_.instructions = status_.port_faults = 0;
    launched_ = true;
    record(cycle, RunEvent::START, 0, 0);
}

bool Mailbox::watch_device(uint64_t cycle, const DeviceControl& device, uint64_t launch) {
    const bool begins = device.reset && !device_reset_;
    device_reset_ = device.reset;
    if (begins) {
        ++status_.core_resets;
        launched_ = device_reads_ = busy_ = false;
        status_.busy = 0;
        record(cycle, RunEvent::RESET, 1, 0);
    }
    if (device.reset) return begins;
    if (device.start) {
        device_launch_ = true;
        begin_launch(cycle, launch);
    }
    if (device.dcr_valid) {
        last_dcr_ = cycle;
        device_reads_ = !device.dcr_rw;
        device_read_addr_ = device.dcr_addr;
        record(cycle, device.dcr_rw ? RunEvent::DCR_WRITE : RunEvent::DCR_READ, device.dcr_addr, device.dcr_data);
    }
    return false;
}

void Mailbox::watch_busy(uint64_t cycle, bool busy) {
    if (busy == busy_) return;
    busy_ = busy;
    status_.busy = busy;
    if (launched_) {
        record(cycle, busy ? RunEvent::BUSY_RISE : RunEvent::BUSY_FALL, 0, status_.outstanding_writes);
        if (busy && status_.busy_fall_cycle > status_.start_cycle) ++status_.busy_glitches;
        if (!busy) {
            status_.busy_fall_cycle = cycle;
            if (status_.outstanding_writes != 0) ++status_.busy_with_writes;
            if (device_launch_) {  // the device flushes next, without waiting for any longer quiet
                launched_ = false;
                status_.quiescent_cycle = cycle;
                record(cycle, RunEvent::QUIESCENT, 0, cycle);
            }
        }
    } else if (busy && steady_ && !dcr_waiting_ && !device_reads_ && cycle > last_dcr_ + kDcrBusyCycles) {
        record(cycle, RunEvent::BUSY_RISE, 0, status_.outstanding_writes);
        ++status_.busy_glitches;
    }
}

uint32_t Mailbox::finish() {
    active_ = false;
    return queue_.empty() ? uint32_t(Reason::DONE) : 0;
}

uint32_t Mailbox::time_out() {
    abort();
    return Reason::TIMEOUT;
}

uint32_t Mailbox::sample_device_command(uint64_t phase, const ControlOutputs& out, bool memory_active) {
    switch (current_.op) {
        case Op::SELECT:
            if (inputs_.select == (current_.a != 0)) {
                return ++quiet_ >= kSelectCycles ? finish() : 0;
            }
            if (out.device_quiet && !out.busy && !memory_active && status_.outstanding_writes == 0) {
                inputs_.select = current_.a != 0;
            } else if (phase >= current_.b) {
                return time_out();
            }
            return 0;
        case Op::WAIT_MESSAGE:
            if (status_.messages <= current_.a && phase + 1 < current_.b) return 0;
            push(status_.messages);
            return finish();
        case Op::WAIT_DEVICE:
            if ((out.device_busy & current_.a) != 0 && phase + 1 < current_.b) return 0;
            push(out.device_busy & current_.a);
            return finish();
        default:
            if (host_.active()) return phase >= kAccessBound ? time_out() : 0;
            if (current_.op == Op::CTL_READ) push(host_.value());
            return finish();
    }
}

uint32_t Mailbox::sample(uint64_t cycle, const ControlOutputs& out, bool memory_active) {
    if (!inputs_.reset && !device_reset_) watch_busy(cycle, out.busy);
    if (device_reads_ && out.dcr_rsp_valid) {
        device_reads_ = false;
        last_dcr_ = cycle;
        record(cycle, RunEvent::DCR_RESPONSE, device_read_addr_, out.dcr_rsp_data);
        if (device_read_addr_ == 0 && status_.outstanding_writes != 0) ++status_.flush_with_writes;
    }
    uint32_t reasons = 0;
    const uint64_t phase = phase_++;
    if (active_) {
        switch (current_.op) {
            case Op::RESET:
                if (phase + 1 >= current_.a + current_.b) {
                    steady_ = true;
                    reasons = finish();
                }
                break;
            case Op::DCR_WRITE:
                if (phase >= current_.c) reasons = finish();
                break;
            case Op::DCR_READ:
                if (out.dcr_rsp_valid) {
                    push(out.dcr_rsp_data);
                    record(cycle, RunEvent::DCR_RESPONSE, current_.a, out.dcr_rsp_data);
                    if (current_.a == 0 && status_.outstanding_writes != 0) ++status_.flush_with_writes;
                    dcr_waiting_ = false;
                    last_dcr_ = cycle;
                    reasons = finish();
                } else if (current_.c != 0 && phase >= current_.c) {
                    reasons = time_out();
                }
                break;
            case Op::START: reasons = finish(); break;
            case Op::WAIT_RISE:
                if (out.busy || phase + 1 >= current_.a) {
                    push(out.busy);
                    reasons = finish();
                }
                break;
            case Op::WAIT_QUIESCENT:
                if (out.busy || memory_active || status_.outstanding_writes != 0) {
                    quiet_ = 0;
                } else if (++quiet_ >= current_.a) {
                    status_.quiescent_cycle = cycle;
                    record(cycle, RunEvent::QUIESCENT, 0, status_.busy_fall_cycle);
                    launched_ = false;
                    reasons = finish();
                }
                if (active_ && current_.b != 0 && phase >= current_.b) {
                    reasons = time_out();
                }
                break;
            case Op::RUN:
                if (phase + 1 >= current_.a) reasons = finish();
                break;
            default: reasons = sample_device_command(phase, out, memory_active); break;
        }
    }
    status_.commands_pending = queue_.size() + active_;
    return reasons;
}

}  // namespace vx
