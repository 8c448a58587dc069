// Everything around the BAR device: its host (BARs, host memory, MSI-X), its memory ports, and what it does with the core.
#pragma once
#include <cstdint>
#include <vector>

#include "abi.h"  // generated
#include "host_memory.h"
#include "host_side.h"
#include "memory_file.h"
#include "policy.h"  // generated
#include "responder.h"
#include "ring.h"

class Vtop;

namespace vx {

class DeviceSide {
  public:
    DeviceSide(MemoryFile& memory, Rings& rings, Injection& injection, Status& status);

    void set_policy(const CPolicy& policy);
    void reset();
    // Before a rising edge of the device's clock: take handshakes, events and messages of the cycle that it ends.
    void sample(Vtop& top, uint64_t cycle);
    // Set the inputs of `cycle`.
    void drive(Vtop& top, uint64_t cycle);

    // Nothing is in flight.
    bool quiet() const;
    uint32_t busy() const { return busy_; }  // 1 a launch, 2 a transfer
    // A rule of a bus was broken: the sentence that says so, once; else null.
    const char* take_violation();

    BarMaster& master() { return master_; }
    HostMemory& host() { return host_; }

  private:
    void sample_memory(Vtop& top, uint64_t cycle);
    void record(uint64_t cycle, uint32_t event, uint64_t addr, uint64_t data);

    Rings& rings_;
    Status& status_;
    std::vector<Responder> responders_;
    BarMaster master_;
    HostMemory host_;
    uint32_t busy_ = 0;
    const char* violation_ = nullptr;
};

}  // namespace vx
