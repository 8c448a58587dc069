// The C functions behind harness.py, the DPI functions behind vx_probe.sv, and Verilator's error hooks.
#include <cstdio>
#include <cstring>
#include <string>

#include "harness.h"
#include "shape.h"  // generated
#include "svdpi.h"
#include "verilated.h"

using vx::Harness;

extern "C" {

// Python looks these up in the executable; everything else of the harness is hidden, so that it can be inlined.
#pragma GCC visibility push(default)

uint32_t vx_abi_version() { return vx::kAbiVersion; }
vx::Status* vx_status() { return &Harness::instance().status(); }
void vx_post(const vx::Command* commands, uint64_t count) { Harness::instance().mailbox().post(commands, count); }
void vx_abort() { Harness::instance().mailbox().abort(); }
uint32_t vx_take_events() { return Harness::instance().take_events(); }
uint64_t vx_result(uint64_t index) { return Harness::instance().mailbox().result(index); }
void vx_set_policy(const vx::CPolicy* policy) { Harness::instance().set_policy(*policy); }
void vx_set_settings(const vx::Settings* settings) { Harness::instance().set_settings(*settings); }
void vx_inject(uint32_t kind, uint64_t nth, uint64_t arg) { Harness::instance().arm(vx::Injection{kind, nth, arg}); }
int vx_waves(const char* path, uint64_t first, uint64_t last, const char* scope) {
    return Harness::instance().waves().window(path, first, last, scope);
}
void vx_release(const char* name) { Harness::instance().forces().release(name); }

// Data of the next VRAM_WRITE; data of the last VRAM_READ, at most `size` bytes of it.
void vx_give(const uint8_t* data, uint64_t size) { Harness::instance().device().master().given.assign(data, data + size); }
void vx_take(uint8_t* data, uint64_t size) {
    const std::vector<uint8_t>& taken = Harness::instance().device().master().taken;
    std::memcpy(data, taken.data(), size < taken.size() ? size : taken.size());
}

// Memory of the host, as the host itself reaches it.
void vx_host_read(uint64_t addr, uint8_t* data, uint64_t size) { Harness::instance().device().host().read(addr, data, size); }
void vx_host_write(uint64_t addr, const uint8_t* data, uint64_t size) { Harness::instance().device().host().write(addr, data, size); }
void vx_host_fail(uint64_t first, uint64_t last) { Harness::instance().device().host().fail(first, last); }
void vx_host_clear() { Harness::instance().device().host().clear(); }
int vx_has_device() { return vx::kHasDevice; }

// Writes a sentence into `error` (at most `size` bytes with the end) and returns 0 if the signal cannot be forced.
int vx_force(const char* name, const uint32_t* value, const uint32_t* mask, uint32_t words, const vx::CTrigger* trigger,
             char* error, uint64_t size) {
    const std::string text = Harness::instance().forces().add(name, value, mask, words, *trigger);
    if (size != 0) std::snprintf(error, size, "%s", text.c_str());
    return text.empty();
}

#pragma GCC visibility pop

// ------------------------------------------------------------------ DPI

void vx_dpi_attach(int core) { Harness::instance().probe().attach(static_cast<uint32_t>(core)); }
void vx_dpi_decode(int core, int wid) { Harness::instance().probe().decode(core, wid); }
void vx_dpi_issue(int core, int wid, int uid, long long pc, int instr, long long tmask, int slot) {
    Harness& harness = Harness::instance();
    harness.probe().issue(core, wid, uid, pc, instr, tmask, slot);
    if (harness.forces().any()) {
        harness.forces().issued(harness.status().launch, core, wid, uid, static_cast<uint64_t>(pc), harness.status().cycle);
    }
}
void vx_dpi_control(int core, int wid, int uid, long long next_pc, long long next_mask) {
    Harness::instance().probe().control(core, wid, uid, next_pc, next_mask);
}
void vx_dpi_commit(int core, int wid, int uid, int flags, int rd, long long wmask, const svBitVecVal* data, int fflags) {
    Harness& harness = Harness::instance();
    harness.probe().commit(core, wid, uid, flags & 1, flags >> 1 & 1, flags >> 2 & 1, rd, wmask, data, fflags);
    if (harness.forces().any() && (flags & 2) != 0) harness.forces().committed(core, wid, uid, harness.status().cycle);
}
void vx_dpi_memory(int core, int wid, int uid, int op, int space, int size, long long mask, const svBitVecVal* addr,
                   const svBitVecVal* data) {
    Harness::instance().probe().memory(core, wid, uid, op, space, size, mask, addr, data);
}
void vx_dpi_barrier(int core, int wid, int uid, int op, int id, int count, int phase, long long released) {
    Harness::instance().probe().barrier(core, wid, uid, op, id, count, phase, released);
}
void vx_dpi_ipdom(int core, int wid, int uid, int op, int sp, long long mask, long long pc) {
    Harness::instance().probe().ipdom(core, wid, uid, op, sp, mask, pc);
}
void vx_dpi_fault(int core, int wid, int uid, int kind, long long pc, long long addr, long long tmask) {
    Harness::instance().probe().fault(core, wid, uid, kind, pc, addr, tmask);
}
void vx_dpi_cta_accept(int core, int x, int y, int z, int slot, long long lmem_addr, int first_of_cluster, int num_warps) {
    Harness::instance().probe().cta_accept(core, x, y, z, slot, lmem_addr, first_of_cluster, num_warps);
}
void vx_dpi_warp_start(int core, int wid, long long pc, long long tmask, int slot, int rank) {
    Harness::instance().probe().warp_start(core, wid, pc, tmask, slot, rank);
}
void vx_dpi_warp_spawn(int core, int wid, long long pc) { Harness::instance().probe().warp_spawn(core, wid, pc); }
void vx_dpi_warp_end(int core, int wid, int slot) { Harness::instance().probe().warp_end(core, wid, slot); }
void vx_dpi_cta_retire(int core, int slot) { Harness::instance().probe().cta_retire(core, slot); }

}  // extern "C"

// ------------------------------------------------------------------ Verilator (libverilated is built with VL_USER_STOP)

// Every failed assertion, $error, $fatal and $stop ends here (default error limit) instead of ending the process.
void vl_stop(const char* file, int line, const char*) { Harness::instance().assertion(file, line); }
