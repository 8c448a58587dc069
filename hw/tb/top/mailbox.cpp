#include "mailbox.h"

namespace vx {

namespace {
// Registered busy outputs may show a DCR request a few cycles after it.
constexpr uint64_t kDcrBusyCycles = 8;
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
                steady_ = launched_ = false;
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
            status_.launch = current_.a;
            status_.start_cycle = cycle;
            status_.commits = status_.instructions = status_.port_faults = 0;
            launched_ = true;
            record(cycle, RunEvent::START, 0, 0);
            break;
        default: break;
    }
    return inputs_;
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
        }
    } else if (busy && steady_ && !dcr_waiting_ && cycle > last_dcr_ + kDcrBusyCycles) {
        record(cycle, RunEvent::BUSY_RISE, 0, status_.outstanding_writes);
        ++status_.busy_glitches;
    }
}

uint32_t Mailbox::finish() {
    active_ = false;
    return queue_.empty() ? uint32_t(Reason::DONE) : 0;
}

uint32_t Mailbox::sample(uint64_t cycle, const ControlOutputs& out, bool memory_active) {
    if (!inputs_.reset) watch_busy(cycle, out.busy);
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
                    abort();
                    reasons = Reason::TIMEOUT;
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
                    abort();
                    reasons = Reason::TIMEOUT;
                }
                break;
            default:  // RUN
                if (phase + 1 >= current_.a) reasons = finish();
                break;
        }
    }
    status_.commands_pending = queue_.size() + active_;
    return reasons;
}

}  // namespace vx
