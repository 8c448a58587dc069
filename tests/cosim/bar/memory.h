// Memories behind AXI4 ports: bytes, and a port that answers late and out of order.
#pragma once
#include <algorithm>
#include <cstdint>
#include <cstring>
#include <deque>
#include <memory>
#include <random>
#include <unordered_map>
#include <vector>

constexpr uint64_t kPage = 4096;
constexpr int kMost = 64;  // answers among which the next one is chosen

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
