#include "harness.h"

#include <cstdio>
#include <cstring>
#include <stdexcept>

#include "Vtop.h"
#include "requests.h"
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
      memory_(run_dir_ + "/memory.bin", kMemorySize + kVramSize),
      device_(memory_, rings_, injection_, status_),
      mailbox_(rings_, status_, device_.master()),
      probe_(rings_, status_) {
    g_instance = this;
    settings_.hang_cycles = 100000;
    settings_.record_mask = ~0u;
    Verilated::commandArgs(argc, argv);
    Verilated::assertOn(false);
    Waves::prepare();
    top_ = std::make_unique<Vtop>("");
    waves_.attach(top_.get());
    for (uint32_t bank = 0; bank < kNumBanks; ++bank) {
        responders_.emplace_back(bank, memory_, rings_, injection_, status_);
        monitors_.emplace_back(rings_, bank);
    }
    CPolicy policy{};
    policy.seed = 1;
    policy.read_latency = policy.write_latency = CLatency{20, 20, 0, 0};
    policy.max_reads = policy.max_writes = 64;
    set_policy(policy);
    top_->reset = 1;
    top_->clk = top_->device_clk = 1;  // the first evaluation must not be a rising edge
}

Harness::~Harness() {
    top_->final();
    waves_.close();
    g_instance = nullptr;
}

void Harness::set_policy(const CPolicy& policy) {
    for (Responder& responder : responders_) responder.set_policy(policy);
    device_.set_policy(policy);
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
    top_->select = control.select;
    top_->start = control.start;
    top_->dcr_req_valid = control.dcr_valid;
    if (!control.dcr_valid) return;
    top_->dcr_req_rw = control.dcr_rw;
    top_->dcr_req_addr = control.dcr_addr;
    top_->dcr_req_data = control.dcr_data;
}

void Harness::drive_memory(bool reset) {
    for (uint32_t bank = 0; bank < kNumBanks; ++bank) {
        if (reset) {
            responders_[bank].reset();
            monitors_[bank].reset();
        } else {
            responders_[bank].drive(status_.cycle + 1);
        }
        drive_port(*top_, bank, responders_[bank].responses());
    }
}

// True if a request is standing on a bus.
bool Harness::sample_memory() {
    bool active = false;
    uint64_t outstanding = 0;
    for (uint32_t bank = 0; bank < kNumBanks; ++bank) {
        const AxiRequests in = requests_of(*top_, bank);
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

// The same while the device answers the core.
bool Harness::sample_core() {
    bool active = false;
    uint64_t outstanding = 0;
    for (uint32_t bank = 0; bank < kNumBanks; ++bank) {
        const AxiRequests out = requests_of(*top_, bank);
        monitors_[bank].sample(status_.cycle, out,
                               CoreSees{top_->core_awready[bank] != 0, top_->core_wready[bank] != 0,
                                        top_->core_arready[bank] != 0, top_->core_bvalid[bank] != 0,
                                        top_->core_rvalid[bank] != 0, top_->core_rlast[bank] != 0, top_->core_bid[bank],
                                        top_->core_rid[bank], top_->core_bresp[bank], top_->core_rresp[bank],
                                        &top_->core_rdata[bank][0]});
        active = active || out.awvalid || out.wvalid || out.arvalid;
        outstanding += monitors_[bank].outstanding_writes();
    }
    status_.outstanding_writes = outstanding;
    return active;
}

void Harness::sample_device() {
    const uint64_t now = status_.cycle;
    device_.sample(*top_, now);
    if (const char* violation = device_.take_violation()) assertion(violation, 0);
    if (!selected_) return;
    const DeviceControl control{top_->device_core_reset != 0, top_->device_start != 0, top_->device_dcr_valid != 0,
                                top_->device_dcr_rw != 0, top_->device_dcr_addr, top_->device_dcr_data};
    if (mailbox_.watch_device(now, control, settings_.launch)) {
        for (CoreMonitor& monitor : monitors_) monitor.reset();
        probe_.reset();
        status_.last_commit_cycle = now;
    }
    if (control.start) {
        hang_reported_ = false;
        if (forces_.any()) forces_.started(status_.launch, now);
    }
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
    top_->device_clk = 0;
    top_->eval();
    waves_.dump(now, edge - kHalfPeriod);

    bool active = false;
    if (!in_reset_) {
        if (awake_) sample_device();
        active = !selected_ ? sample_memory() : !top_->device_core_reset && sample_core();
        if (active && !top_->busy && mailbox_.out_of_reset_steady()) ++status_.idle_activity;
        if (top_->fault_valid) sample_faults();
    }
    const bool was_steady = mailbox_.out_of_reset_steady();
    const uint32_t reasons =
        mailbox_.sample(now,
                        ControlOutputs{top_->busy != 0, top_->dcr_rsp_valid != 0, top_->dcr_rsp_data, device_.quiet(),
                                       device_.busy()},
                        active);
    if (reasons != 0) raise(reasons);
    if (!was_steady && mailbox_.out_of_reset_steady()) Verilated::assertOn(true);

    const ControlInputs& control = mailbox_.drive(now + 1);
    drive_control(control);
    if (control.reset || !control.select) drive_memory(control.reset);
    // The device sleeps while it is not selected: it is part of every model and must cost nothing there.
    awake_ = kHasDevice && (control.select || !mailbox_.out_of_reset_steady() || top_->device_core_reset);
    if (awake_) {
        if (control.reset) device_.reset();
        device_.drive(*top_, now + 1);
    }
    in_reset_ = control.reset;
    selected_ = control.select;
    if (control.start) {
        hang_reported_ = false;
        if (forces_.any()) forces_.started(status_.launch, now + 1);
    }

    context->time(edge);
    top_->clk = 1;
    top_->device_clk = awake_;
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
