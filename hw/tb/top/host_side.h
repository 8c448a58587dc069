// The host on BAR0, BAR4 (AXI4-Lite) and BAR2 (AXI4 bursts): one access at a time, any size of BAR2 as many bursts.
#pragma once
#include <cstdint>
#include <vector>

#include "abi.h"  // generated

namespace vx {

class BarMaster {
  public:
    // What stands on the device's outputs before a rising edge.
    struct Sees {
        bool ctl_awready, ctl_wready, ctl_bvalid, ctl_arready, ctl_rvalid;
        bool vram_awready, vram_wready, vram_bvalid, vram_arready, vram_rvalid, vram_rlast;
        uint32_t ctl_rdata;
        const uint8_t* vram_rdata;
    };

    // Pins; they change only in `begin` and `sample`.
    bool ctl_awvalid = false, ctl_wvalid = false, ctl_arvalid = false;
    bool vram_awvalid = false, vram_wvalid = false, vram_arvalid = false, vram_wlast = false;
    uint32_t ctl_addr = 0, ctl_wdata = 0, ctl_wstrb = 0, ctl_arsize = 2;
    uint32_t vram_addr = 0, vram_len = 0, vram_size = 6;
    uint64_t vram_wstrb = 0;
    uint8_t vram_wdata[64] = {};
    bool new_beat = false;  // vram_wdata changed since the pins were driven last

    std::vector<uint8_t> given;  // data of the next VRAM_WRITE
    std::vector<uint8_t> taken;  // data of the last VRAM_READ

    void begin(const Command& command);
    void sample(const Sees& sees);
    void reset();
    bool active() const { return active_; }
    uint64_t value() const { return value_; }
    // RLAST came at another beat than the last one; once.
    bool take_violation() {
        const bool now = violation_;
        violation_ = false;
        return now;
    }

  private:
    void begin_burst();
    void fill_beat();
    void end_burst();
    uint64_t beat_end() const;

    bool active_ = false, violation_ = false;
    uint32_t op_ = 0;
    uint64_t value_ = 0;
    uint64_t first_ = 0, pos_ = 0, limit_ = 0, end_ = 0;  // of the access: start, next byte, end of the burst, end
};

}  // namespace vx
