// Handshakes of one AXI bank as records of the ring.
#pragma once
#include <cstdint>
#include <cstring>

#include "ring.h"

namespace vx {

class AxiRecorder {
  public:
    // `device`: a memory port of the BAR device, whose records have a kind of their own.
    AxiRecorder(Rings& rings, uint32_t bank, bool device) : rings_(rings), bank_(bank), device_(device) {}

    bool enabled() const { return rings_.enabled(device_ ? DeviceAxiRecord::kKind : AxiRecord::kKind); }

    void address(uint64_t cycle, uint32_t channel, uint64_t addr, uint64_t id, uint8_t len, uint8_t size, uint8_t burst) {
        if (!enabled()) return;
        AxiRecord* record = begin(cycle, channel);
        record->id = id;
        record->addr = addr;
        record->len = len;
        record->size = size;
        record->burst = burst;
        commit(record);
    }
    void write_data(uint64_t cycle, uint64_t strobe, bool last, const void* data) {
        if (!enabled()) return;
        AxiRecord* record = begin(cycle, AxiChannel::W);
        record->strobe = strobe;
        record->last = last;
        std::memcpy(record->data, data, sizeof record->data);
        commit(record);
    }
    void write_response(uint64_t cycle, uint64_t addr, uint64_t id, uint8_t resp) {
        if (!enabled()) return;
        AxiRecord* record = begin(cycle, AxiChannel::B);
        record->id = id;
        record->addr = addr;
        record->resp = resp;
        commit(record);
    }
    void read_data(uint64_t cycle, uint64_t addr, uint64_t id, uint8_t resp, bool last, const void* data) {
        if (!enabled()) return;
        AxiRecord* record = begin(cycle, AxiChannel::R);
        record->id = id;
        record->addr = addr;
        record->resp = resp;
        record->last = last;
        std::memcpy(record->data, data, sizeof record->data);
        commit(record);
    }

  private:
    static_assert(sizeof(AxiRecord) == sizeof(DeviceAxiRecord), "both kinds have the same fields");

    AxiRecord* begin(uint64_t cycle, uint32_t channel) {
        AxiRecord* record = device_ ? reinterpret_cast<AxiRecord*>(rings_.begin<DeviceAxiRecord>(cycle))
                                    : rings_.begin<AxiRecord>(cycle);
        record->bank = static_cast<uint16_t>(bank_);
        record->channel = static_cast<uint8_t>(channel);
        return record;
    }
    void commit(const AxiRecord* record) {
        if (device_) {
            rings_.commit(reinterpret_cast<const DeviceAxiRecord*>(record));
        } else {
            rings_.commit(record);
        }
    }

    Rings& rings_;
    uint32_t bank_;
    bool device_;
};

}  // namespace vx
