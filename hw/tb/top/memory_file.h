// Device memory: one sparse file that the harness and numpy map at the same time.
#pragma once
#include <cerrno>
#include <cstdint>
#include <cstring>
#include <stdexcept>
#include <string>

#include <fcntl.h>
#include <sys/mman.h>
#include <unistd.h>

namespace vx {

class MemoryFile {
  public:
    // An existing file of that size keeps its contents (a re-run may start from a saved image).
    MemoryFile(const std::string& path, uint64_t size) : size_(size) {
        const int fd = ::open(path.c_str(), O_RDWR | O_CREAT, 0644);
        if (fd < 0) throw std::runtime_error("memory file " + path + " cannot be made: " + std::strerror(errno));
        if (::ftruncate(fd, static_cast<off_t>(size)) != 0) {
            throw std::runtime_error("memory file " + path + " cannot have " + std::to_string(size) + " bytes: " + std::strerror(errno));
        }
        void* map = ::mmap(nullptr, size, PROT_READ | PROT_WRITE, MAP_SHARED | MAP_NORESERVE, fd, 0);
        ::close(fd);
        if (map == MAP_FAILED) throw std::runtime_error("memory file " + path + " cannot be mapped: " + std::strerror(errno));
        base_ = static_cast<uint8_t*>(map);
    }
    MemoryFile(const MemoryFile&) = delete;

    uint64_t size() const { return size_; }
    bool contains(uint64_t address, uint64_t bytes) const { return address <= size_ && bytes <= size_ - address; }
    uint8_t* at(uint64_t address) { return base_ + address; }

  private:
    uint8_t* base_ = nullptr;
    uint64_t size_ = 0;
};

}  // namespace vx
