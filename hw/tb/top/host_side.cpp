#include "host_side.h"

#include <algorithm>
#include <cstring>

namespace vx {

namespace {
constexpr uint64_t kBurstBoundary = 4096;  // no AXI burst crosses it
constexpr uint64_t kMostBeats = 256;
}  // namespace

void BarMaster::reset() {
    ctl_awvalid = ctl_wvalid = ctl_arvalid = vram_awvalid = vram_wvalid = vram_arvalid = false;
    active_ = false;
}

void BarMaster::begin(const Command& command) {
    active_ = true;
    op_ = static_cast<uint32_t>(command.op);
    value_ = 0;
    switch (command.op) {
        case Op::CTL_WRITE:
            ctl_addr = static_cast<uint32_t>(command.a);
            ctl_wdata = static_cast<uint32_t>(command.b);
            ctl_wstrb = static_cast<uint32_t>(command.c);
            ctl_awvalid = ctl_wvalid = true;
            break;
        case Op::CTL_READ:
            ctl_addr = static_cast<uint32_t>(command.a);
            ctl_arsize = static_cast<uint32_t>(command.b);
            ctl_arvalid = true;
            break;
        default:
            first_ = pos_ = command.a;
            end_ = command.a + command.b;
            vram_size = static_cast<uint32_t>(command.c);
            if (command.op == Op::VRAM_READ) {
                taken.assign(command.b, 0);
            } else {
                given.resize(command.b);
            }
            begin_burst();
            break;
    }
}

uint64_t BarMaster::beat_end() const {
    const uint64_t beat = 1ull << vram_size;
    return std::min(limit_, pos_ / beat * beat + beat);
}

void BarMaster::begin_burst() {
    const uint64_t beat = 1ull << vram_size;
    limit_ = std::min(end_, (pos_ / kBurstBoundary + 1) * kBurstBoundary);
    limit_ = std::min(limit_, pos_ / beat * beat + kMostBeats * beat);
    vram_addr = static_cast<uint32_t>(pos_);
    vram_len = static_cast<uint32_t>((pos_ % beat + (limit_ - pos_) + beat - 1) / beat - 1);
    if (op_ == Op::VRAM_READ) {
        vram_arvalid = true;
    } else {
        vram_awvalid = vram_wvalid = true;
        fill_beat();
    }
}

void BarMaster::fill_beat() {
    vram_wstrb = 0;
    std::memset(vram_wdata, 0xbd, sizeof vram_wdata);  // bytes without a strobe
    for (uint64_t at = pos_; at < beat_end(); ++at) {
        vram_wdata[at % 64] = given[at - first_];
        vram_wstrb |= 1ull << at % 64;
    }
    vram_wlast = beat_end() == limit_;
    new_beat = true;
}

void BarMaster::end_burst() {
    if (pos_ < end_) {
        begin_burst();
    } else {
        active_ = false;
    }
}

void BarMaster::sample(const Sees& sees) {
    if (!active_) return;
    if (ctl_awvalid && sees.ctl_awready) ctl_awvalid = false;
    if (ctl_wvalid && sees.ctl_wready) ctl_wvalid = false;
    if (ctl_arvalid && sees.ctl_arready) ctl_arvalid = false;
    if (vram_awvalid && sees.vram_awready) vram_awvalid = false;
    if (vram_arvalid && sees.vram_arready) vram_arvalid = false;
    if (vram_wvalid && sees.vram_wready) {
        pos_ = beat_end();
        if (pos_ < limit_) {
            fill_beat();
        } else {
            vram_wvalid = false;
        }
    }
    if (op_ == Op::CTL_WRITE && sees.ctl_bvalid) active_ = false;
    if (op_ == Op::CTL_READ && sees.ctl_rvalid) {
        value_ = sees.ctl_rdata;
        active_ = false;
    }
    if (op_ == Op::VRAM_WRITE && sees.vram_bvalid) end_burst();
    if (op_ == Op::VRAM_READ && sees.vram_rvalid) {
        const uint64_t stop = beat_end();
        for (; pos_ < stop; ++pos_) taken[pos_ - first_] = sees.vram_rdata[pos_ % 64];
        violation_ = violation_ || sees.vram_rlast != (pos_ == limit_);
        if (pos_ == limit_) end_burst();
    }
}

}  // namespace vx
