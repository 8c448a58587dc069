#include "device_side.h"

#include <cstring>

#include "Vtop.h"
#include "requests.h"
#include "shape.h"  // generated

namespace vx {

DeviceSide::DeviceSide(MemoryFile& memory, Rings& rings, Injection& injection, Status& status) : rings_(rings), status_(status) {
    for (uint32_t bank = 0; bank < kNumBanks; ++bank) responders_.emplace_back(bank, memory, rings, injection, status, true);
}

void DeviceSide::set_policy(const CPolicy& policy) {
    for (Responder& responder : responders_) responder.set_policy(policy);
    host_.seed(policy.seed);
}

void DeviceSide::reset() {
    for (Responder& responder : responders_) responder.reset();
    master_.reset();
    host_.reset();
    busy_ = 0;
    status_.messages = status_.core_resets = status_.device_cycles = status_.ctl_accesses = 0;
}

bool DeviceSide::quiet() const {
    bool quiet = busy_ == 0 && !master_.active() && host_.quiet();
    for (const Responder& responder : responders_) quiet = quiet && responder.quiet();
    return quiet;
}

const char* DeviceSide::take_violation() {
    if (master_.take_violation()) return "AXI: RLAST is not at the last beat of a burst of BAR2, beat";
    const char* found = violation_;
    violation_ = nullptr;
    return found;
}

void DeviceSide::record(uint64_t cycle, uint32_t event, uint64_t addr, uint64_t data) {
    if (!rings_.enabled(Kind::RUN)) return;
    RunRecord* record = rings_.begin<RunRecord>(cycle);
    record->event = static_cast<uint16_t>(event);
    record->addr = addr;
    record->data = data;
    record->launch = static_cast<uint32_t>(status_.launch);
    rings_.commit(record);
}

void DeviceSide::sample_memory(Vtop& top, uint64_t cycle) {
    for (uint32_t bank = 0; bank < kNumBanks; ++bank) {
        responders_[bank].sample(cycle, requests_of(top, kNumBanks + bank));
        if (const char* violation = responders_[bank].take_violation()) violation_ = violation;
    }
}

void DeviceSide::sample(Vtop& top, uint64_t cycle) {
    ++status_.device_cycles;
    sample_memory(top, cycle);
    if (!host_.quiet() || top.host_awvalid || top.host_wvalid || top.host_arvalid) {
        host_.sample(HostMemory::Requests{top.host_awvalid != 0, top.host_wvalid != 0, top.host_arvalid != 0,
                                          top.host_bready != 0, top.host_rready != 0, top.host_awaddr, top.host_araddr,
                                          top.host_wstrb, reinterpret_cast<const uint8_t*>(&top.host_wdata[0])});
    }
    if (master_.active()) {
        master_.sample(BarMaster::Sees{top.ctl_awready != 0, top.ctl_wready != 0, top.ctl_bvalid != 0, top.ctl_arready != 0,
                                       top.ctl_rvalid != 0, top.vram_awready != 0, top.vram_wready != 0,
                                       top.vram_bvalid != 0, top.vram_arready != 0, top.vram_rvalid != 0,
                                       top.vram_rlast != 0, top.ctl_rdata,
                                       reinterpret_cast<const uint8_t*>(&top.vram_rdata[0])});
    }
    busy_ = top.device_busy;
    if (top.device_event) {
        record(cycle, RunEvent::DEVICE, 0, top.device_event);
        if (top.device_event & 0x80) ++status_.ctl_accesses;
    }
    if (top.msix_valid) {
        ++status_.messages;
        record(cycle, RunEvent::MESSAGE, top.msix_addr, uint64_t(top.msix_vector) << 32 | top.msix_data);
    }
}

void DeviceSide::drive(Vtop& top, uint64_t cycle) {
    for (uint32_t bank = 0; bank < kNumBanks; ++bank) {
        responders_[bank].drive(cycle);
        drive_port(top, kNumBanks + bank, responders_[bank].responses());
    }
    top.ctl_awvalid = master_.ctl_awvalid;
    top.ctl_wvalid = master_.ctl_wvalid;
    top.ctl_arvalid = master_.ctl_arvalid;
    top.vram_awvalid = master_.vram_awvalid;
    top.vram_wvalid = master_.vram_wvalid;
    top.vram_arvalid = master_.vram_arvalid;
    if (master_.active()) {
        top.ctl_awaddr = top.ctl_araddr = master_.ctl_addr;
        top.ctl_wdata = master_.ctl_wdata;
        top.ctl_wstrb = static_cast<uint8_t>(master_.ctl_wstrb);
        top.ctl_arsize = static_cast<uint8_t>(master_.ctl_arsize);
        top.vram_awaddr = top.vram_araddr = master_.vram_addr;
        top.vram_awlen = top.vram_arlen = static_cast<uint8_t>(master_.vram_len);
        top.vram_awsize = top.vram_arsize = static_cast<uint8_t>(master_.vram_size);
        top.vram_wlast = master_.vram_wlast;
        top.vram_wstrb = master_.vram_wstrb;
        if (master_.new_beat) std::memcpy(&top.vram_wdata[0], master_.vram_wdata, kBeatBytes);
        master_.new_beat = false;
    }
    host_.drive();
    top.host_awready = host_.awready;
    top.host_wready = host_.wready;
    top.host_arready = host_.arready;
    top.host_bvalid = host_.bvalid;
    top.host_bresp = host_.bresp;
    top.host_rvalid = host_.rvalid;
    top.host_rresp = host_.rresp;
    if (host_.rvalid) std::memcpy(&top.host_rdata[0], host_.rdata, kBeatBytes);
}

}  // namespace vx
