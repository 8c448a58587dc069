#include "core_monitor.h"

namespace vx {

void CoreMonitor::reset() {
    reads_.clear();
    open_writes_.clear();
    writes_ = responses_ = 0;
}

// Address of the oldest request with this id; all ones for an answer that nobody asked for.
uint64_t CoreMonitor::take(Open& open, uint64_t id) {
    std::deque<uint64_t>& addresses = open[id];
    if (addresses.empty()) return ~0ull;
    const uint64_t addr = addresses.front();
    addresses.pop_front();
    return addr;
}

void CoreMonitor::sample(uint64_t cycle, const AxiRequests& out, const CoreSees& in) {
    if (out.awvalid && in.awready) {
        open_writes_[out.awid].push_back(out.awaddr);
        ++writes_;
        record_.address(cycle, AxiChannel::AW, out.awaddr, out.awid, out.awlen, out.awsize, out.awburst);
    }
    if (out.wvalid && in.wready) record_.write_data(cycle, out.wstrb, out.wlast, out.wdata);
    if (out.arvalid && in.arready) {
        reads_[out.arid].push_back(out.araddr);
        record_.address(cycle, AxiChannel::AR, out.araddr, out.arid, out.arlen, out.arsize, out.arburst);
    }
    if (in.bvalid && out.bready) {
        ++responses_;
        record_.write_response(cycle, take(open_writes_, in.bid), in.bid, in.bresp);
    }
    if (in.rvalid && out.rready) record_.read_data(cycle, take(reads_, in.rid), in.rid, in.rresp, in.rlast, in.rdata);
}

}  // namespace vx
