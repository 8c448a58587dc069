// Main of the cocotb process. Python runs when something happened (an event of the harness, a timer of cocotb) and
// never per clock: between two events the clock toggles in Harness::run at the speed of a bare loop.
#include <malloc.h>

#include <cstdio>
#include <exception>

#include "harness.h"
#include "verilated.h"
#include "verilated_vpi.h"

extern "C" void vlog_startup_routines_bootstrap();

namespace {

// The regions of one time step, as long as one of them has something to do.
void call_python() {
    VerilatedVpi::callTimedCbs();
    do {
        VerilatedVpi::clearEvalNeeded();
        while (VerilatedVpi::callValueCbs()) {
        }
        VerilatedVpi::callCbs(cbReadWriteSynch);
        VerilatedVpi::doInertialPuts();
        while (VerilatedVpi::callValueCbs()) {
        }
    } while (VerilatedVpi::evalNeeded());
    VerilatedVpi::callCbs(cbReadOnlySynch);
}

}  // namespace

int main(int argc, char** argv) {
    // Batches of records are arrays of about a megabyte that come and go; by default each would be mapped anew and
    // faulted in page by page.
    mallopt(M_MMAP_THRESHOLD, 64 << 20);
    mallopt(M_TRIM_THRESHOLD, 256 << 20);
    try {
        vx::Harness harness(argc, argv);
        Verilated::fatalOnVpiError(false);
        vlog_startup_routines_bootstrap();
        VerilatedVpi::callCbs(cbStartOfSimulation);
        call_python();
        while (!harness.finished() && !Verilated::gotFinish()) {
            const uint64_t deadline = VerilatedVpi::cbNextDeadline();
            if (VerilatedVpi::hasCbs(cbNextSimTime)) {
                harness.run(harness.time() + 1);
                VerilatedVpi::callCbs(cbNextSimTime);
            } else if (!harness.has_work() && deadline == ~0ull) {
                // Only an event that has not been delivered can still wake Python.
                if (!harness.woken()) {
                    std::fprintf(stderr, "harness: nothing is left to run, but the test is still waiting; it ends here\n");
                    break;
                }
            } else {
                harness.run(deadline);
            }
            if (harness.take_wake()) harness.flip_event_signal();
            call_python();
        }
        VerilatedVpi::callCbs(cbEndOfSimulation);
    } catch (const std::exception& error) {
        std::fprintf(stderr, "harness: %s\n", error.what());
        return 3;
    }
    return 0;
}
