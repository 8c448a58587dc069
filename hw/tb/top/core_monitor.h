// Watches the core's memory ports while the BAR device answers them: records, and writes that are not acknowledged.
#pragma once
#include <cstdint>
#include <deque>
#include <map>
#include <vector>

#include "axi_record.h"
#include "responder.h"

namespace vx {

// What the core sees on one port in one cycle.
struct CoreSees {
    bool awready, wready, arready, bvalid, rvalid, rlast;
    uint64_t bid, rid;
    uint8_t bresp, rresp;
    const void* rdata;
};

class CoreMonitor {
  public:
    CoreMonitor(Rings& rings, uint32_t bank) : record_(rings, bank, false) {}

    void reset();
    // The handshakes that the rising edge `cycle` completes.
    void sample(uint64_t cycle, const AxiRequests& out, const CoreSees& in);
    uint64_t outstanding_writes() const { return writes_ > responses_ ? writes_ - responses_ : 0; }

  private:
    using Open = std::map<uint64_t, std::deque<uint64_t>>;  // id -> addresses of what is not answered
    static uint64_t take(Open& open, uint64_t id);

    AxiRecorder record_;
    Open reads_, open_writes_;
    uint64_t writes_ = 0, responses_ = 0;
};

}  // namespace vx
