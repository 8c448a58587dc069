// Writer of the record file: one ring for each kind in one shared, mapped file (docs/architecture.md, "Records").
// The file outlives a dead simulator, because the pages belong to the file and not to the process.
#pragma once
#include <cerrno>
#include <cstdint>
#include <cstring>
#include <stdexcept>
#include <string>

#include <fcntl.h>
#include <sys/mman.h>
#include <unistd.h>

#include "records.h"  // generated

namespace vx {

class Rings {
  public:
    static constexpr uint32_t kHeaderSize = 4096;
    static constexpr uint32_t kTableOffset = 64;

    struct Entry {
        uint32_t size;
        uint32_t capacity;
        uint64_t offset;
        uint64_t head;  // records written since start
        uint64_t tail;  // records consumed
        uint64_t lost;  // overwritten before they were consumed
        uint8_t pad[24];
    };
    static_assert(sizeof(Entry) == 64, "layout of docs/architecture.md");

    // `capacity` records for each kind, a power of two. Throws std::runtime_error when the file cannot be made.
    Rings(const std::string& path, uint32_t capacity) : place_mask_(capacity - 1) {
        if (capacity == 0 || (capacity & (capacity - 1)) != 0) {
            throw std::runtime_error("record file " + path + ": " + std::to_string(capacity) + " records a ring is no power of two");
        }
        static const uint32_t kSize[kKinds] = {sizeof(CommitRecord), sizeof(MemoryRecord), sizeof(CtaRecord),
                                               sizeof(BarrierRecord), sizeof(IpdomRecord), sizeof(FaultRecord),
                                               sizeof(AxiRecord), sizeof(RunRecord), sizeof(DeviceAxiRecord)};
        uint64_t end = kHeaderSize;
        uint64_t offsets[kKinds];
        for (uint32_t k = 0; k < kKinds; ++k) {
            offsets[k] = end;
            end += (uint64_t(kSize[k]) * capacity + 63) / 64 * 64;
        }
        const int fd = ::open(path.c_str(), O_RDWR | O_CREAT | O_TRUNC, 0644);
        if (fd < 0) throw std::runtime_error("record file " + path + " cannot be made: " + std::strerror(errno));
        if (::ftruncate(fd, static_cast<off_t>(end)) != 0) {
            throw std::runtime_error("record file " + path + " cannot grow to " + std::to_string(end) + " bytes: " + std::strerror(errno));
        }
        base_ = static_cast<uint8_t*>(::mmap(nullptr, end, PROT_READ | PROT_WRITE, MAP_SHARED, fd, 0));
        ::close(fd);
        if (base_ == MAP_FAILED) throw std::runtime_error("record file " + path + " cannot be mapped: " + std::strerror(errno));
        table_ = reinterpret_cast<Entry*>(base_ + kTableOffset);
        for (uint32_t k = 0; k < kKinds; ++k) table_[k] = Entry{kSize[k], capacity, offsets[k], 0, 0, 0, {}};
        const uint32_t head[4] = {kRecordVersion, kLanes, kKinds, kHeaderSize};
        std::memcpy(base_ + 8, head, sizeof head);
        std::memcpy(base_, "VXRECORD", 8);  // last: a file with the magic is complete
        drain_level_ = capacity / 2;
    }
    Rings(const Rings&) = delete;

    bool enabled(uint32_t kind) const { return mask_ >> kind & 1; }
    void set_mask(uint32_t mask) { mask_ = mask; }

    // The next record of type T, cleared and with `seq` and `cycle` filled in; `commit` publishes it.
    template <class T>
    T* begin(uint64_t cycle) {
        T* record = place<T>();
        std::memset(record, 0, sizeof(T));
        record->seq = seq_++;
        record->cycle = cycle;
        return record;
    }
    template <class T>
    void commit(const T*) {
        Entry& entry = table_[T::kKind];
        ++entry.head;
        if (entry.head - entry.tail >= drain_level_) wants_drain_ = true;
    }

    // The same in two steps, for the one kind that counts: a complete record that has taken its `seq` is copied in.
    uint64_t next_seq() { return seq_++; }
    template <class T>
    void append(const T& record) {
        std::memcpy(place<T>(), &record, sizeof(T));
        commit(&record);
    }

    bool wants_drain() const { return wants_drain_; }
    void drain_requested() { wants_drain_ = false; }
    const Entry& entry(uint32_t kind) const { return table_[kind]; }

  private:
    // Where the next record goes; the oldest is given up if nobody has read it.
    template <class T>
    T* place() {
        Entry& entry = table_[T::kKind];
        if (entry.head - entry.tail > place_mask_) {
            ++entry.tail;
            ++entry.lost;
        }
        return reinterpret_cast<T*>(base_ + entry.offset) + (entry.head & place_mask_);
    }

    uint8_t* base_ = nullptr;
    Entry* table_ = nullptr;
    uint64_t seq_ = 0;
    uint64_t drain_level_ = 0;
    uint64_t place_mask_;
    uint32_t mask_ = ~0u;
    bool wants_drain_ = false;
};

}  // namespace vx
