#include "probe.h"

#include <cstdio>
#include <cstring>

#include "shape.h"  // generated: kXlen, kNumCores, kNumWarps

namespace vx {

namespace {
// Lane `lane` of a packed array of words as DPI hands it over (32-bit pieces, lane 0 lowest).
uint64_t lane_of(const uint32_t* packed, uint32_t lane) {
    if constexpr (kXlen == 32) {
        return packed[lane];
    } else {
        return packed[2 * lane] | uint64_t(packed[2 * lane + 1]) << 32;
    }
}
}  // namespace

Probe::Probe(Rings& rings, Status& status)
    : rings_(rings), status_(status), warps_(kNumCores * kNumWarps), attached_(kNumCores, false) {}

void Probe::reset() {
    for (Warp& warp : warps_) warp = Warp{};
    displaced_.clear();
    status_.commit_checksum = 0;
    failed_ = false;
}

void Probe::attach(uint32_t core) {
    if (core >= kNumCores || attached_[core]) {
        complain(core, 0, 0, "a probe is bound with a CORE_ID that is taken or that no core has");
        return;
    }
    attached_[core] = true;
    ++status_.probes;
}

Probe::Warp& Probe::warp(uint32_t core, uint32_t warp) { return warps_[(core % kNumCores) * kNumWarps + warp % kNumWarps]; }

void Probe::complain(uint32_t core, uint32_t warp, uint32_t uid, const char* what) {
    if (status_.probe_errors++ < 20) {
        std::fprintf(stderr, "probe: cycle %llu core %u warp %u uid %u: %s\n",
                     static_cast<unsigned long long>(status_.cycle), core, warp, uid, what);
    }
    failed_ = true;
}

// The trace counts in 32 bits, records in 64.
uint64_t Probe::widen(const Warp& warp, uint32_t uid) {
    return warp.issued - static_cast<uint32_t>(static_cast<uint32_t>(warp.issued) - uid);
}

Probe::InFlight* Probe::look_up(uint32_t core, uint32_t wid, uint32_t uid) {
    Warp& state = warp(core, wid);
    InFlight& entry = state.instructions[uid % kInFlight];
    if (entry.valid && entry.uid == uid) return &entry;
    for (Displaced& old : displaced_) {
        if (old.warp == &state && old.entry.uid == uid) return &old.entry;
    }
    return nullptr;
}

Probe::InFlight* Probe::find(uint32_t core, uint32_t wid, uint32_t uid, const char* what) {
    InFlight* entry = look_up(core, wid, uid);
    if (entry == nullptr) complain(core, wid, uid, what);
    return entry;
}

void Probe::displace(uint32_t core, uint32_t wid, const InFlight& entry) {
    // What faulted may never commit; so long after its turn nothing waits for it.
    std::erase_if(displaced_, [](const Displaced& old) { return old.entry.faulted; });
    if (displaced_.size() >= kDisplaced) {
        complain(core, wid, entry.uid, "issued long ago and never committed, as hundreds before it: the design loses instructions");
        return;
    }
    displaced_.push_back(Displaced{&warp(core, wid), entry});
}

void Probe::retire(InFlight* entry) {
    entry->valid = false;
    if (displaced_.empty()) return;
    std::erase_if(displaced_, [](const Displaced& old) { return !old.entry.valid; });
}

template <class T>
T* Probe::begin(uint32_t core, uint32_t warp, uint64_t uid) {
    T* record = rings_.begin<T>(status_.cycle);
    record->uid = uid;
    record->core = static_cast<uint16_t>(core);
    record->warp = static_cast<uint16_t>(warp);
    record->launch = static_cast<uint32_t>(status_.launch);
    return record;
}

void Probe::decode(uint32_t core, uint32_t wid) {
    Warp& state = warp(core, wid);
    state.decoded[state.decode_head++ % kDecoded] = status_.cycle;
}

void Probe::issue(uint32_t core, uint32_t wid, uint32_t uid, uint64_t pc, uint32_t instr, uint64_t tmask, uint32_t slot) {
    Warp& state = warp(core, wid);
    if (uid != static_cast<uint32_t>(state.issued)) complain(core, wid, uid, "issued out of turn: uid does not count up by one");
    InFlight& entry = state.instructions[uid % kInFlight];
    if (entry.valid && !entry.faulted) displace(core, wid, entry);
    entry.uid = uid;
    entry.pc = pc;
    entry.instr = instr;
    entry.tmask = static_cast<uint32_t>(tmask);
    entry.slot = static_cast<uint16_t>(slot);
    entry.control = entry.first_seen = entry.faulted = false;
    ++state.issued;
    entry.issue_cycle = status_.cycle;
    // Without a decode event the stamp is that of the issue.
    entry.decode_cycle = state.decode_tail < state.decode_head ? state.decoded[state.decode_tail++ % kDecoded] : status_.cycle;
    entry.valid = true;
}

void Probe::control(uint32_t core, uint32_t wid, uint32_t uid, uint64_t next_pc, uint64_t next_mask) {
    InFlight* entry = find(core, wid, uid, "control event of an instruction that is not in flight");
    if (entry == nullptr) return;
    entry->control = true;
    entry->next_pc = next_pc;
    entry->next_mask = static_cast<uint32_t>(next_mask);
}

// Over the whole record but `seq`; what is not defined is zero in it. Sums of products don't wait for each other, only
// the last lines are a chain from record to record.
inline void Probe::checksum(const CommitRecord& record) {
    static_assert(sizeof(CommitRecord) % 8 == 0, "whole words");
    constexpr uint32_t kWords = sizeof(CommitRecord) / 8;
    uint64_t words[kWords];
    std::memcpy(words, &record, sizeof words);
    uint64_t sum = 0;
    uint64_t factor = 0x9e3779b97f4a7c15ull;
    for (uint32_t i = 1; i < kWords; ++i, factor += 0x589965cc75374cc2ull) sum += words[i] * factor;
    const uint64_t hash = (status_.commit_checksum ^ sum) * 0x9fb21c651e98df25ull;
    status_.commit_checksum = hash ^ (hash >> 29);
}

void Probe::commit(uint32_t core, uint32_t wid, uint32_t uid, bool first, bool last, bool write, uint32_t rd, uint64_t wmask,
                   const uint32_t* data, uint32_t fflags) {
    status_.last_commit_cycle = status_.cycle;
    InFlight* entry = find(core, wid, uid, "commit of an instruction that is not in flight");
    if (entry == nullptr) return;
    if (first == entry->first_seen) complain(core, wid, uid, first ? "second packet with `first`" : "first packet without `first`");
    entry->first_seen = true;
    ++status_.commits;
    if (last) ++status_.instructions;
    if (!rings_.enabled(Kind::COMMIT)) {
        if (last) retire(entry);
        return;
    }
    // Built here and copied in one go: stores into the ring could alias everything that is still to be read.
    CommitRecord record;
    record.seq = rings_.next_seq();
    record.cycle = status_.cycle;
    record.uid = widen(warp(core, wid), uid);
    record.core = static_cast<uint16_t>(core);
    record.warp = static_cast<uint16_t>(wid);
    record.launch = static_cast<uint32_t>(status_.launch);
    record.decode_cycle = entry->decode_cycle;
    record.issue_cycle = entry->issue_cycle;
    record.pc = entry->pc;
    record.instr = entry->instr;
    record.tmask = entry->tmask;
    record.slot = entry->slot;
    const bool control = last && entry->control;
    record.flags = static_cast<uint16_t>(first * CommitFlag::FIRST | last * CommitFlag::LAST | control * CommitFlag::CONTROL);
    record.next_pc = control ? entry->next_pc : 0;
    record.next_mask = control ? entry->next_mask : 0;
    if (last) retire(entry);  // nothing of it is read from here on
    record.rd = static_cast<uint8_t>(write * (rd & 31));
    record.rd_file = static_cast<uint8_t>(write * (rd & 32 ? RegisterFile::FLOAT : RegisterFile::INTEGER));
    record.wmask = write ? wmask : 0;
    for (uint32_t lane = 0; lane < kLanes; ++lane) record.data[lane] = lane_of(data, lane) & -(record.wmask >> lane & 1);
    record.fflags = static_cast<uint8_t>(fflags);
    std::memset(record.pad, 0, sizeof record.pad);
    checksum(record);
    rings_.append(record);
}

void Probe::memory(uint32_t core, uint32_t wid, uint32_t uid, uint32_t op, uint32_t space, uint32_t size, uint64_t mask,
                   const uint32_t* addr, const uint32_t* data) {
    if (find(core, wid, uid, "memory event of an instruction that is not in flight") == nullptr) return;
    if (!rings_.enabled(Kind::MEMORY)) return;
    MemoryRecord* record = begin<MemoryRecord>(core, wid, widen(warp(core, wid), uid));
    record->mask = mask;
    record->op = static_cast<uint8_t>(op);
    record->size = static_cast<uint8_t>(size);
    record->space = static_cast<uint8_t>(space);
    const bool stores = op == MemoryOp::STORE || op == MemoryOp::ATOMIC;
    const uint64_t keep = size >= 8 ? ~0ull : (1ull << 8 * size) - 1;
    for (uint32_t lane = 0; lane < kLanes; ++lane) {
        if (!(mask >> lane & 1)) continue;
        record->addr[lane] = lane_of(addr, lane);
        if (stores) record->data[lane] = lane_of(data, lane) & keep;
    }
    rings_.commit(record);
}

void Probe::barrier(uint32_t core, uint32_t wid, uint32_t uid, uint32_t op, uint32_t id, uint32_t count, uint32_t phase,
                    uint64_t released) {
    if (!rings_.enabled(Kind::BARRIER)) return;
    BarrierRecord* record = begin<BarrierRecord>(core, wid, widen(warp(core, wid), uid));
    record->released = released;
    record->id = id;
    record->count = count;
    record->op = static_cast<uint8_t>(op);
    record->phase = static_cast<uint8_t>(phase);
    rings_.commit(record);
}

void Probe::ipdom(uint32_t core, uint32_t wid, uint32_t uid, uint32_t op, uint32_t sp, uint64_t mask, uint64_t pc) {
    if (!rings_.enabled(Kind::IPDOM)) return;
    IpdomRecord* record = begin<IpdomRecord>(core, wid, widen(warp(core, wid), uid));
    record->mask = mask;
    record->pc = pc;
    record->sp = static_cast<uint16_t>(sp);
    record->op = static_cast<uint8_t>(op);
    rings_.commit(record);
}

void Probe::fault(uint32_t core, uint32_t wid, uint32_t uid, uint32_t kind, uint64_t pc, uint64_t addr, uint64_t tmask) {
    // An instruction that faults may or may not commit, so its entry may stay behind.
    InFlight* entry = look_up(core, wid, uid);
    if (entry != nullptr) entry->faulted = true;
    if (!rings_.enabled(Kind::FAULT)) return;
    FaultRecord* record = begin<FaultRecord>(core, wid, widen(warp(core, wid), uid));
    record->pc = pc;
    record->addr = addr;
    record->tmask = tmask;
    record->kind = static_cast<uint8_t>(kind);
    rings_.commit(record);
}

void Probe::cta_accept(uint32_t core, uint32_t x, uint32_t y, uint32_t z, uint32_t slot, uint64_t lmem, uint32_t first,
                       uint32_t num_warps) {
    if (!rings_.enabled(Kind::CTA)) return;
    CtaRecord* record = begin<CtaRecord>(core, 0, 0);
    record->lmem_addr = lmem;
    record->block_x = x;
    record->block_y = y;
    record->block_z = z;
    record->event = CtaEvent::ACCEPT;
    record->slot = static_cast<uint16_t>(slot);
    record->num_warps = static_cast<uint16_t>(num_warps);
    record->first_of_cluster = static_cast<uint8_t>(first);
    rings_.commit(record);
}

void Probe::warp_start(uint32_t core, uint32_t wid, uint64_t pc, uint64_t tmask, uint32_t slot, uint32_t rank) {
    if (!rings_.enabled(Kind::CTA)) return;
    CtaRecord* record = begin<CtaRecord>(core, wid, warp(core, wid).issued);
    record->pc = pc;
    record->tmask = tmask;
    record->event = CtaEvent::WARP_START;
    record->slot = static_cast<uint16_t>(slot);
    record->rank = static_cast<uint16_t>(rank);
    rings_.commit(record);
}

void Probe::warp_spawn(uint32_t core, uint32_t wid, uint64_t pc) {
    if (!rings_.enabled(Kind::CTA)) return;
    CtaRecord* record = begin<CtaRecord>(core, wid, warp(core, wid).issued);
    record->pc = pc;
    record->tmask = 1;  // lane 0
    record->event = CtaEvent::SPAWN;
    rings_.commit(record);
}

void Probe::warp_end(uint32_t core, uint32_t wid, uint32_t slot) {
    if (!rings_.enabled(Kind::CTA)) return;
    CtaRecord* record = begin<CtaRecord>(core, wid, warp(core, wid).issued);
    record->event = CtaEvent::WARP_END;
    record->slot = static_cast<uint16_t>(slot);
    rings_.commit(record);
}

void Probe::cta_retire(uint32_t core, uint32_t slot) {
    if (!rings_.enabled(Kind::CTA)) return;
    CtaRecord* record = begin<CtaRecord>(core, 0, 0);
    record->event = CtaEvent::RETIRE;
    record->slot = static_cast<uint16_t>(slot);
    rings_.commit(record);
}

}  // namespace vx
