// A model of vx_pcie_gpu with everything at its ports: device memory, host memory, the shell that takes messages; one clock.
#pragma once
#include <string>

#include "Vtop.h"
#include "memory.h"
#include "verilated.h"

#ifndef VX_BANKS
#define VX_BANKS 1
#endif
constexpr int kBanks = VX_BANKS;
constexpr uint64_t kVramSelect = 1ull << 32;  // AXI_ADDR_WIDTH of the model is 32
constexpr uint32_t kAccess = 128;             // bit of device_event: an access to BAR0 or BAR4 takes effect

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
