// Joins what vx_probe.sv reports into records: an instruction's decode, issue, control and commit events meet here.
#pragma once
#include <cstdint>
#include <vector>

#include "abi.h"  // generated
#include "ring.h"

namespace vx {

class Probe {
  public:
    Probe(Rings& rings, Status& status);

    void reset();  // uid counts from 0 again
    void attach(uint32_t core);
    bool failed() const { return failed_; }

    void decode(uint32_t core, uint32_t warp);
    void issue(uint32_t core, uint32_t warp, uint32_t uid, uint64_t pc, uint32_t instr, uint64_t tmask, uint32_t slot);
    void control(uint32_t core, uint32_t warp, uint32_t uid, uint64_t next_pc, uint64_t next_mask);
    void commit(uint32_t core, uint32_t warp, uint32_t uid, bool first, bool last, bool write, uint32_t rd, uint64_t wmask,
                const uint32_t* data, uint32_t fflags);
    void memory(uint32_t core, uint32_t warp, uint32_t uid, uint32_t op, uint32_t space, uint32_t size, uint64_t mask,
                const uint32_t* addr, const uint32_t* data);
    void barrier(uint32_t core, uint32_t warp, uint32_t uid, uint32_t op, uint32_t id, uint32_t count, uint32_t phase,
                 uint64_t released);
    void ipdom(uint32_t core, uint32_t warp, uint32_t uid, uint32_t op, uint32_t sp, uint64_t mask, uint64_t pc);
    void fault(uint32_t core, uint32_t warp, uint32_t uid, uint32_t kind, uint64_t pc, uint64_t addr, uint64_t tmask);
    void cta_accept(uint32_t core, uint32_t x, uint32_t y, uint32_t z, uint32_t slot, uint64_t lmem, uint32_t first,
                    uint32_t num_warps);
    void warp_start(uint32_t core, uint32_t warp, uint64_t pc, uint64_t tmask, uint32_t slot, uint32_t rank);
    void warp_spawn(uint32_t core, uint32_t warp, uint64_t pc);
    void warp_end(uint32_t core, uint32_t warp, uint32_t slot);
    void cta_retire(uint32_t core, uint32_t slot);

  private:
    // Instructions of one warp from the oldest without a commit to the newest. A load that memory answers late is passed
    // by any number of younger ones: what is older than this when its place is needed moves to `displaced_`.
    static constexpr uint32_t kInFlight = 64;
    static constexpr uint32_t kDisplaced = 256;  // of all warps; more is a design that loses instructions
    static constexpr uint32_t kDecoded = 32;   // instructions of one warp between decode and issue
    static_assert(kLanes <= 32, "masks of instructions in flight have 32 bits");

    // Small, because these tables are touched for each instruction and share the first-level cache with the model.
    struct InFlight {
        uint64_t pc, next_pc, decode_cycle, issue_cycle;
        uint32_t uid, instr, tmask, next_mask;
        uint16_t slot;
        bool valid = false, control, first_seen, faulted;
    };
    struct Warp {
        InFlight instructions[kInFlight];
        uint64_t decoded[kDecoded] = {};
        uint32_t decode_head = 0, decode_tail = 0;
        uint64_t issued = 0;  // uid of the next instruction
    };
    struct Displaced {
        const Warp* warp;
        InFlight entry;
    };

    Warp& warp(uint32_t core, uint32_t warp);
    InFlight* look_up(uint32_t core, uint32_t warp, uint32_t uid);
    InFlight* find(uint32_t core, uint32_t warp, uint32_t uid, const char* what);
    void displace(uint32_t core, uint32_t warp, const InFlight& entry);
    void retire(InFlight* entry);
    void complain(uint32_t core, uint32_t warp, uint32_t uid, const char* what);
    static uint64_t widen(const Warp& warp, uint32_t uid);
    template <class T>
    T* begin(uint32_t core, uint32_t warp, uint64_t uid);
    void checksum(const CommitRecord& record);

    Rings& rings_;
    Status& status_;
    std::vector<Warp> warps_;     // [core][warp]
    std::vector<bool> attached_;  // [core]
    std::vector<Displaced> displaced_;
    bool failed_ = false;
};

}  // namespace vx
