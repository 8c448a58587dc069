// DPI source of the serial core, compiled with RTL_CSRCS. It uses what the testbench promises to such sources: the core's
// defines, RTL_CFLAGS, headers of RTL_INCDIRS, and the functions that simulators around cores usually have.
#include <cmath>

#include "Vtop__Dpi.h"
#include "serial_generated.h"
#include "svdpi.h"

double sc_time_stamp();
bool sim_trace_enabled();
void sim_trace_enable(bool enable);

extern "C" int serial_answer() {
    if (sim_trace_enabled()) return SERIAL_ANSWER + SERIAL_OFFSET;
    sim_trace_enable(true);
    const bool good = SERIAL_LANES == VX_CFG_NUM_THREADS && sc_time_stamp() > 0 && sim_trace_enabled();
    return good ? SERIAL_ANSWER + static_cast<int>(std::sqrt(SERIAL_OFFSET * SERIAL_OFFSET)) : -1;
}
