#include "harness.h"

#include <cstdio>
#include <cstring>
#include <stdexcept>

#include "Vtop.h"
#include "shape.h"  // generated: kNumBanks, kMemorySize
#include "verilated.h"

namespace vx {

namespace {

Harness* g_instance = nullptr;
constexpr uint64_t kAssertionLimit = 100;  // an assertion that fails on every clock must not fill the disk

std::string plusarg(int argc, char** argv, const std::string& name, const std::string& fallback) {
    const std::string prefix = "+" + name + "=";
    for (int i = 1; i < argc; ++i) {
        if (std::string(argv[i]).compare(0, prefix.size(), prefix) == 0) return argv[i] + prefix.size();
    }
    return fallback;
}

uint32_t ring_capacity(int argc, char** argv) {
    const std::string text = plusarg(argc, argv, "vx_ring", "16384");
    char* end = nullptr;
    const unsigned long value = std::strtoul(text.c_str(), &end, 0);
    if (end == text.c_str() || *end != 0 || value < 64 || value > 1ul << 26 || (value & (value - 1)) != 0) {
        throw std::runtime_error("+vx_ring=" + text + ": must be a power of two between 64 and 67108864 records");
    }
    return static_cast<uint32_t>(value);
}

}  // namespace

Harness& Harness::instance() { return *g_instance; }

Harness::Harness(int argc, char** argv)
    : run_dir_(plusarg(argc, argv, "vx_run_dir", ".")),
      rings_(run_dir_ + "/ring.bin", ring_capacity(argc, argv)),
      memory_(run_dir_ + "/memory.bin", kMemorySize),
      mailbox_(rings_, status_),
      probe_(rings_, status_) {
    g_instance = this;
    settings_.hang_cycles = 100000;
    settings_.record_mask = ~0u;
    Verilated::commandArgs(argc, argv);
    Verilated::assertOn(false);
    Waves::prepare();
    top_ = std::make_unique<Vtop>("");
    waves_.attach(top_.get());
    for (uint32_t bank = 0; bank < kNumBanks; ++bank) responders_.emplace_back(bank, memory_, rings_, injection_, status_);
    CPolicy policy{};
    policy.seed = 1;
    policy.read_latency = policy.write_latency = CLatency{20, 20, 0, 0};
    policy.max_reads = policy.max_writes = 64;
    set_policy(policy);
    top_->reset = 1;
    top_->clk = 1;  // the first evaluation must not be a rising edge
}

Harness::~Harness() {
    top_->final();
    waves_.close();
    g_instance = nullptr;
}

void Harness::set_policy(const CPolicy& policy) {
    for (Responder& responder : responders_) responder.set_policy(policy);
}

void Harness::set_settings(const Settings& settings) {
    settings_ = settings;
    rings_.set_mask(settings.record_mask);
}

uint32_t Harness::take_events() {
    const uint32_t events = static_cast<uint32_t>(status_.events);
    status_.events = 0;
    return events;
}

void Harness::flip_event_signal() { top_->event_toggle = !top_->event_toggle; }

uint64_t Harness::time() const { return Verilated::threadContextp()->time(); }

void Harness::assertion(const char* file, int line) {
    // Before and during reset registers are random, so nothing that an assertion says means anything.
    if (!mailbox_.out_of_reset_steady()) return;
    ++status_.assertions;
    if (rings_.enabled(Kind::RUN)) {
        RunRecord* record = rings_.begin<RunRecord>(status_.cycle);
        record->event = RunEvent::ASSERTION;
        record->data = status_.assertions;
        record->addr = static_cast<uint64_t>(line);
        record->launch = static_cast<uint32_t>(status_.launch);
        rings_.commit(record);
    }
    std::fprintf(stderr, "assertion %llu in cycle %llu: %s:%d\n", static_cast<unsigned long long>(status_.assertions),
                 static_cast<unsigned long long>(status_.cycle), file, line);
    if (status_.assertions == kAssertionLimit) {
        std::fprintf(stderr, "assertions are switched off after %llu failures\n", static_cast<unsigned long long>(kAssertionLimit));
        Verilated::assertOn(false);
    }
    std::fflush(stderr);
    // One event is enough to stop the test; a test that goes on is not woken for each failure.
    if (!assertion_reported_) raise(Reason::ASSERTION);
    assertion_reported_ = true;
}

void Harness::drive_control(const ControlInputs& control) {
    top_->reset = control.reset;
    top_->start = control.start;
    top_->dcr_req_valid = control.dcr_valid;
    if (!control.dcr_valid) return;
    top_->dcr_req_rw = control.dcr_rw;
    top_->dcr_req_addr = control.dcr_addr;
    top_->dcr_req_data = control.dcr_data;
}

void Harness::drive_memory(bool reset) {
    for (uint32_t bank = 0; bank < kNumBanks; ++bank) {
        Responder& responder = responders_[bank];
        if (reset) {
            responder.reset();
        } else {
            responder.drive(status_.cycle + 1);
        }
        const AxiResponses& out = responder.responses();
        top_->m_axi_awready[bank] = out.awready;
        top_->m_axi_wready[bank] = out.wready;
        top_->m_axi_arready[bank] = out.arready;
        top_->m_axi_bvalid[bank] = out.bvalid;
        top_->m_axi_rvalid[bank] = out.rvalid;
        if (out.bvalid) {
            top_->m_axi_bid[bank] = out.bid;
            top_->m_axi_bresp[bank] = out.bresp;
        }
        if (out.new_read) {
            top_->m_axi_rid[bank] = out.rid;
            top_->m_axi_rresp[bank] = out.rresp;
            top_->m_axi_rlast[bank] = 1;
            std::memcpy(&top_->m_axi_rdata[bank][0], out.rdata, kBeatBytes);
        }
    }
}

// True if a request is standing on a bus.
bool Harness::sample_memory() {
    bool active = false;
    uint64_t outstanding = 0;
    for (uint32_t bank = 0; bank < kNumBanks; ++bank) {
        AxiRequests in;
        in.awvalid = top_->m_axi_awvalid[bank];
        in.wvalid = top_->m_axi_wvalid[bank];
        in.arvalid = top_->m_axi_arvalid[bank];
        in.bready = top_->m_axi_bready[bank];
        in.rready = top_->m_axi_rready[bank];
        if (in.awvalid) {
            in.awaddr = top_->m_axi_awaddr[bank];
            in.awid = top_->m_axi_awid[bank];
            in.awlen = top_->m_axi_awlen[bank];
            in.awsize = top_->m_axi_awsize[bank];
            in.awburst = top_->m_axi_awburst[bank];
        }
        if (in.wvalid) {
            in.wstrb = top_->m_axi_wstrb[bank];
            in.wlast = top_->m_axi_wlast[bank];
            in.wdata = &top_->m_axi_wdata[bank][0];
        }
        if (in.arvalid) {
            in.araddr = top_->m_axi_araddr[bank];
            in.arid = top_->m_axi_arid[bank];
            in.arlen = top_->m_axi_arlen[bank];
            in.arsize = top_->m_axi_arsize[bank];
            in.arburst = top_->m_axi_arburst[bank];
        }
        responders_[bank].sample(status_.cycle, in);
        if (const char* violation = responders_[bank].take_violation()) {
            assertion((std::string("AXI: ") + violation + ", bank").c_str(), static_cast<int>(bank));
        }
        active = active || in.awvalid || in.wvalid || in.arvalid;
        outstanding += responders_[bank].outstanding_writes();
    }
    status_.outstanding_writes = outstanding;
    return active;
}

void Harness::sample_faults() {
    const uint64_t index = status_.port_faults++;
    if (index >= kMaxPortFaults) return;
    PortFault& fault = status_.faults[index];
    fault.cycle = status_.cycle;
    fault.addr = top_->fault_addr;
    fault.pc = top_->fault_pc;
    fault.kind = top_->fault_kind;
    fault.info = top_->fault_info;
}

void Harness::watchdog() {
    const uint64_t since = status_.last_commit_cycle > status_.start_cycle ? status_.last_commit_cycle : status_.start_cycle;
    if (status_.cycle < since + settings_.hang_cycles || hang_reported_) return;
    hang_reported_ = true;
    raise(Reason::HANG);
}

void Harness::cycle() {
    VerilatedContext* context = Verilated::threadContextp();
    const uint64_t now = status_.cycle;
    const uint64_t edge = 2 * kHalfPeriod * (now + 1);

    if (forces_.any()) status_.forced += forces_.apply(now);
    context->time(edge - kHalfPeriod);
    top_->clk = 0;
    top_->eval();
    waves_.dump(now, edge - kHalfPeriod);

    bool active = false;
    if (!in_reset_) {
        active = sample_memory();
        if (active && !top_->busy && mailbox_.out_of_reset_steady()) ++status_.idle_activity;
        if (top_->fault_valid) sample_faults();
    }
    const bool was_steady = mailbox_.out_of_reset_steady();
    const uint32_t reasons =
        mailbox_.sample(now, ControlOutputs{top_->busy != 0, top_->dcr_rsp_valid != 0, top_->dcr_rsp_data}, active);
    if (reasons != 0) raise(reasons);
    if (!was_steady && mailbox_.out_of_reset_steady()) Verilated::assertOn(true);

    const ControlInputs& control = mailbox_.drive(now + 1);
    drive_control(control);
    drive_memory(control.reset);
    in_reset_ = control.reset;
    if (control.start) {
        hang_reported_ = false;
        if (forces_.any()) forces_.started(status_.launch, now + 1);
    }

    context->time(edge);
    top_->clk = 1;
    top_->eval();
    waves_.dump(now, edge);

    if (mailbox_.take_reset()) {  // after the edge, because what the probes reported at it belongs to the time before
        probe_.reset();
        status_.last_commit_cycle = now + 1;
        Verilated::assertOn(false);
        assertion_reported_ = hang_reported_ = false;
    }
    if (top_->busy && status_.probes != 0 && settings_.hang_cycles != 0) watchdog();
    if (probe_.failed() && status_.probe_errors == 1) raise(Reason::PROBE);
    ++status_.cycle;
    if (context->gotFinish()) {
        raise(Reason::FINISH);
        finished_ = true;
    }
    if (rings_.wants_drain() && settings_.drain) {
        rings_.drain_requested();
        raise(Reason::DRAIN);
    }
}

bool Harness::run(uint64_t deadline) {
    while (!wake_ && !finished_) {
        if (time() >= deadline) return true;
        if (mailbox_.idle() && deadline == ~0ull) return false;
        cycle();
    }
    return false;
}

}  // namespace vx
