// Drives the model of vx_pcie_gpu for Python (ctypes): one call is one access of a host, clocked until it is complete.
// Memory, host memory and the choices that a follower adopts are here, so that Python does nothing per cycle.
//
//   vx_new ▸ vx_ctl_read / vx_ctl_write / vx_vram_read / vx_vram_write / vx_run ▸ vx_settle ▸ vx_delete
#include "device.h"

namespace {

constexpr int kLimit = 200000;    // cycles after which an access counts as hung
constexpr uint64_t kSettle = 24;  // cycles after which whatever a choice causes is on the pins

}  // namespace

extern "C" {

// `fault` is the value of +fault, for models with seeded faults.
Device* vx_new(uint64_t seed, const char* fault) { return new Device(seed, fault); }
void vx_delete(Device* d) { delete d; }
uint64_t vx_cycle(Device* d) { return d->cycle; }
uint64_t vx_device_cycles(Device* d) { return d->top.device_cycles; }
// Bit 0 launch, bit 1 DMA, bit 2 events that nobody has taken.
int vx_busy(Device* d) { return d->top.launch_busy | d->top.dma_busy << 1 | !d->events.empty() << 2; }
// A transfer to the host has read its piece and waits to write it.
int vx_piece_is_read(Device* d) { return d->top.m_host_awvalid; }
void vx_set_function(Device* d, int enabled, int masked) {
    d->top.msix_enable = enabled;
    d->top.msix_function_mask = masked;
    for (int i = 0; i < 24; ++i) d->step();
}
void vx_set_latency(Device* d, int cycles) { d->max_latency = cycles; }
void vx_host_open(Device* d, int open) { d->host_open = open; }
void vx_host_budget(Device* d, uint64_t requests) { d->host_budget = requests; }
void vx_host_fails(Device* d, uint64_t first, uint64_t end) { d->host_fails.push_back({first, end}); }
void vx_memory_fails(Device* d, uint64_t first, uint64_t end) { d->memory_fails.push_back({first | kVramSelect, end | kVramSelect}); }
void vx_sink_ready(Device* d, int ready) {
    d->sink_ready = ready;
    for (int i = 0; i < 24; ++i) d->step();
}
// The vector of the message that waits for the shell, -1 if there is none.
int vx_shown_vector(Device* d) { return d->top.msix_valid ? int(d->top.msix_vector) : -1; }
uint32_t vx_response(Device* d) { return d->response; }
void vx_host_read(Device* d, uint64_t addr, uint8_t* to, uint64_t size) { d->host.read(addr, to, size); }
void vx_host_write(Device* d, uint64_t addr, const uint8_t* from, uint64_t size) {
    d->host.write(addr, from, size);
}
// Device memory past the device: VRAM by its offset, private memory by the core's address.
void vx_peek(Device* d, int vram, uint64_t addr, uint8_t* to, uint64_t size) {
    d->memory.read(addr | (vram ? kVramSelect : 0), to, size);
}
void vx_run(Device* d, int cycles) {
    for (int i = 0; i < cycles; ++i) d->step();
}
// Run until a bit of `mask` (1 launch, 2 DMA) is not busy any more, at most `cycles`.
int vx_run_until_idle(Device* d, int mask, int cycles) {
    for (int i = 0; i < cycles && (vx_busy(d) & mask); ++i) d->step();
    return vx_busy(d) & mask;
}

// Run until a transfer whose host is closed has come to rest, at most `cycles`; 0 if it has.
int vx_run_until_still(Device* d, int cycles) {
    for (int i = 0; i < cycles; ++i) {
        if (!d->top.dma_busy || d->transfer_waits()) return 0;
        d->step();
    }
    return 1;
}

int vx_ctl_write(Device* d, uint32_t addr, uint32_t value, uint32_t strobe) {
    Vtop& t = d->top;
    t.s_ctl_awaddr = addr;
    t.s_ctl_wdata = value;
    t.s_ctl_wstrb = strobe;
    t.s_ctl_awvalid = t.s_ctl_wvalid = 1;
    d->access_cycle = ~0ull;
    int left = kLimit;
    while (!d->step_taken(t.s_ctl_awvalid, t.s_ctl_awready) && --left) {}
    t.s_ctl_awvalid = t.s_ctl_wvalid = 0;
    while (left > 0 && !d->step_taken(t.s_ctl_bvalid, t.s_ctl_bready)) --left;
    return left <= 0 ? -1 : t.s_ctl_bresp ? -3 : 0;
}
int vx_ctl_read(Device* d, uint32_t addr, uint32_t size, uint32_t* value) {
    Vtop& t = d->top;
    t.s_ctl_araddr = addr;
    t.s_ctl_arsize = size;
    t.s_ctl_arvalid = 1;
    d->access_cycle = ~0ull;
    int left = kLimit;
    while (!d->step_taken(t.s_ctl_arvalid, t.s_ctl_arready) && --left) {}
    t.s_ctl_arvalid = 0;
    while (left > 0) {
        *value = t.s_ctl_rdata;
        if (d->step_taken(t.s_ctl_rvalid, t.s_ctl_rready)) break;
        --left;
    }
    return left <= 0 ? -1 : t.s_ctl_rresp ? -3 : 0;
}
// One burst of beats of 2^log2 bytes.
int vx_vram_write(Device* d, uint32_t addr, const uint8_t* data, uint32_t size, uint32_t log2) {
    Vtop& t = d->top;
    const uint32_t beat = 1u << log2, beats = (addr % beat + size + beat - 1) / beat;
    t.s_vram_awaddr = addr;
    t.s_vram_awid = d->random();
    t.s_vram_awlen = beats - 1;
    t.s_vram_awsize = log2;
    t.s_vram_awburst = 1;
    t.s_vram_awvalid = 1;
    int left = kLimit;
    while (!d->step_taken(t.s_vram_awvalid, t.s_vram_awready) && --left) {}
    t.s_vram_awvalid = 0;
    uint64_t at = addr, end = uint64_t(addr) + size;
    for (uint32_t i = 0; i < beats && left > 0; ++i) {
        uint8_t bytes[64];
        for (auto& byte : bytes) byte = uint8_t(d->random());
        const uint64_t stop = std::min<uint64_t>(end, at / beat * beat + beat);
        uint64_t strobes = 0;
        for (uint64_t a = at; a < stop; ++a) {
            bytes[a % 64] = data[a - addr];
            strobes |= 1ull << a % 64;
        }
        std::memcpy(&t.s_vram_wdata[0], bytes, 64);
        t.s_vram_wstrb = strobes;
        t.s_vram_wlast = i == beats - 1;
        t.s_vram_wvalid = 1;
        while (!d->step_taken(t.s_vram_wvalid, t.s_vram_wready) && --left) {}
        t.s_vram_wvalid = 0;
        at = stop;
    }
    while (left > 0) {
        d->response = t.s_vram_bresp;
        if (d->step_taken(t.s_vram_bvalid, t.s_vram_bready)) break;
        --left;
    }
    for (int i = 0; i < 4; ++i) d->step();
    return left > 0 ? 0 : -1;
}
int vx_vram_read(Device* d, uint32_t addr, uint8_t* data, uint32_t size, uint32_t log2) {
    Vtop& t = d->top;
    const uint32_t beat = 1u << log2, beats = (addr % beat + size + beat - 1) / beat;
    t.s_vram_araddr = addr;
    t.s_vram_arid = d->random();
    t.s_vram_arlen = beats - 1;
    t.s_vram_arsize = log2;
    t.s_vram_arburst = 1;
    t.s_vram_arvalid = 1;
    int left = kLimit;
    while (!d->step_taken(t.s_vram_arvalid, t.s_vram_arready) && --left) {}
    t.s_vram_arvalid = 0;
    uint64_t at = addr, end = uint64_t(addr) + size;
    d->response = 0;
    for (uint32_t i = 0; i < beats && left > 0;) {
        uint8_t bytes[64];
        std::memcpy(bytes, &t.s_vram_rdata[0], 64);
        const bool last = t.s_vram_rlast;
        const uint32_t response = t.s_vram_rresp;
        if (!d->step_taken(t.s_vram_rvalid, t.s_vram_rready)) {
            --left;
            continue;
        }
        if (last != (i == beats - 1)) return -2;
        d->response |= response;
        const uint64_t stop = std::min<uint64_t>(end, at / beat * beat + beat);
        for (uint64_t a = at; a < stop; ++a) data[a - addr] = bytes[a % 64];
        at = stop;
        ++i;
    }
    for (int i = 0; i < 4; ++i) d->step();
    return left > 0 ? 0 : -1;
}

// Let everything settle that a choice of the device causes, then hand out choices and messages: their numbers, messages << 32.
uint64_t vx_settle(Device* d, Event* events, Message* messages, int most) {
    while (!d->events.empty() && d->events.back().cycle + kSettle > d->cycle) d->step();
    const uint64_t count = std::min<size_t>(most, d->events.size()), sent = std::min<size_t>(most, d->messages.size());
    std::copy_n(d->events.begin(), count, events);
    std::copy_n(d->messages.begin(), sent, messages);
    d->events.clear();
    d->messages.clear();
    return count | sent << 32;
}
// Cycle in which the last access to BAR0 or BAR4 took effect.
uint64_t vx_access_cycle(Device* d) { return d->access_cycle; }
}
