// Memory of the host, which the BAR device reaches with DMA and releases: sparse, zero at first, the whole 64-bit space.
// It answers one transfer of one beat at a time, which is all that the device ever has outstanding.
#pragma once
#include <cstdint>
#include <cstring>
#include <unordered_map>
#include <utility>
#include <vector>

#include "random.h"

namespace vx {

class HostMemory {
  public:
    void read(uint64_t addr, uint8_t* to, uint64_t size) {
        for (uint64_t i = 0; i < size; ++i) to[i] = *at(addr + i);
    }
    void write(uint64_t addr, const uint8_t* from, uint64_t size) {
        for (uint64_t i = 0; i < size; ++i) *at(addr + i) = from[i];
    }
    // Accesses to bytes [first, last] get an error.
    void fail(uint64_t first, uint64_t last) { failing_.emplace_back(first, last); }
    void clear() {
        pages_.clear();
        failing_.clear();
    }

    // The bus. Inputs and outputs as seen by the device, sampled before a rising edge and driven for the next cycle.
    struct Requests {
        bool awvalid, wvalid, arvalid, bready, rready;
        uint64_t awaddr, araddr, wstrb;
        const uint8_t* wdata;
    };
    bool awready = false, wready = false, arready = false, bvalid = false, rvalid = false;
    uint8_t bresp = 0, rresp = 0;
    uint8_t rdata[64] = {};

    bool quiet() const { return !aw_ && !w_ && !ar_; }
    void seed(uint64_t seed) { random_ = Random(seed, 9999); }
    void reset() {
        aw_ = w_ = ar_ = awready = wready = arready = bvalid = rvalid = false;
    }
    void sample(const Requests& in) {
        if (in.awvalid && awready) {
            aw_ = true;
            addr_ = in.awaddr / 64 * 64;
            wait();
        }
        if (in.wvalid && wready) {
            w_ = true;
            strobe_ = in.wstrb;
            std::memcpy(data_, in.wdata, 64);
            wait();
        }
        if (in.arvalid && arready) {
            ar_ = true;
            addr_ = in.araddr;
            wait();
        }
        if (bvalid && in.bready) aw_ = w_ = bvalid = false;
        if (rvalid && in.rready) ar_ = rvalid = false;
    }
    void drive() {
        awready = !aw_ && !ar_;
        wready = !w_;
        arready = !aw_ && !ar_;
        if (left_ != 0) {
            --left_;
            return;
        }
        if (aw_ && w_ && !bvalid) {
            bvalid = true;
            bresp = 0;
            for (uint64_t i = 0; i < 64; ++i) {
                if ((strobe_ >> i & 1) != 0 && fails(addr_ + i)) bresp = 2;
            }
            for (uint64_t i = 0; i < 64 && bresp == 0; ++i) {
                if (strobe_ >> i & 1) *at(addr_ + i) = data_[i];
            }
        }
        if (ar_ && !rvalid) {
            rvalid = true;
            rresp = fails(addr_) ? 2 : 0;
            read(addr_ / 64 * 64, rdata, 64);
        }
    }

  private:
    static constexpr uint64_t kPage = 4096;

    uint8_t* at(uint64_t addr) {
        std::vector<uint8_t>& page = pages_[addr / kPage];
        if (page.empty()) page.resize(kPage);
        return page.data() + addr % kPage;
    }
    bool fails(uint64_t addr) const {
        for (const auto& [first, last] : failing_) {
            if (addr >= first && addr <= last) return true;
        }
        return false;
    }
    void wait() { left_ = random_.between(4, 12); }

    std::unordered_map<uint64_t, std::vector<uint8_t>> pages_;
    std::vector<std::pair<uint64_t, uint64_t>> failing_;
    Random random_{1, 9999};
    bool aw_ = false, w_ = false, ar_ = false;
    uint64_t addr_ = 0, strobe_ = 0;
    uint32_t left_ = 0;
    uint8_t data_[64] = {};
};

}  // namespace vx
