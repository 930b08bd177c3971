// Runs inside the sampling signal handler (Add and what it calls): atomics and plain memory only.
#include "agent/sampling/core/trace_table.h"

#include <sys/mman.h>

#include <algorithm>
#include <bit>
#include <cassert>
#include <cerrno>
#include <cstring>
#include <new>
#include <string>

namespace iprof::sampling {
namespace {

constexpr size_t kAlign = 16;
// One index entry per this many bytes. A trace of 40 frames takes about 500 bytes.
constexpr size_t kBytesPerEntry = 512;
// The number of the thread is above it.
constexpr uint32_t kCutFlag = 1;

// A bci with its CodeStamp, in one number. A negative bci has no stamp.
uint32_t PositionOf(const CallFrame& frame) {
  constexpr int32_t kMostBci = 0xffff;
  if (frame.bci < 0 || frame.bci > kMostBci)
    return uint32_t{CodeStamp::kReserved} << 16 | (static_cast<uint32_t>(frame.bci) & 0xffff);
  return uint32_t{frame.code.bits()} << 16 | static_cast<uint32_t>(frame.bci);
}

// Mixes in a frame with one 64x64 -> 128 bit multiplication, folded to 64 bits. Two multiplications
// per frame would only be slower.
uint64_t Fold(uint64_t a, uint64_t b) {
  const unsigned __int128 product = static_cast<unsigned __int128>(a) * b;
  return static_cast<uint64_t>(product) ^ static_cast<uint64_t>(product >> 64);
}

uint64_t HashOf(std::span<const CallFrame> frames, uint32_t flags) {
  uint64_t hash = 0x9e3779b97f4a7c15U ^ (frames.size() << 32 | flags);
  for (const CallFrame& frame : frames) {
    hash = Fold(hash ^ reinterpret_cast<uintptr_t>(frame.method),
                0xd6e8feb86659fd93U ^ (uint64_t{PositionOf(frame)} << 17)) +
           0x632be59bd9b4e019U;
  }
  return hash;
}

// Of an entry. Period 0 has the hash of the trace.
uint64_t HashIn(uint32_t period, uint64_t hash) {
  if (period != 0) hash = Fold(hash ^ period, 0xa0761d6478bd642fU) + period;
  return hash == 0 ? 1 : hash;  // 0 marks a free entry
}

}  // namespace

CallFrame TraceView::frame(size_t i) const {
  const auto method = reinterpret_cast<void*>(methods_[i]);
  const auto stamp = static_cast<uint16_t>(positions_[i] >> 16);
  if (stamp == CodeStamp::kReserved) return {static_cast<int32_t>(positions_[i]), method};
  return {static_cast<int32_t>(positions_[i] & 0xffff), method, CodeStamp::FromBits(stamp)};
}

// A trace in the arena: this header, then the methods, then the positions.
struct TraceTable::Record {
  uint32_t depth;
  uint32_t flags;

  uint64_t* methods() { return reinterpret_cast<uint64_t*>(this + 1); }
  uint32_t* positions() { return reinterpret_cast<uint32_t*>(methods() + depth); }
  const uint64_t* methods() const { return reinterpret_cast<const uint64_t*>(this + 1); }
  const uint32_t* positions() const { return reinterpret_cast<const uint32_t*>(methods() + depth); }

  static size_t Bytes(size_t depth) {
    const size_t bytes = sizeof(Record) + depth * (sizeof(uint64_t) + sizeof(uint32_t));
    return (bytes + kAlign - 1) / kAlign * kAlign;
  }
};

Result<std::unique_ptr<TraceTable>> TraceTable::Create(size_t bytes) {
  if (bytes < kMinBytes || bytes > kMaxBytes) {
    return Status(Code::kLimit, "the memory for samples must be between 64k and 64g, not " +
                                    std::to_string(bytes) + " bytes");
  }
  void* mapping = mmap(nullptr, bytes, PROT_READ | PROT_WRITE,
                       MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
  if (mapping == MAP_FAILED) {
    return Status(Code::kIo, "cannot reserve " + std::to_string(bytes) +
                                 " bytes for samples: " + std::strerror(errno));
  }
  const size_t entry_count = std::bit_floor(bytes / kBytesPerEntry);
  return std::unique_ptr<TraceTable>(
      new TraceTable(static_cast<char*>(mapping), bytes, entry_count));
}

TraceTable::TraceTable(char* mapping, size_t bytes, size_t entry_count)
    : mapping_(mapping),
      bytes_(bytes),
      // A new anonymous mapping is zero, which is the free state of every entry. Initialising the
      // entries would touch all pages.
      entries_(reinterpret_cast<Entry*>(mapping)),
      entry_count_(entry_count),
      arena_(mapping + entry_count * sizeof(Entry)),
      arena_bytes_(bytes - entry_count * sizeof(Entry)),
      // Offsets 0 and kNoRoom have special meanings.
      arena_used_(kAlign) {}

TraceTable::~TraceTable() { munmap(mapping_, bytes_); }

bool TraceTable::Drop(uint64_t weight) noexcept {
  dropped_samples_.fetch_add(1, std::memory_order_relaxed);
  dropped_weight_.fetch_add(weight, std::memory_order_relaxed);
  return false;
}

void TraceTable::AddWeight(size_t place, uint64_t weight) noexcept {
  entries_[place].weight.fetch_add(weight, std::memory_order_relaxed);
}

bool TraceTable::Add(std::span<const CallFrame> frames, bool cut, uint64_t weight, size_t* place,
                     TraceLabels labels) noexcept {
  const uint32_t flags = labels.thread << 1 | (cut ? kCutFlag : 0);
  const uint64_t hash_of_trace = HashOf(frames, flags);
  const uint64_t hash = HashIn(labels.period, hash_of_trace);
  const size_t mask = entry_count_ - 1;
  size_t index = static_cast<size_t>(hash) & mask;
  for (size_t probe = 0; probe < kMaxProbes; ++probe, index = (index + 1) & mask) {
    Entry& entry = entries_[index];
    uint64_t found = entry.hash.load(std::memory_order_acquire);
    if (found == 0 && entry.hash.compare_exchange_strong(found, hash, std::memory_order_acq_rel)) {
      uint64_t offset = FindEarlier(frames, flags, hash_of_trace, labels.period);
      if (offset == kNoRoom) offset = Publish(frames, flags);
      if (place != nullptr && offset != kNoRoom) *place = index;
      entry.samples.fetch_add(1, std::memory_order_relaxed);
      entry.weight.fetch_add(weight, std::memory_order_relaxed);
      entry.record.store(offset | uint64_t{labels.period} << kPeriodShift,
                         std::memory_order_release);
      return offset !=
             kNoRoom;  // this entry keeps counting; usage() adds its counts to the dropped ones
    }
    if (found != hash) continue;
    const uint64_t record = entry.record.load(std::memory_order_acquire);
    const uint64_t offset = record & kOffsetMask;
    if (offset > kNoRoom &&
        (record >> kPeriodShift != labels.period || !Equals(offset, frames, flags)))
      continue;
    if (place != nullptr && offset != kNoRoom) *place = index;
    entry.samples.fetch_add(1, std::memory_order_relaxed);
    entry.weight.fetch_add(weight, std::memory_order_relaxed);
    return offset != kNoRoom;
  }
  return Drop(weight);
}

// The offset of the trace's record, or kNoRoom.
uint64_t TraceTable::FindEarlier(std::span<const CallFrame> frames, uint32_t flags, uint64_t hash,
                                 uint32_t period) const noexcept {
  const size_t mask = entry_count_ - 1;
  for (uint32_t back = 1; back <= std::min(period, kEarlierPeriods); ++back) {
    const uint64_t hash_there = HashIn(period - back, hash);
    size_t index = static_cast<size_t>(hash_there) & mask;
    for (size_t probe = 0; probe < kMaxProbes; ++probe, index = (index + 1) & mask) {
      const uint64_t found = entries_[index].hash.load(std::memory_order_acquire);
      if (found == 0) break;
      if (found != hash_there) continue;
      const uint64_t offset = entries_[index].record.load(std::memory_order_acquire) & kOffsetMask;
      if (offset > kNoRoom && Equals(offset, frames, flags)) return offset;
    }
  }
  return kNoRoom;
}

uint64_t TraceTable::Publish(std::span<const CallFrame> frames, uint32_t flags) noexcept {
  const size_t bytes = Record::Bytes(frames.size());
  uint64_t at = arena_used_.load(std::memory_order_relaxed);
  do {
    if (bytes > arena_bytes_ - at) return kNoRoom;
  } while (!arena_used_.compare_exchange_weak(at, at + bytes, std::memory_order_relaxed));
  records_.fetch_add(1, std::memory_order_relaxed);
  auto* record = new (arena_ + at) Record;
  record->depth = static_cast<uint32_t>(frames.size());
  record->flags = flags;
  uint64_t* methods = record->methods();
  uint32_t* positions = record->positions();
  for (size_t i = 0; i < frames.size(); ++i) {
    methods[i] = reinterpret_cast<uintptr_t>(frames[i].method);
    positions[i] = PositionOf(frames[i]);
  }
  return at;
}

bool TraceTable::Equals(uint64_t offset, std::span<const CallFrame> frames,
                        uint32_t flags) const noexcept {
  const auto* record = reinterpret_cast<const Record*>(arena_ + offset);
  if (record->depth != frames.size() || record->flags != flags) return false;
  const uint64_t* methods = record->methods();
  const uint32_t* positions = record->positions();
  for (size_t i = 0; i < frames.size(); ++i) {
    if (methods[i] != reinterpret_cast<uintptr_t>(frames[i].method) ||
        positions[i] != PositionOf(frames[i]))
      return false;
  }
  return true;
}

bool TraceTable::Read(size_t index, TraceView* view) const {
  const Entry& entry = entries_[index];
  const uint64_t published = entry.record.load(std::memory_order_acquire);
  const uint64_t offset = published & kOffsetMask;
  if (offset <= kNoRoom) return false;
  const auto* record = reinterpret_cast<const Record*>(arena_ + offset);
  view->methods_ = record->methods();
  view->positions_ = record->positions();
  view->depth_ = record->depth;
  view->cut_ = (record->flags & kCutFlag) != 0;
  view->thread_ = record->flags >> 1;
  view->period_ = static_cast<uint32_t>(published >> kPeriodShift);
  view->samples_ = entry.samples.load(std::memory_order_relaxed);
  view->weight_ = entry.weight.load(std::memory_order_relaxed);
  view->place_ = index;
  return true;
}

TraceTable::Usage TraceTable::usage() const {
  Usage usage;
  usage.bytes_used = static_cast<size_t>(arena_used_.load(std::memory_order_relaxed)) - kAlign;
  usage.bytes_capacity = arena_bytes_ - kAlign;
  usage.dropped_samples = dropped_samples_.load(std::memory_order_relaxed);
  usage.dropped_weight = dropped_weight_.load(std::memory_order_relaxed);
  usage.distinct = records_.load(std::memory_order_relaxed);
  for (size_t i = 0; i < entry_count_; ++i) {
    const uint64_t record = entries_[i].record.load(std::memory_order_acquire);
    if ((record & kOffsetMask) != kNoRoom) continue;
    usage.dropped_samples += entries_[i].samples.load(std::memory_order_relaxed);
    usage.dropped_weight += entries_[i].weight.load(std::memory_order_relaxed);
  }
  return usage;
}

size_t TraceTable::memory_bytes() const {
  constexpr size_t kPageBytes = 4096;
  constexpr size_t kEntriesAPage = kPageBytes / sizeof(Entry);
  size_t pages = (arena_used_.load(std::memory_order_relaxed) + kPageBytes - 1) / kPageBytes;
  for (size_t i = 0; i < entry_count_; ++i) {
    if (entries_[i].hash.load(std::memory_order_relaxed) == 0) continue;
    ++pages;
    i = i / kEntriesAPage * kEntriesAPage + kEntriesAPage - 1;  // the rest of the page
  }
  return pages * kPageBytes;
}

}  // namespace iprof::sampling
