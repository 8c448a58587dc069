// Drives the model of vx_pcie_gpu for Python (ctypes): one call is one access of a host, clocked until it is complete.
// Memory, host memory and the choices that a follower adopts are here, so that Python does nothing per cycle.
//
//   vx_new ▸ vx_ctl_read / vx_ctl_write / vx_vram_read / vx_vram_write / vx_run ▸ vx_settle ▸ vx_delete
#include <algorithm>
#include <cstdint>
#include <cstring>
#include <deque>
#include <memory>
#include <string>
#include <random>
#include <unordered_map>
#include <vector>

#include "Vtop.h"
#include "verilated.h"

namespace {

#ifndef VX_BANKS
#define VX_BANKS 1
#endif
constexpr int kBanks = VX_BANKS;
constexpr uint64_t kPage = 4096;
constexpr uint64_t kVramSelect = 1ull << 32;  // AXI_ADDR_WIDTH of the model is 32
constexpr int kLimit = 200000;                // cycles after which an access counts as hung
constexpr uint64_t kSettle = 24;              // cycles after which whatever a choice causes is on the pins
constexpr uint32_t kAccess = 128;             // bit of device_event: an access to BAR0 or BAR4 takes effect
constexpr int kMost = 64;                     // answers among which the next one is chosen

// Sparse memory, zero at first.
class Memory {
  public:
    uint8_t* at(uint64_t addr) { return page(addr / kPage) + addr % kPage; }
    void read(uint64_t addr, uint8_t* to, uint64_t size) {
        while (size) {
            const uint64_t part = std::min(size, kPage - addr % kPage);
            std::memcpy(to, at(addr), part);
            addr += part, to += part, size -= part;
        }
    }
    void write(uint64_t addr, const uint8_t* from, uint64_t size) {
        while (size) {
            const uint64_t part = std::min(size, kPage - addr % kPage);
            std::memcpy(at(addr), from, part);
            addr += part, from += part, size -= part;
        }
    }
    // One block of 64 bytes; only bytes with a strobe change.
    void write_block(uint64_t addr, const uint8_t* from, uint64_t strobes) {
        uint8_t* to = at(addr & ~63ull);
        for (int i = 0; i < 64; ++i)
            if (strobes >> i & 1) to[i] = from[i];
    }

  private:
    uint8_t* page(uint64_t number) {
        if (number != last_) {
            auto& page = pages_[number];
            if (!page) page = std::make_unique<uint8_t[]>(kPage);
            last_ = number;
            bytes_ = page.get();
        }
        return bytes_;
    }
    std::unordered_map<uint64_t, std::unique_ptr<uint8_t[]>> pages_;
    uint64_t last_ = ~0ull;
    uint8_t* bytes_ = nullptr;
};

struct Block {
    uint8_t bytes[64];
};
struct Write {
    uint64_t addr, id, strobe;
    Block data;
    uint64_t due;
};
struct Read {
    uint64_t addr, id, due;
};
struct Address {
    uint64_t addr, id;
};
struct Data {
    uint64_t strobe;
    Block data;
};

// One AXI4 memory with single beats: random latency, responses of different ids in any order, those of one id in order; a
// write takes effect with its B, a read samples with its R.
struct Slave {
    std::deque<Address> aws;
    std::deque<Data> ws;
    std::vector<Write> writes;
    std::vector<Read> reads;
    int shown_read = -1, shown_write = -1;
    bool idle() const { return aws.empty() && ws.empty() && writes.empty() && reads.empty(); }

    template <class Entries>
    int pick(const Entries& entries, uint64_t cycle, std::mt19937_64& random) {
        int ripe[kMost], count = 0;
        for (size_t i = 0; i < entries.size() && count < kMost; ++i) {
            if (entries[i].due > cycle) continue;
            bool first = true;
            for (size_t j = 0; j < i && first; ++j) first = entries[j].id != entries[i].id;
            if (first) ripe[count++] = int(i);
        }
        return count ? ripe[random() % count] : -1;
    }
    void pair(uint64_t due) {
        while (!aws.empty() && !ws.empty()) {
            writes.push_back({aws.front().addr, aws.front().id, ws.front().strobe, ws.front().data, due});
            aws.pop_front();
            ws.pop_front();
        }
    }
};

struct Event {
    uint64_t cycle;
    uint32_t bits, pad;
};
struct Message {
    uint64_t cycle, addr;
    uint32_t vector, data;
};

struct Device {
    VerilatedContext context;
    Vtop top{&context};
    Memory memory, host;
    using Ranges = std::vector<std::pair<uint64_t, uint64_t>>;
    Ranges host_fails, memory_fails;
    Slave mem_slaves[kBanks], host_slave;
    std::mt19937_64 random;
    std::vector<Event> events;
    std::vector<Message> messages;
    uint64_t cycle = 0, access_cycle = 0;
    bool host_open = true;  // the host takes and answers DMA
    uint64_t host_budget = 0;  // requests that a closed host still takes
    bool sink_ready = true;    // the shell takes MSI-X messages
    int max_latency = 4;
    uint32_t response = 0;     // RRESP and BRESP of the last BAR2 burst
    uint64_t host_reads = 0, host_writes = 0;

    Device(uint64_t seed, const char* fault) : random(seed) {
        const std::string argument = std::string("+fault=") + fault;
        const char* arguments[] = {"vx_pcie_gpu", argument.c_str()};
        context.commandArgs(2, arguments);
        context.randReset(2);
        context.randSeed(int(seed % 2147483646 + 1));
        top.clk = 0;
        top.reset = 1;
        top.s_ctl_awvalid = top.s_ctl_wvalid = top.s_ctl_arvalid = 0;
        top.s_ctl_bready = top.s_ctl_rready = 1;
        top.s_vram_awvalid = top.s_vram_wvalid = top.s_vram_arvalid = 0;
        top.s_vram_bready = top.s_vram_rready = 1;
        top.msix_enable = 1;
        top.msix_function_mask = 0;
        for (int i = 0; i < 10; ++i) step();
        top.reset = 0;
        for (int i = 0; i < 4; ++i) step();
    }

    static bool hits(const Ranges& ranges, uint64_t first, uint64_t end) {
        for (auto& range : ranges)
            if (first < range.second && range.first < end) return true;
        return false;
    }
    bool host_error(uint64_t addr) const { return hits(host_fails, addr, addr + 1); }
    uint64_t due() { return cycle + 1 + random() % max_latency; }
    bool often() { return random() % 4 != 0; }

    void drive() {
        for (int bank = 0; bank < kBanks; ++bank) {
            top.m_mem_awready[bank] = often();
            top.m_mem_wready[bank] = often();
            top.m_mem_arready[bank] = often();
            Slave& m = mem_slaves[bank];
            if (m.shown_write < 0) m.shown_write = m.pick(m.writes, cycle, random);
            top.m_mem_bvalid[bank] = m.shown_write >= 0;
            if (m.shown_write >= 0) {
                top.m_mem_bid[bank] = m.writes[m.shown_write].id;
                top.m_mem_bresp[bank] = memory_error(m.writes[m.shown_write]) ? 2 : 0;
            }
            if (m.shown_read < 0) {
                m.shown_read = m.pick(m.reads, cycle, random);
                if (m.shown_read >= 0) memory.read(m.reads[m.shown_read].addr, (uint8_t*)&top.m_mem_rdata[bank][0], 64);
            }
            top.m_mem_rvalid[bank] = m.shown_read >= 0;
            top.m_mem_rlast[bank] = 1;
            if (m.shown_read >= 0) {
                top.m_mem_rid[bank] = m.reads[m.shown_read].id;
                const uint64_t addr = m.reads[m.shown_read].addr;
                top.m_mem_rresp[bank] = hits(memory_fails, addr, addr + 64) ? 2 : 0;
            }
        }
        const bool open = host_open || host_budget;
        Slave& h = host_slave;
        top.m_host_awready = open && often();
        top.m_host_wready = (open || h.aws.size() > h.ws.size()) && often();
        if (!open && h.ws.size() > h.aws.size()) top.m_host_awready = 1;
        top.m_host_arready = open && often();
        if (h.shown_write < 0) h.shown_write = h.pick(h.writes, cycle, random);
        top.m_host_bvalid = h.shown_write >= 0;
        if (h.shown_write >= 0) {
            top.m_host_bid = h.writes[h.shown_write].id;
            top.m_host_bresp = host_error(h.writes[h.shown_write]) ? 2 : 0;
        }
        if (h.shown_read < 0) {
            h.shown_read = h.pick(h.reads, cycle, random);
            if (h.shown_read >= 0) host.read(h.reads[h.shown_read].addr & ~63ull, (uint8_t*)&top.m_host_rdata[0], 64);
        }
        top.m_host_rvalid = h.shown_read >= 0;
        top.m_host_rlast = 1;
        if (h.shown_read >= 0) {
            top.m_host_rid = h.reads[h.shown_read].id;
            top.m_host_rresp = host_error(h.reads[h.shown_read].addr) ? 3 : 0;
        }
        top.msix_ready = sink_ready;
    }
    // Nothing of a failing write is written.
    static bool fails(const Ranges& ranges, const Write& write) {
        if (!hits(ranges, write.addr & ~63ull, (write.addr & ~63ull) + 64)) return false;
        for (int i = 0; i < 64; ++i)
            if (write.strobe >> i & 1 && hits(ranges, (write.addr & ~63ull) + i, (write.addr & ~63ull) + i + 1)) return true;
        return false;
    }
    bool host_error(const Write& write) const { return fails(host_fails, write); }
    bool memory_error(const Write& write) const { return fails(memory_fails, write); }

    void sample() {
        for (int bank = 0; bank < kBanks; ++bank) {
            Slave& m = mem_slaves[bank];
            if (top.m_mem_bvalid[bank] && top.m_mem_bready[bank]) {
                Write& write = m.writes[m.shown_write];
                if (!memory_error(write)) memory.write_block(write.addr, write.data.bytes, write.strobe);
                m.writes.erase(m.writes.begin() + m.shown_write);
                m.shown_write = -1;
            }
            if (top.m_mem_rvalid[bank] && top.m_mem_rready[bank]) {
                m.reads.erase(m.reads.begin() + m.shown_read);
                m.shown_read = -1;
            }
            if (top.m_mem_awvalid[bank] && top.m_mem_awready[bank]) m.aws.push_back({top.m_mem_awaddr[bank], top.m_mem_awid[bank]});
            if (top.m_mem_wvalid[bank] && top.m_mem_wready[bank]) {
                Data data{top.m_mem_wstrb[bank], {}};
                std::memcpy(data.data.bytes, &top.m_mem_wdata[bank][0], 64);
                m.ws.push_back(data);
            }
            m.pair(due());
            if (top.m_mem_arvalid[bank] && top.m_mem_arready[bank])
                m.reads.push_back({top.m_mem_araddr[bank], top.m_mem_arid[bank], due()});
        }

        Slave& h = host_slave;
        if (top.m_host_bvalid && top.m_host_bready) {
            Write& write = h.writes[h.shown_write];
            if (!host_error(write)) host.write_block(write.addr, write.data.bytes, write.strobe);
            h.writes.erase(h.writes.begin() + h.shown_write);
            h.shown_write = -1;
        }
        if (top.m_host_rvalid && top.m_host_rready) {
            h.reads.erase(h.reads.begin() + h.shown_read);
            h.shown_read = -1;
        }
        const bool aw = top.m_host_awvalid && top.m_host_awready;
        if (aw) {
            h.aws.push_back({top.m_host_awaddr, top.m_host_awid});
            ++host_writes;
        }
        if (top.m_host_wvalid && top.m_host_wready) {
            Data data{top.m_host_wstrb, {}};
            std::memcpy(data.data.bytes, &top.m_host_wdata[0], 64);
            h.ws.push_back(data);
        }
        h.pair(due());
        const bool ar = top.m_host_arvalid && top.m_host_arready;
        if (ar) {
            h.reads.push_back({top.m_host_araddr, top.m_host_arid, due()});
            ++host_reads;
        }
        if (host_budget && (aw || ar)) --host_budget;
        if (top.device_event & kAccess) access_cycle = cycle;
        if (top.device_event & ~kAccess) events.push_back({cycle, top.device_event & ~kAccess, 0});
        if (top.msix_valid && top.msix_ready) messages.push_back({cycle, top.msix_addr, top.msix_vector, top.msix_data});
    }

    // One cycle; the inputs of the next one are driven together with the falling edge.
    void step() { step_taken(top.reset, top.reset); }
    // The handshake of one channel: true in the cycle in which it happened.
    bool step_taken(const CData& valid, const CData& ready) {
        drive();
        top.clk = 0;
        top.eval();
        const bool taken = valid && ready;
        if (!top.reset) sample();
        top.clk = 1;
        top.eval();
        ++cycle;
        return taken;
    }
    // A closed host holds the transfer up: the engine waits for it, and nothing is in flight.
    bool transfer_waits() const {
        return host_slave.idle() && (top.m_host_arvalid || (top.m_host_awvalid && top.m_host_wvalid));
    }
};

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
