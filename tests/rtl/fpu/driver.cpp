// Drives fpu_bench: requests with gaps, responses with stalls, every lane of every response compared with SoftFloat.
#include <deque>
#include <memory>
#include <vector>

#include "Vtop.h"
#include "operands.h"
#include "oracle.h"
#include "verilated.h"

namespace {

constexpr int kLanes = FPU_LANES, kIntWidth = FPU_INT_WIDTH;
static_assert(kLanes >= 3, "ports of fewer lanes are no arrays");
constexpr uint32_t kTags = 1u << 16;
constexpr uint64_t kMask = kIntWidth == 64 ? ~0ull : 0xffffffffull;
constexpr uint64_t kPatience = 100;  // cycles without a response while one is due

int violations = 0;  // of assertions in the design

}  // namespace

// Instead of Verilator's: a violated assertion is a difference, not the end of the process.
void vl_stop(const char*, int, const char*) { ++violations; }
double sc_time_stamp() { return 0; }

extern "C" {

// Mirrored by model.py.
struct FpuJob {
    int32_t op;    // -1: any
    int32_t mode;  // -1: any
    uint64_t vectors, seed;
    uint32_t gap, stall;  // of 256: how often no request, no readiness
};

struct FpuDifference {
    int32_t op, mode;
    uint64_t a, expected, found;
    uint32_t b, c, expected_flags, found_flags;
};

struct FpuOutcome {
    uint64_t vectors, differences, cycles, waited;  // waited: responses that were stalled
    uint32_t disorder;                              // responses out of order, twice, or changed while they waited
    uint32_t violations, hung;
    uint32_t flags_seen;     // which flags some expectation had
    FpuDifference first[8];  // as many as `differences` says
};
}

namespace {

struct Flight {
    int op, mode;
    fpu::Operands operands[kLanes];
    fpu::Result expected[kLanes];
};

// Sets one lane of a port that is an array of words; lanes of 64 bits have two.
template <typename Port>
void set_lane(Port& port, int lane, uint64_t value, int width) {
    if (width == 32) {
        port[lane] = static_cast<uint32_t>(value);
    } else {
        port[2 * lane] = static_cast<uint32_t>(value);
        port[2 * lane + 1] = static_cast<uint32_t>(value >> 32);
    }
}

template <typename Port>
uint64_t get_lane(const Port& port, int lane, int width) {
    if (width == 32) return port[lane];
    return port[2 * lane] | static_cast<uint64_t>(port[2 * lane + 1]) << 32;
}

class Bench {
  public:
    Bench(const FpuJob& job, FpuOutcome& outcome) : job_(job), out_(outcome), random_(job.seed), flights_(kTags) {
        context_.randSeed(static_cast<int>(job.seed % 2147483647) + 1);
        context_.randReset(2);
        dut_ = std::make_unique<Vtop>(&context_);
    }

    void run() {
        reset();
        const uint64_t requests = (job_.vectors + kLanes - 1) / kLanes;
        uint64_t sent = 0, idle = 0;
        choose();
        while (received_ < requests) {
            const bool offer = sent < requests && !holding_tag(sent) && random_.below(256) >= job_.gap;
            const bool div = next_.op >= fpu::DIV;
            if (offer) present(static_cast<uint32_t>(sent % kTags));
            dut_->pipe_req_valid = offer && !div;
            dut_->div_req_valid = offer && div;
            dut_->pipe_rsp_ready = random_.below(256) >= job_.stall;
            dut_->div_rsp_ready = random_.below(256) >= job_.stall;
            dut_->eval();
            if (offer && (div ? dut_->div_req_ready : dut_->pipe_req_ready)) {
                const uint32_t tag = static_cast<uint32_t>(sent % kTags);
                flights_[tag] = next_;
                order_[queue_of(next_.op)].push_back(tag);
                ++sent;
                choose();
            }
            const uint64_t before = received_;
            if (dut_->pipe_rsp_valid) {
                respond(dut_->pipe_rsp_ready, dut_->pipe_rsp_tag, dut_->pipe_rsp_data, kIntWidth, dut_->pipe_rsp_flags,
                        waiting_[0]);
            } else if (waiting_[0].waits) {
                ++out_.disorder;
            }
            if (dut_->div_rsp_valid) {
                respond(dut_->div_rsp_ready, dut_->div_rsp_tag, dut_->div_rsp_data, 32, dut_->div_rsp_flags, waiting_[1]);
            } else if (waiting_[1].waits) {
                ++out_.disorder;
            }
            clock();
            idle = received_ > before || sent == received_ ? 0 : idle + 1;
            if (idle > kPatience) {
                out_.hung = 1;
                break;
            }
        }
        dut_->final();
        out_.violations = static_cast<uint32_t>(violations);
    }

  private:
    struct Waiting {
        bool waits = false;
        uint32_t tag = 0;
        uint64_t sum = 0;
    };

    static int queue_of(int op) { return op >= fpu::DIV ? 2 : op <= fpu::FROM_LU ? 0 : 1; }

    bool holding_tag(uint64_t sent) const { return sent - received_ >= kTags / 2; }

    void clock() {
        dut_->clk = 1;
        dut_->eval();
        dut_->clk = 0;
        ++out_.cycles;
    }

    void reset() {
        dut_->clk = 0;
        dut_->reset = 1;
        dut_->pipe_req_valid = dut_->div_req_valid = 0;
        dut_->req_op = fpu::MADD;
        dut_->req_mode = 0;
        for (int i = 0; i < 3; ++i) {
            dut_->eval();
            clock();
        }
        dut_->reset = 0;
        violations = 0;
        out_.cycles = 0;
    }

    // The next request, in `next_`.
    void choose() {
        do {
            next_.op = job_.op >= 0 ? job_.op : static_cast<int>(random_.below(fpu::OPS));
        } while (kIntWidth == 32 && (next_.op == fpu::FROM_L || next_.op == fpu::FROM_LU || next_.op == fpu::TO_L ||
                                     next_.op == fpu::TO_LU));
        next_.mode = job_.mode >= 0 ? job_.mode : static_cast<int>(random_.below(5));
        for (int lane = 0; lane < kLanes; ++lane) {
            fpu::Operands& o = next_.operands[lane];
            o = fpu::operands(next_.op, random_);
            o.a &= kMask;
            next_.expected[lane] = fpu::expected(next_.op, next_.mode, o.a, o.b, o.c);
            out_.flags_seen |= next_.expected[lane].flags;
        }
    }

    void present(uint32_t tag) {
        dut_->req_op = static_cast<uint8_t>(next_.op);
        dut_->req_mode = static_cast<uint8_t>(next_.mode);
        dut_->req_tag = static_cast<uint16_t>(tag);
        for (int lane = 0; lane < kLanes; ++lane) {
            set_lane(dut_->req_a, lane, next_.operands[lane].a, kIntWidth);
            set_lane(dut_->req_b, lane, next_.operands[lane].b, 32);
            set_lane(dut_->req_c, lane, next_.operands[lane].c, 32);
        }
    }

    template <typename Data, typename Flags>
    void respond(bool ready, uint32_t tag, const Data& data, int width, const Flags& flags, Waiting& waiting) {
        uint64_t sum = 0;
        for (int lane = 0; lane < kLanes; ++lane) {
            sum = sum * 31 + get_lane(data, lane, width) * 257 + flags[lane];
        }
        if (waiting.waits && (waiting.tag != tag || waiting.sum != sum)) ++out_.disorder;
        waiting = {!ready, tag, sum};
        if (!ready) {
            ++out_.waited;
            return;
        }
        const Flight& flight = flights_[tag];
        std::deque<uint32_t>& queue = order_[queue_of(flight.op)];
        if (queue.empty() || queue.front() != tag) {
            ++out_.disorder;
            return;
        }
        queue.pop_front();
        ++received_;
        for (int lane = 0; lane < kLanes; ++lane) {
            const uint64_t found = get_lane(data, lane, width);
            const unsigned found_flags = flags[lane];
            const fpu::Result& e = flight.expected[lane];
            ++out_.vectors;
            if (found == (e.value & kMask) && found_flags == e.flags) continue;
            if (out_.differences < 8) {
                const fpu::Operands& o = flight.operands[lane];
                out_.first[out_.differences] = {flight.op, flight.mode, o.a, e.value & kMask, found, o.b, o.c, e.flags,
                                                found_flags};
            }
            ++out_.differences;
        }
    }

    const FpuJob& job_;
    FpuOutcome& out_;
    fpu::Random random_;
    VerilatedContext context_;
    std::unique_ptr<Vtop> dut_;
    Flight next_{};
    std::vector<Flight> flights_;
    std::deque<uint32_t> order_[3];
    Waiting waiting_[2];
    uint64_t received_ = 0;
};

}  // namespace

extern "C" {

// Writes what is wrong into `message`, nothing if the oracle is there.
void fpu_oracle(const char* path, char* message, size_t size) {
    const std::string text = fpu::load_oracle(path);
    text.copy(message, size - 1);
    message[text.size() < size ? text.size() : size - 1] = 0;
}

void fpu_run(const FpuJob* job, FpuOutcome* outcome) {
    *outcome = FpuOutcome{};
    Bench(*job, *outcome).run();
}

// One expectation, for a test of the oracle itself.
void fpu_expected(int op, int mode, uint64_t a, uint32_t b, uint32_t c, uint64_t* value, uint32_t* flags) {
    const fpu::Result result = fpu::expected(op, mode, a, b, c);
    *value = result.value;
    *flags = result.flags;
}
}
