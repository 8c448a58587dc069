// One memory port of the model: what stands on its outputs, and its inputs of the next cycle.
#pragma once
#include <cstdint>
#include <cstring>

#include "Vtop.h"
#include "responder.h"
#include "shape.h"  // generated

namespace vx {

// Where a byte of a port's address space lies in the memory file: VRAM is behind the memory of the cores.
inline uint64_t file_address(uint64_t addr) {
    constexpr uint64_t kVram = 1ull << kAddressWidth;
    if ((addr & kVram) != 0) return kMemorySize + (addr & (kVram - 1));
    return addr < kMemorySize ? addr : addr + kVramSize;  // outside stays outside
}

inline AxiRequests requests_of(Vtop& top, uint32_t port) {
    AxiRequests in;
    in.awvalid = top.m_axi_awvalid[port];
    in.wvalid = top.m_axi_wvalid[port];
    in.arvalid = top.m_axi_arvalid[port];
    in.bready = top.m_axi_bready[port];
    in.rready = top.m_axi_rready[port];
    if (in.awvalid) {
        in.awaddr = file_address(top.m_axi_awaddr[port]);
        in.awid = top.m_axi_awid[port];
        in.awlen = top.m_axi_awlen[port];
        in.awsize = top.m_axi_awsize[port];
        in.awburst = top.m_axi_awburst[port];
    }
    if (in.wvalid) {
        in.wstrb = top.m_axi_wstrb[port];
        in.wlast = top.m_axi_wlast[port];
        in.wdata = &top.m_axi_wdata[port][0];
    }
    if (in.arvalid) {
        in.araddr = file_address(top.m_axi_araddr[port]);
        in.arid = top.m_axi_arid[port];
        in.arlen = top.m_axi_arlen[port];
        in.arsize = top.m_axi_arsize[port];
        in.arburst = top.m_axi_arburst[port];
    }
    return in;
}

inline void drive_port(Vtop& top, uint32_t port, const AxiResponses& out) {
    top.m_axi_awready[port] = out.awready;
    top.m_axi_wready[port] = out.wready;
    top.m_axi_arready[port] = out.arready;
    top.m_axi_bvalid[port] = out.bvalid;
    top.m_axi_rvalid[port] = out.rvalid;
    if (out.bvalid) {
        top.m_axi_bid[port] = out.bid;
        top.m_axi_bresp[port] = out.bresp;
    }
    if (out.new_read) {
        top.m_axi_rid[port] = out.rid;
        top.m_axi_rresp[port] = out.rresp;
        top.m_axi_rlast[port] = 1;
        std::memcpy(&top.m_axi_rdata[port][0], out.rdata, kBeatBytes);
    }
}

}  // namespace vx
