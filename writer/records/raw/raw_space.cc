#include "writer/records/raw/raw_space.h"

namespace iprof {
namespace {

// A new extent has at least this many pages, and half of what its kind already has, up to a maximum.
constexpr uint64_t kLeastLogPages = 8;
constexpr uint64_t kLeastArrayPages = 2;
constexpr uint64_t kMostSlackPages = 1024;

}  // namespace

RawSpace::Needs RawSpace::NeedsOf(const RawLengths& lengths, uint64_t spare) {
  Needs needs{};
  needs[0] = RawPagesOf(lengths.log + spare);
  uint64_t hashed = 0;
  for (size_t a = 0; a < kRawHashedArrays; ++a) {
    needs[1 + a] = RawPagesOf(lengths.arrays[a]);
    hashed += needs[1 + a];
  }
  needs.back() = RawPagesOf(hashed * sizeof(uint64_t));
  return needs;
}

uint64_t RawSpace::BytesFor(const RawLengths& lengths, uint64_t spare) const {
  const Needs needs = NeedsOf(lengths, spare);
  uint64_t bytes = file_bytes_;
  for (size_t part = 0; part < needs.size(); ++part) {
    const uint64_t pages = PartAt(part).pages;
    if (needs[part] > pages) bytes += RawExtent{ArrayOf(part), needs[part] - pages}.bytes();
  }
  return bytes;
}

std::vector<RawSpace::Extent> RawSpace::Grow(const RawLengths& lengths, uint64_t spare) {
  std::vector<Extent> added;
  if (!Fits(lengths, spare)) return added;
  const Needs needs = NeedsOf(lengths, 0);
  const Needs all = NeedsOf(lengths, spare);
  for (size_t part = 0; part < needs.size(); ++part) {
    const uint64_t pages = PartAt(part).pages;
    if (needs[part] <= pages) continue;
    const uint64_t least = part == 0 ? kLeastLogPages : kLeastArrayPages;
    const uint64_t slack = std::min(pages / 2, kMostSlackPages);
    added.push_back({file_bytes_, {ArrayOf(part), std::max({needs[part] - pages, least, slack})}});
    Add(added.back().extent);
    if (Fits(lengths, spare)) continue;
    // Exactly what was found to fit, in one extent, so that what was reserved stays reserved.
    Remove(added.back());
    added.back().extent.pages = all[part] - pages;
    Add(added.back().extent);
  }
  return added;
}

void RawSpace::Add(const RawExtent& extent) {
  Part& part = MutablePart(extent);
  part.extents.push_back({file_bytes_, extent});
  part.pages += extent.pages;
  file_bytes_ += extent.bytes();
}

void RawSpace::Remove(const Extent& last) {
  Part& part = MutablePart(last.extent);
  part.extents.pop_back();
  part.pages -= last.extent.pages;
  file_bytes_ = last.offset;
}

RawSpace::Part& RawSpace::MutablePart(const RawExtent& extent) {
  return extent.array ? arrays_[static_cast<size_t>(*extent.array)] : log_;
}

size_t RawSpace::memory_bytes() const {
  size_t extents = log_.extents.capacity();
  for (const Part& part : arrays_) extents += part.extents.capacity();
  return extents * sizeof(Extent);
}

}  // namespace iprof
