#include "agent/instrument/site_table.h"

#include <algorithm>
#include <cstring>
#include <new>

namespace iprof::instrument {

bool SiteTable::Append(const MethodRecord& record) {
  try {
    std::vector<uint8_t> bytes;
    bytes.reserve(128);
    EncodeSiteRecord(record, &bytes);
    std::lock_guard lock(mutex_);
    const size_t used = chunks_.empty() ? 0 : static_cast<size_t>(end_ - chunks_.back().begin);
    if (chunks_.empty() || chunks_.back().capacity - used < bytes.size()) {
      const size_t capacity = std::max(kChunkBytes, bytes.size());
      chunks_.push_back({end_, capacity, std::unique_ptr<uint8_t[]>(new uint8_t[capacity])});
    }
    Chunk& chunk = chunks_.back();
    std::memcpy(chunk.bytes.get() + (end_ - chunk.begin), bytes.data(), bytes.size());
    end_ += bytes.size();
    record_count_.fetch_add(1, std::memory_order_release);
    return true;
  } catch (const std::bad_alloc&) {
    return false;
  }
}

SitePosition SiteTable::End() const {
  std::lock_guard lock(mutex_);
  return SitePosition{end_};
}

size_t SiteTable::MemoryBytes() const {
  std::lock_guard lock(mutex_);
  size_t bytes = chunks_.capacity() * sizeof(Chunk);
  for (const Chunk& chunk : chunks_) bytes += chunk.capacity;
  return bytes;
}

std::span<const uint8_t> SiteTable::RunAt(uint64_t at, uint64_t to) const {
  std::lock_guard lock(mutex_);
  const auto after = std::upper_bound(chunks_.begin(), chunks_.end(), at,
                                      [](uint64_t p, const Chunk& c) { return p < c.begin; });
  const Chunk& chunk = *(after - 1);
  const uint64_t end = after == chunks_.end() ? end_ : after->begin;
  return {chunk.bytes.get() + (at - chunk.begin), static_cast<size_t>(std::min(end, to) - at)};
}

}  // namespace iprof::instrument
