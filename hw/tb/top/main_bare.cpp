// Main without cocotb and without Python: commands come from a script file. It measures the speed of the model and the
// harness alone, and runs where there is no Python.
//
//   sim_bare +vx_run_dir=<dir> +vx_script=<file>
//
// Script: one command a line. Numbers are decimal or 0x hexadecimal; commands are those of abi.py in lower case.
//   policy <file>             raw bytes of a CPolicy          records <mask>     which record kinds are written
//   memory <address> <file>   copy a file into memory         dump <address> <size> <file>
//   reset a b | dcr_write a b c | dcr_read a b c | start a | wait_rise a | wait_quiescent a b | run a
//   select a b | ctl_write a b c | wait_device a b
//   begin                     a measured stretch starts here      end      and ends here
// At the end it prints one line of JSON: cycles and seconds (of processor time) of the fastest stretch, and instructions,
// checksum and assertions of the whole run.
#include <cstdio>
#include <cstring>
#include <ctime>
#include <exception>
#include <fstream>
#include <iterator>
#include <map>
#include <sstream>
#include <stdexcept>
#include <string>

#include "harness.h"

namespace {

// Processor time, because other processes of the machine must not count.
double cpu_seconds() {
    timespec now{};
    clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &now);
    return static_cast<double>(now.tv_sec) + 1e-9 * static_cast<double>(now.tv_nsec);
}

const std::map<std::string, uint32_t> kOps = {
    {"reset", vx::Op::RESET},         {"dcr_write", vx::Op::DCR_WRITE},           {"dcr_read", vx::Op::DCR_READ},
    {"start", vx::Op::START},         {"wait_rise", vx::Op::WAIT_RISE},           {"wait_quiescent", vx::Op::WAIT_QUIESCENT},
    {"run", vx::Op::RUN},             {"select", vx::Op::SELECT},                 {"ctl_write", vx::Op::CTL_WRITE},
    {"wait_device", vx::Op::WAIT_DEVICE},
};

std::string script_path(int argc, char** argv) {
    const char prefix[] = "+vx_script=";
    for (int i = 1; i < argc; ++i) {
        if (std::strncmp(argv[i], prefix, sizeof prefix - 1) == 0) return argv[i] + sizeof prefix - 1;
    }
    throw std::runtime_error("no script: give +vx_script=<file>");
}

std::string read_file(const std::string& path) {
    std::ifstream file(path, std::ios::binary);
    if (!file) throw std::runtime_error("file " + path + " cannot be read");
    return std::string(std::istreambuf_iterator<char>(file), {});
}

class Script {
  public:
    Script(vx::Harness& harness, const std::string& path) : harness_(harness), path_(path) {}

    void run() {
        std::istringstream text(read_file(path_));
        std::string line;
        for (line_ = 1; std::getline(text, line); ++line_) {
            std::istringstream words(line);
            std::string word;
            if (words >> word && word[0] != '#') execute(word, words);
        }
        const vx::Status& status = harness_.status();
        std::printf("{\"cycles\": %llu, \"seconds\": %.6f, \"instructions\": %llu, \"checksum\": %llu, \"assertions\": %llu}\n",
                    number(best_cycles_), best_seconds_, number(instructions_), number(status.commit_checksum),
                    number(status.assertions));
    }

  private:
    static unsigned long long number(uint64_t value) { return value; }

    [[noreturn]] void fail(const std::string& what) const {
        throw std::runtime_error(path_ + ":" + std::to_string(line_) + ": " + what);
    }

    uint64_t take(std::istringstream& words) const {
        std::string text;
        if (!(words >> text)) return 0;
        char* end = nullptr;
        const uint64_t value = std::strtoull(text.c_str(), &end, 0);
        if (*end != 0) fail("'" + text + "' is not a number");
        return value;
    }

    std::string take_path(std::istringstream& words) const {
        std::string path;
        if (!(words >> path)) fail("a file name is missing");
        return path;
    }

    void execute(const std::string& word, std::istringstream& words) {
        if (word == "policy") {
            const std::string bytes = read_file(take_path(words));
            if (bytes.size() != sizeof(vx::CPolicy)) fail("the policy file has not the size of a CPolicy");
            vx::CPolicy policy;
            std::memcpy(&policy, bytes.data(), sizeof policy);
            harness_.set_policy(policy);
        } else if (word == "records") {
            harness_.set_settings(vx::Settings{100000, static_cast<uint32_t>(take(words)), 0, 0});
        } else if (word == "memory") {
            const uint64_t address = take(words);
            const std::string bytes = read_file(take_path(words));
            if (!harness_.memory().contains(address, bytes.size())) fail("outside device memory");
            std::memcpy(harness_.memory().at(address), bytes.data(), bytes.size());
        } else if (word == "dump") {
            const uint64_t address = take(words);
            const uint64_t size = take(words);
            if (!harness_.memory().contains(address, size)) fail("outside device memory");
            std::ofstream file(take_path(words), std::ios::binary);
            file.write(reinterpret_cast<const char*>(harness_.memory().at(address)), static_cast<std::streamsize>(size));
            if (!file) fail("the dump cannot be written");
        } else if (word == "begin") {
            begin_ = cpu_seconds();
            first_cycle_ = harness_.status().cycle;
        } else if (word == "end") {
            const double seconds = cpu_seconds() - begin_;
            const uint64_t cycles = harness_.status().cycle - first_cycle_;
            if (best_cycles_ == 0 || seconds / static_cast<double>(cycles) < best_seconds_ / static_cast<double>(best_cycles_)) {
                best_seconds_ = seconds;
                best_cycles_ = cycles;
            }
        } else {
            const auto op = kOps.find(word);
            if (op == kOps.end()) fail("unknown command '" + word + "'");
            command(op->second, words);
        }
    }

    void command(uint32_t op, std::istringstream& words) {
        vx::Command command{};
        command.op = op;
        command.a = take(words);
        command.b = take(words);
        command.c = take(words);
        harness_.mailbox().post(&command, 1);
        while (harness_.has_work()) {
            harness_.run(~0ull);
            harness_.take_wake();
            const uint32_t events = harness_.take_events();
            if (events & vx::Reason::HANG) fail("the core hangs: busy, but nothing is committed");
            if (events & vx::Reason::TIMEOUT) fail("the command reached its bound");
            if (events & vx::Reason::FINISH) fail("the design called $finish");
        }
        harness_.take_wake();
        harness_.take_events();
        if (op == vx::Op::WAIT_QUIESCENT) instructions_ += harness_.status().instructions;
    }

    vx::Harness& harness_;
    std::string path_;
    int line_ = 0;
    double begin_ = 0;
    uint64_t first_cycle_ = 0;
    double best_seconds_ = 0;
    uint64_t best_cycles_ = 0;
    uint64_t instructions_ = 0;
};

}  // namespace

int main(int argc, char** argv) {
    try {
        const std::string path = script_path(argc, argv);
        vx::Harness harness(argc, argv);
        Script(harness, path).run();
        return harness.status().assertions != 0 ? 4 : 0;
    } catch (const std::exception& error) {
        std::fprintf(stderr, "harness: %s\n", error.what());
        return 3;
    }
}
