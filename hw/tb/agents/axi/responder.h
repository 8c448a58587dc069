// AXI4 memory responder of one bank. It knows nothing of the simulator: the harness hands it the requests that stand
// on the bank's wires before a rising edge and takes the responses to drive after it.
//
//   AW ─┐                       effect (handshake or B)
//       ├─ pair ─▶ writes_ ───────────▶ memory ◀─────────┐ sample (AR or R)
//   W  ─┘             └──▶ B (latency, order, gaps)      │
//   AR ──▶ reads_ ────────────────────────────────────────┴─▶ R (latency, order, gaps)
#pragma once
#include <cstdint>
#include <deque>
#include <utility>
#include <vector>

#include "axi_record.h"
#include "memory_file.h"
#include "policy.h"  // generated
#include "random.h"
#include "ring.h"
#include "abi.h"  // generated

namespace vx {

constexpr uint32_t kBeatBytes = 64;

struct AxiRequests {
    bool awvalid, wvalid, arvalid, bready, rready, wlast;
    uint64_t awaddr, awid, araddr, arid, wstrb;
    uint8_t awlen, awsize, awburst, arlen, arsize, arburst;
    const void* wdata;  // kBeatBytes bytes, only looked at when wvalid
};

struct AxiResponses {
    bool awready = false, wready = false, arready = false, bvalid = false, rvalid = false;
    uint64_t bid = 0, rid = 0;
    uint8_t bresp = 0, rresp = 0;
    bool new_read = false;  // rdata changed in this cycle
    uint8_t rdata[kBeatBytes] = {};
};

// A fault that is put in once; shared by all banks so that "the nth" counts over all of them.
struct Injection {
    uint32_t kind = InjectKind::NONE;
    uint64_t countdown = 0;  // eligible transactions to let pass
    uint64_t arg = 0;
};

class Responder {
  public:
    // `device`: a memory port of the BAR device instead of one of the core.
    Responder(uint32_t bank, MemoryFile& memory, Rings& rings, Injection& injection, Status& status, bool device = false)
        : stream_(bank + (device ? kDeviceStreams : 0)), memory_(memory), record_(rings, bank, device), injection_(injection),
          status_(status) {}

    void set_policy(const CPolicy& policy);
    void reset();
    // Decide what is driven in `cycle`; called while the clock is low.
    void drive(uint64_t cycle);
    // Take the handshakes that the rising edge `cycle` completes.
    void sample(uint64_t cycle, const AxiRequests& requests);

    const AxiResponses& responses() const { return out_; }
    // A request was withdrawn or changed before it was accepted: the sentence that says so, once each; else null.
    const char* take_violation() { return std::exchange(violation_, nullptr); }
    bool quiet() const { return outstanding_writes() == 0 && reads_.empty(); }
    uint64_t outstanding_writes() const { return (aws_.size() > ws_.size() ? aws_.size() : ws_.size()) + writes_.size(); }

  private:
    struct Address {
        uint64_t id, addr, order;
        uint8_t len, size, burst;
    };
    struct Data {
        uint64_t strobe;
        uint8_t bytes[kBeatBytes];
    };
    struct Write {
        uint64_t id, addr, due, effect, order, strobe;
        uint8_t resp;
        bool applied, late;
        uint8_t bytes[kBeatBytes];
    };
    struct Read {
        uint64_t id, addr, due, order;
        uint8_t resp;
        bool sampled, at_response;
        bool dropped;  // injected fault: never answered
        uint8_t bytes[kBeatBytes];
    };
    struct Ready {
        Random random;
        uint32_t low = 0;  // cycles that it stays low
        bool next(const CThrottle& throttle) {
            if (low != 0) {
                --low;
                return false;
            }
            if (!random.percent(throttle.percent)) return true;
            low = random.between(1, throttle.longest) - 1;
            return false;
        }
    };

    // Requests of the last cycle that were not accepted: AXI4 wants them unchanged in this one.
    struct Held {
        bool aw = false, w = false, ar = false;
        AxiRequests requests;
        uint8_t wdata[kBeatBytes];
    };

    static uint32_t draw(const CLatency& latency, Random& random);
    static uint64_t line(uint64_t addr) { return addr / kBeatBytes; }
    uint8_t response_of(uint64_t addr, bool write) const;
    void accept_write(uint64_t cycle, const Address& address, const Data& data);
    void apply(Write& write);
    void apply_due(uint64_t cycle);
    void sample_memory(Read& read) const;
    bool may_answer(const Read& read) const;
    bool injected(uint32_t kind);
    int choose_read(uint64_t cycle);
    int choose_write(uint64_t cycle);
    void present_read(int index);
    void present_write(int index, uint64_t cycle);

    static constexpr uint32_t kDeviceStreams = 1024;  // random streams of the device's ports are not those of the core's

    uint32_t stream_;
    MemoryFile& memory_;
    AxiRecorder record_;
    Injection& injection_;
    Status& status_;
    CPolicy policy_{};
    Random latency_random_, order_random_, sample_random_;
    Ready aw_, w_, ar_, r_, b_;
    std::deque<Address> aws_;  // accepted, data not yet
    std::deque<Data> ws_;      // accepted, address not yet
    std::vector<Write> writes_;
    std::vector<Write> late_;  // injected fault: acknowledged, not yet in memory
    std::vector<Read> reads_;
    void check_held(const AxiRequests& in);
    uint64_t orders_ = 0;
    Held held_;
    const char* violation_ = nullptr;
    int presented_read_ = -1;   // index into reads_ while RVALID is high
    int presented_write_ = -1;  // index into writes_ while BVALID is high
    AxiResponses out_;
};

}  // namespace vx
