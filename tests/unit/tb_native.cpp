// The responder and the ring writer without a simulator, for tests from Python through ctypes.
#include <cstring>
#include <memory>
#include <string>

#include "probe.h"
#include "responder.h"
#include "ring.h"

namespace {

struct World {
    World(const std::string& dir, uint64_t memory_size, uint32_t capacity)
        : rings(dir + "/ring.bin", capacity), memory(dir + "/memory.bin", memory_size),
          responder(0, memory, rings, injection, status), probe(rings, status) {}
    vx::Status status{};
    vx::Injection injection;
    vx::Rings rings;
    vx::MemoryFile memory;
    vx::Responder responder;
    vx::Probe probe;
    uint64_t cycle = 0;
};

}  // namespace

struct Requests {
    uint64_t awaddr, awid, araddr, arid, wstrb;
    uint8_t awvalid, wvalid, arvalid, bready, rready, pad[3];
    uint8_t wdata[64];
};

struct Responses {
    uint64_t bid, rid, outstanding_writes;
    uint8_t awready, wready, arready, bvalid, rvalid, bresp, rresp, pad;
    uint8_t rdata[64];
};

extern "C" {

void* tb_open(const char* dir, uint64_t memory_size, uint32_t capacity) { return new World(dir, memory_size, capacity); }
void tb_close(void* world) { delete static_cast<World*>(world); }
void tb_policy(void* world, const void* policy) {
    vx::CPolicy value;
    std::memcpy(&value, policy, sizeof value);
    static_cast<World*>(world)->responder.set_policy(value);
}
uint64_t tb_policy_size() { return sizeof(vx::CPolicy); }
void tb_inject(void* world, uint32_t kind, uint64_t nth, uint64_t arg) {
    static_cast<World*>(world)->injection = vx::Injection{kind, nth, arg};
}
void tb_reset(void* world) { static_cast<World*>(world)->responder.reset(); }
const char* tb_violation(void* world) { return static_cast<World*>(world)->responder.take_violation(); }
uint64_t tb_injected(void* world) { return static_cast<World*>(world)->status.injected; }
// The probe's events of core 0.
void tb_issue(void* world, uint32_t warp, uint32_t uid, uint64_t pc) {
    static_cast<World*>(world)->probe.issue(0, warp, uid, pc, 0x13, 1, 0);
}
void tb_commit(void* world, uint32_t warp, uint32_t uid) {
    const uint32_t data[32] = {};
    static_cast<World*>(world)->probe.commit(0, warp, uid, true, true, false, 0, 0, data, 0);
}
void tb_fault(void* world, uint32_t warp, uint32_t uid) { static_cast<World*>(world)->probe.fault(0, warp, uid, 1, 0, 0, 1); }
uint64_t tb_probe_errors(void* world) { return static_cast<World*>(world)->status.probe_errors; }
void tb_record_mask(void* world, uint32_t mask) { static_cast<World*>(world)->rings.set_mask(mask); }

// One cycle: what the responder drives is returned, then the handshakes with `in` happen.
void tb_cycle(void* opaque, const Requests* in, Responses* out) {
    World& world = *static_cast<World*>(opaque);
    world.responder.drive(world.cycle);
    const vx::AxiResponses& driven = world.responder.responses();
    *out = Responses{};
    out->awready = driven.awready;
    out->wready = driven.wready;
    out->arready = driven.arready;
    out->bvalid = driven.bvalid;
    out->bid = driven.bid;
    out->bresp = driven.bresp;
    out->rvalid = driven.rvalid;
    out->rid = driven.rid;
    out->rresp = driven.rresp;
    std::memcpy(out->rdata, driven.rdata, sizeof out->rdata);
    vx::AxiRequests requests{};
    requests.awvalid = in->awvalid;
    requests.wvalid = in->wvalid;
    requests.arvalid = in->arvalid;
    requests.bready = in->bready;
    requests.rready = in->rready;
    requests.awaddr = in->awaddr;
    requests.awid = in->awid;
    requests.awsize = requests.arsize = 6;
    requests.awburst = requests.arburst = 1;
    requests.araddr = in->araddr;
    requests.arid = in->arid;
    requests.wstrb = in->wstrb;
    requests.wlast = true;
    requests.wdata = in->wdata;
    world.responder.sample(world.cycle, requests);
    out->outstanding_writes = world.responder.outstanding_writes();
    ++world.cycle;
}

// `count` commit records: uid counts up from `first`, data of lane l is uid + l.
void tb_commits(void* opaque, uint64_t first, uint64_t count) {
    World& world = *static_cast<World*>(opaque);
    for (uint64_t uid = first; uid < first + count; ++uid) {
        vx::CommitRecord* record = world.rings.begin<vx::CommitRecord>(world.cycle);
        record->uid = uid;
        record->pc = 0x80000000 + 4 * uid;
        record->flags = vx::CommitFlag::FIRST | vx::CommitFlag::LAST;
        for (uint32_t lane = 0; lane < vx::kLanes; ++lane) record->data[lane] = uid + lane;
        world.rings.commit(record);
    }
}

void tb_run_record(void* opaque, uint32_t event, uint64_t data) {
    World& world = *static_cast<World*>(opaque);
    vx::RunRecord* record = world.rings.begin<vx::RunRecord>(world.cycle);
    record->event = static_cast<uint16_t>(event);
    record->data = data;
    world.rings.commit(record);
}

int tb_wants_drain(void* opaque) {
    World& world = *static_cast<World*>(opaque);
    const bool wants = world.rings.wants_drain();
    world.rings.drain_requested();
    return wants;
}

}  // extern "C"
