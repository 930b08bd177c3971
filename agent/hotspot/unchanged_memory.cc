#include "agent/hotspot/unchanged_memory.h"

#include <algorithm>
#include <utility>

namespace iprof::hotspot {

UnchangedMemory::UnchangedMemory(std::vector<MappedPart> parts, Open open)
    : parts_(std::move(parts)), open_(std::move(open)) {
  std::erase_if(parts_, [](const MappedPart& part) { return !part.is_writable; });
  std::sort(parts_.begin(), parts_.end(),
            [](const MappedPart& a, const MappedPart& b) { return a.at < b.at; });
}

const MappedPart* UnchangedMemory::PartAt(Address at) const {
  const auto after =
      std::upper_bound(parts_.begin(), parts_.end(), at,
                       [](Address address, const MappedPart& part) { return address < part.at; });
  if (after == parts_.begin()) return nullptr;
  const MappedPart& part = *std::prev(after);
  return at - part.at < part.size ? &part : nullptr;
}

bool UnchangedMemory::Read(Address from, void* into, size_t size) const {
  const MappedPart* const part = PartAt(from);
  if (part == nullptr || size > part->size - (from - part->at)) return false;
  const auto [file, is_new] = files_.try_emplace(part->path);
  if (is_new) file->second = open_(*part);
  return file->second != nullptr &&
         file->second->Read(part->offset + (from - part->at), into, size);
}

}  // namespace iprof::hotspot
