#include "agent/vm/events/wait_table.h"

#include "writer/base/hash.h"

namespace iprof::vm {
namespace {

// What a node and its place in a table take, beside what is in it.
constexpr size_t kTableBytes = 40;
constexpr size_t kRowBytes = sizeof(std::pair<const WaitTable::Row, WaitTable::Sum>) + kTableBytes;
constexpr size_t kBegunBytes = 2 * sizeof(int64_t) + kTableBytes;

}  // namespace

size_t WaitTable::RowHash::operator()(const Row& row) const {
  uint64_t hash = MixHash(ProcessHashSeed(), uint64_t{row.stack} << 32 | row.type);
  hash = MixHash(hash, uint64_t{row.thread} << 32 | row.owner);
  return MixHash(hash, row.is_park ? 1 : 0);
}

void WaitTable::Begin(int64_t thread, int64_t now_ns) {
  Part& part = PartOf(thread);
  const std::lock_guard lock(part.mutex);
  if (const auto known = part.begun.find(thread); known != part.begun.end()) {
    known->second = now_ns;
  } else if (part.begun.size() < kMostBegun / kParts) {
    part.begun.emplace(thread, now_ns);
    begun_count_.fetch_add(1, std::memory_order_relaxed);
  }
}

std::optional<int64_t> WaitTable::End(int64_t thread, int64_t now_ns) {
  Part& part = PartOf(thread);
  const std::lock_guard lock(part.mutex);
  const auto begun = part.begun.find(thread);
  if (begun == part.begun.end()) return std::nullopt;
  const int64_t ns = now_ns - begun->second;
  part.begun.erase(begun);
  begun_count_.fetch_sub(1, std::memory_order_relaxed);
  return ns;
}

void WaitTable::ForgetBegun() {
  for (Part& part : parts_) {
    const std::lock_guard lock(part.mutex);
    begun_count_.fetch_sub(part.begun.size(), std::memory_order_relaxed);
    part.begun.clear();
  }
}

void WaitTable::Add(const Row& row, int64_t ns) {
  const std::lock_guard lock(mutex_);
  ++waits_;
  auto known = rows_.find(row);
  if (known == rows_.end()) {
    if (!has_room_()) {
      ++dropped_;
      return;
    }
    known = rows_.emplace(row, Sum{}).first;
    row_count_.store(rows_.size(), std::memory_order_relaxed);
  }
  known->second.ns += ns;
  ++known->second.waits;
}

void WaitTable::NoteDropped() {
  const std::lock_guard lock(mutex_);
  ++waits_;
  ++dropped_;
}

void WaitTable::Reset() {
  const std::lock_guard lock(mutex_);
  rows_.clear();
  waits_ = dropped_ = 0;
  shorter_.store(0, std::memory_order_relaxed);
  row_count_.store(0, std::memory_order_relaxed);
}

std::vector<std::pair<WaitTable::Row, WaitTable::Sum>> WaitTable::Rows() const {
  const std::lock_guard lock(mutex_);
  return {rows_.begin(), rows_.end()};
}

size_t WaitTable::bytes() const {
  return row_count_.load(std::memory_order_relaxed) * kRowBytes +
         begun_count_.load(std::memory_order_relaxed) * kBegunBytes;
}

WaitTable::Figures WaitTable::figures() const {
  const std::lock_guard lock(mutex_);
  return {waits_, dropped_, shorter_.load(std::memory_order_relaxed)};
}

}  // namespace iprof::vm
