// A thin loop around reference.sv: prints cycles and processor time as one line of JSON.
#include <cstdio>
#include <cstdlib>
#include <ctime>

#include "Vreference.h"
#include "verilated.h"

static double cpu_seconds() {
    timespec now{};
    clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &now);
    return static_cast<double>(now.tv_sec) + 1e-9 * static_cast<double>(now.tv_nsec);
}

int main(int argc, char** argv) {
    const unsigned long cycles = argc > 1 ? std::strtoul(argv[1], nullptr, 10) : 1000000;
    VerilatedContext context;
    Vreference top{&context};
    const auto step = [&top] {
        top.clk = 0;
        top.eval();
        top.clk = 1;
        top.eval();
    };
    top.reset = 1;
    for (int i = 0; i < 4; ++i) step();
    top.reset = 0;
    const double begin = cpu_seconds();
    for (unsigned long i = 0; i < cycles; ++i) step();
    const double seconds = cpu_seconds() - begin;
    std::printf("{\"cycles\": %lu, \"seconds\": %.6f, \"checksum\": %llu}\n", cycles, seconds,
                static_cast<unsigned long long>(top.checksum));
    return 0;
}
