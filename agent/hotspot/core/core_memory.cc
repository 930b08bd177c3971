#include "agent/hotspot/core/core_memory.h"

#include <algorithm>

namespace iprof::hotspot {
namespace {

// The part that contains the address, or the first one behind it; end() if there is none.
template <typename Part>
auto AtOrBehind(const std::vector<Part>& parts, Address at) {
  return std::partition_point(parts.begin(), parts.end(), [&](const Part& part) {
    return part.at <= at && at - part.at >= part.size;
  });
}

}  // namespace

bool CoreMemory::Read(Address from, void* into, size_t size) const {
  if (from > UINT64_MAX - size) return false;
  auto* to = static_cast<char*>(into);
  while (size > 0) {
    const size_t some = ReadSome(from, to, size);
    if (some == 0) return false;
    to += some;
    from += some;
    size -= some;
  }
  return true;
}

size_t CoreMemory::ReadSome(Address from, char* to, size_t size) const {
  const auto segment = AtOrBehind(layout_.segments, from);
  uint64_t most = size;
  if (segment != layout_.segments.end()) {
    if (segment->at <= from) {
      const uint64_t inside = from - segment->at;
      most = std::min(most, segment->size - inside);
      return file_.Read(segment->offset + inside, to, most) ? most : 0;
    }
    most = std::min(most, segment->at - from);
  }
  const auto mapping = AtOrBehind(layout_.mappings, from);
  if (mapping == layout_.mappings.end() || mapping->at > from) return 0;
  const uint64_t inside = from - mapping->at;
  most = std::min(most, mapping->size - inside);
  const Memory* const mapped = Mapped(mapping->path);
  if (mapped == nullptr) return 0;
  return mapped->Read(mapping->offset + inside, to, most) ? most : 0;
}

const Memory* CoreMemory::Mapped(const std::string& path) const {
  if (!open_) return nullptr;
  const auto [known, is_new] = mapped_.try_emplace(path);
  if (is_new) {
    known->second = open_(path);
    if (known->second == nullptr && missing_.empty()) missing_ = path;
  }
  return known->second.get();
}

}  // namespace iprof::hotspot
