#include "responder.h"

#include <bit>
#include <cstring>
#include <utility>

namespace vx {

namespace {
constexpr uint8_t kOkay = 0;
constexpr uint8_t kDecodeError = 3;

template <class T>
void erase_at(std::vector<T>& items, int index) {
    items.erase(items.begin() + index);
}
}  // namespace

void Responder::set_policy(const CPolicy& policy) {
    policy_ = policy;
    const uint64_t seed = policy.seed;
    const uint64_t stream = uint64_t(stream_) * 16;
    latency_random_ = Random(seed, stream + 1);
    order_random_ = Random(seed, stream + 2);
    sample_random_ = Random(seed, stream + 3);
    aw_ = Ready{Random(seed, stream + 4)};
    w_ = Ready{Random(seed, stream + 5)};
    ar_ = Ready{Random(seed, stream + 6)};
    r_ = Ready{Random(seed, stream + 7)};
    b_ = Ready{Random(seed, stream + 8)};
}

void Responder::reset() {
    // What was accepted and not yet stored is lost, as in a memory controller that shares the reset.
    aws_.clear();
    ws_.clear();
    writes_.clear();
    late_.clear();
    reads_.clear();
    presented_read_ = presented_write_ = -1;
    out_ = AxiResponses{};
    held_ = Held{};
}

uint32_t Responder::draw(const CLatency& latency, Random& random) {
    if (random.percent(latency.tail_percent)) return random.between(latency.high, latency.tail);
    return random.between(latency.low, latency.high);
}

uint8_t Responder::response_of(uint64_t addr, bool write) const {
    if (addr % kBeatBytes != 0 || !memory_.contains(addr, kBeatBytes)) return kDecodeError;
    for (uint32_t i = 0; i < policy_.num_windows; ++i) {
        const CWindow& window = policy_.windows[i];
        if ((write ? window.writes : window.reads) && addr <= window.last && addr + kBeatBytes - 1 >= window.first) {
            return static_cast<uint8_t>(window.response);
        }
    }
    return kOkay;
}

bool Responder::injected(uint32_t kind) {
    if (injection_.kind != kind) return false;
    if (injection_.countdown != 0) {
        --injection_.countdown;
        return false;
    }
    injection_.kind = InjectKind::NONE;
    ++status_.injected;
    return true;
}

void Responder::accept_write(uint64_t cycle, const Address& address, const Data& data) {
    Write write{};
    write.id = address.id;
    write.addr = address.addr;
    write.order = address.order;
    write.due = cycle + draw(policy_.write_latency, latency_random_);
    write.effect = kNever;
    write.strobe = data.strobe;
    write.resp = response_of(address.addr, true);
    std::memcpy(write.bytes, data.bytes, kBeatBytes);
    if (data.strobe != 0 && injected(InjectKind::DROP_STROBE)) {
        uint64_t enabled = data.strobe;
        for (uint64_t skip = injection_.arg % std::popcount(enabled); skip != 0; --skip) enabled &= enabled - 1;
        write.strobe &= ~(enabled & -enabled);
    }
    write.late = data.strobe != 0 && injected(InjectKind::LATE_WRITE);
    if (policy_.write_effect == WriteEffect::HANDSHAKE && !write.late) {
        write.effect = cycle + (policy_.write_effect_delay.high ? draw(policy_.write_effect_delay, latency_random_) : 0);
    }
    writes_.push_back(write);
}

void Responder::apply(Write& write) {
    if (write.applied) return;
    write.applied = true;
    if (write.resp != kOkay) return;
    uint8_t* target = memory_.at(write.addr);
    if (write.strobe == ~0ull) {
        std::memcpy(target, write.bytes, kBeatBytes);
        return;
    }
    for (uint64_t left = write.strobe; left != 0; left &= left - 1) {
        const int byte = std::countr_zero(left);
        target[byte] = write.bytes[byte];
    }
}

void Responder::apply_due(uint64_t cycle) {
    for (size_t i = 0; i < writes_.size(); ++i) {
        Write& write = writes_[i];
        if (write.applied || write.effect > cycle) continue;
        // Writes of one id take effect in their order, also when a later one drew a shorter delay.
        bool first = true;
        for (size_t j = 0; j < i && first; ++j) first = writes_[j].applied || writes_[j].id != write.id;
        if (first) apply(write);
    }
    for (size_t i = 0; i < late_.size();) {
        if (late_[i].due <= cycle) {
            apply(late_[i]);
            erase_at(late_, static_cast<int>(i));
        } else {
            ++i;
        }
    }
}

void Responder::sample_memory(Read& read) const {
    read.sampled = true;
    if (read.resp == kOkay) {
        std::memcpy(read.bytes, const_cast<MemoryFile&>(memory_).at(read.addr), kBeatBytes);
    } else {
        std::memset(read.bytes, 0xbd, kBeatBytes);  // a master that uses the data of a failed read shows it
    }
}

bool Responder::may_answer(const Read& read) const {
    if (!policy_.read_waits_for_writes) return true;
    for (const Address& address : aws_) {
        if (address.order < read.order && line(address.addr) == line(read.addr)) return false;
    }
    for (const Write& write : writes_) {
        if (!write.applied && write.order < read.order && line(write.addr) == line(read.addr)) return false;
    }
    return true;
}

// Index of the read to answer next, or -1. The vector keeps the order of the requests.
int Responder::choose_read(uint64_t cycle) {
    int best = -1;
    uint32_t candidates = 0;
    for (size_t i = 0; i < reads_.size(); ++i) {
        const Read& read = reads_[i];
        bool eligible = read.due <= cycle && !read.dropped && may_answer(read);
        for (size_t j = 0; j < i && eligible; ++j) eligible = reads_[j].id != read.id;
        if (eligible) {
            ++candidates;
            if (best < 0) {
                best = static_cast<int>(i);
            } else if (policy_.reorder_reads == Reorder::DUE ? read.due < reads_[best].due
                                                              : order_random_.between(1, candidates) == 1) {
                best = static_cast<int>(i);
            }
        }
        if (policy_.reorder_reads == Reorder::NONE) break;
    }
    return best;
}

int Responder::choose_write(uint64_t cycle) {
    int best = -1;
    uint32_t candidates = 0;
    for (size_t i = 0; i < writes_.size(); ++i) {
        const Write& write = writes_[i];
        bool eligible = write.due <= cycle;
        for (size_t j = 0; j < i && eligible; ++j) eligible = writes_[j].id != write.id;
        if (eligible) {
            ++candidates;
            if (best < 0) {
                best = static_cast<int>(i);
            } else if (policy_.reorder_writes == Reorder::DUE ? write.due < writes_[best].due
                                                               : order_random_.between(1, candidates) == 1) {
                best = static_cast<int>(i);
            }
        }
        if (policy_.reorder_writes == Reorder::NONE) break;
    }
    return best;
}

void Responder::present_read(int index) {
    Read& read = reads_[index];
    if (!read.sampled) sample_memory(read);
    if (injection_.kind == InjectKind::SWAP_READS) {
        for (Read& other : reads_) {
            if (&other == &read || line(other.addr) == line(read.addr) || other.resp != kOkay || read.resp != kOkay) continue;
            if (!other.sampled) sample_memory(other);
            if (std::memcmp(other.bytes, read.bytes, kBeatBytes) == 0) continue;
            if (injected(InjectKind::SWAP_READS)) std::swap(other.bytes, read.bytes);
            break;
        }
    }
    if (injected(InjectKind::CORRUPT_READ)) read.bytes[injection_.arg % kBeatBytes] ^= 0xff;
    presented_read_ = index;
    out_.rvalid = true;
    out_.rid = read.id;
    out_.rresp = read.resp;
    out_.new_read = true;
    std::memcpy(out_.rdata, read.bytes, kBeatBytes);
}

void Responder::present_write(int index, uint64_t cycle) {
    Write& write = writes_[index];
    if (write.late) {
        Write late = write;
        late.due = cycle + injection_.arg;
        late_.push_back(late);
        write.applied = true;
    }
    apply(write);
    presented_write_ = index;
    out_.bvalid = true;
    out_.bid = write.id;
    out_.bresp = write.resp;
}

void Responder::drive(uint64_t cycle) {
    out_.new_read = false;
    out_.awready = aw_.next(policy_.aw_ready) && aws_.size() + writes_.size() < policy_.max_writes;
    out_.wready = w_.next(policy_.w_ready) && ws_.size() + writes_.size() < policy_.max_writes;
    out_.arready = ar_.next(policy_.ar_ready) && reads_.size() < policy_.max_reads;
    if (presented_read_ < 0) {
        out_.rvalid = false;
        if (!reads_.empty()) {
            const int index = choose_read(cycle);
            if (index >= 0 && r_.next(policy_.r_gap)) {
                if (injected(InjectKind::DROP_READ)) {
                    reads_[index].dropped = true;
                } else {
                    present_read(index);
                }
            }
        }
    }
    if (presented_write_ < 0) {
        out_.bvalid = false;
        if (!writes_.empty()) {
            const int index = choose_write(cycle);
            if (index >= 0 && b_.next(policy_.b_gap)) present_write(index, cycle);
        }
    }
}

void Responder::check_held(const AxiRequests& in) {
    const AxiRequests& old = held_.requests;
    if (held_.aw && (!in.awvalid || in.awaddr != old.awaddr || in.awid != old.awid || in.awlen != old.awlen ||
                     in.awsize != old.awsize || in.awburst != old.awburst)) {
        violation_ = "AW was withdrawn or changed before AWREADY";
    }
    if (held_.ar && (!in.arvalid || in.araddr != old.araddr || in.arid != old.arid || in.arlen != old.arlen ||
                     in.arsize != old.arsize || in.arburst != old.arburst)) {
        violation_ = "AR was withdrawn or changed before ARREADY";
    }
    // Bytes without strobe carry nothing and may change.
    if (held_.w) {
        bool same = in.wvalid && in.wstrb == old.wstrb && in.wlast == old.wlast;
        for (uint64_t left = old.wstrb; same && left != 0; left &= left - 1) {
            const int byte = std::countr_zero(left);
            same = static_cast<const uint8_t*>(in.wdata)[byte] == held_.wdata[byte];
        }
        if (!same) violation_ = "W was withdrawn or changed before WREADY";
    }
    held_.aw = in.awvalid && !out_.awready;
    held_.w = in.wvalid && !out_.wready;
    held_.ar = in.arvalid && !out_.arready;
    held_.requests = in;
    if (held_.w) std::memcpy(held_.wdata, in.wdata, kBeatBytes);
}

void Responder::sample(uint64_t cycle, const AxiRequests& in) {
    const bool waiting = (in.awvalid && !out_.awready) || (in.wvalid && !out_.wready) || (in.arvalid && !out_.arready);
    if (waiting || held_.aw || held_.w || held_.ar) check_held(in);
    if (in.awvalid && out_.awready) {
        aws_.push_back(Address{in.awid, in.awaddr, orders_++, in.awlen, in.awsize, in.awburst});
        record_.address(cycle, AxiChannel::AW, in.awaddr, in.awid, in.awlen, in.awsize, in.awburst);
    }
    if (in.wvalid && out_.wready) {
        Data data{};
        data.strobe = in.wstrb;
        std::memcpy(data.bytes, in.wdata, kBeatBytes);
        ws_.push_back(data);
        record_.write_data(cycle, in.wstrb, in.wlast, in.wdata);
    }
    while (!aws_.empty() && !ws_.empty()) {
        accept_write(cycle, aws_.front(), ws_.front());
        aws_.pop_front();
        ws_.pop_front();
    }
    if (!writes_.empty() || !late_.empty()) apply_due(cycle);
    if (in.arvalid && out_.arready) {
        Read read{};
        read.id = in.arid;
        read.addr = in.araddr;
        read.order = orders_++;
        read.due = cycle + draw(policy_.read_latency, latency_random_);
        read.resp = response_of(in.araddr, false);
        const bool at_address = policy_.read_sample == ReadSample::ADDRESS ||
                                (policy_.read_sample == ReadSample::EITHER && sample_random_.percent(50));
        if (at_address && may_answer(read)) sample_memory(read);
        reads_.push_back(read);
        record_.address(cycle, AxiChannel::AR, in.araddr, in.arid, in.arlen, in.arsize, in.arburst);
    }
    if (out_.bvalid && in.bready) {
        record_.write_response(cycle, writes_[presented_write_].addr, out_.bid, out_.bresp);
        erase_at(writes_, presented_write_);
        presented_write_ = -1;
        ++status_.writes;
    }
    if (out_.rvalid && in.rready) {
        record_.read_data(cycle, reads_[presented_read_].addr, out_.rid, out_.rresp, true, out_.rdata);
        erase_at(reads_, presented_read_);
        presented_read_ = -1;
        ++status_.reads;
    }
}

}  // namespace vx
