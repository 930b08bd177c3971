// RawSpace: where in a raw file the log and the arrays are (raw_format.h): its extents, and the room that
// is left.
//
// Guarantees: the file's extents never reach beyond the maximum. What Fits once still fits later, if
// only what was passed to Fits is added, because Grow takes more than it needs only where room stays
// for that. Pure arithmetic, without a file.
// Threads: one at a time. Failure: Grow adds nothing that does not fit; std::bad_alloc.
#pragma once

#include <algorithm>
#include <array>
#include <cstdint>
#include <optional>
#include <vector>

#include "writer/records/raw/raw_format.h"

namespace iprof {

// How long the log and the arrays are, in bytes. The array of hashes is added by RawSpace.
struct RawLengths {
  uint64_t log = 0;
  std::array<uint64_t, kRawHashedArrays> arrays{};
};

constexpr uint64_t RawPagesOf(uint64_t bytes) {
  return (bytes + kRawPageBytes - 1) / kRawPageBytes;
}

class RawSpace {
 public:
  explicit RawSpace(uint64_t most_bytes) : most_bytes_(most_bytes) {}

  struct Extent {
    uint64_t offset = 0;
    RawExtent extent;
  };

  // Whether the file has room for this, and for `spare` more bytes of log.
  bool Fits(const RawLengths& lengths, uint64_t spare) const {
    return BytesFor(lengths, spare) <= most_bytes_;
  }
  // Makes room for this. Returns the new extents, ascending; nothing if it does not fit.
  std::vector<Extent> Grow(const RawLengths& lengths, uint64_t spare);
  // The next extent of a file that exists.
  void Add(const RawExtent& extent);

  uint64_t file_bytes() const { return file_bytes_; }
  uint64_t most_bytes() const { return most_bytes_; }
  uint64_t log_bytes() const { return log_.pages * kRawPageBytes; }
  // Pages that a copy of the array has.
  uint64_t pages(RawArray array) const { return Of(array).pages; }

  // Calls visit(offset in the file, offset in the log, bytes) for each piece of the log from `begin`
  // to `end`, until it returns false.
  template <typename Visit>
  bool ForEachLogPiece(uint64_t begin, uint64_t end, Visit visit) const {
    uint64_t extent_begin = 0;
    for (const Extent& extent : log_.extents) {
      const uint64_t extent_end = extent_begin + extent.extent.pages * kRawPageBytes;
      const uint64_t from = std::max(begin, extent_begin);
      const uint64_t to = std::min(end, extent_end);
      if (from < to &&
          !visit(extent.offset + kRawPageBytes + (from - extent_begin), from, to - from))
        return false;
      extent_begin = extent_end;
    }
    return true;
  }

  // Calls visit(offset in the file, first page, pages) for each piece of a copy of the array, from the
  // page `begin` to `end`, until it returns false.
  template <typename Visit>
  bool ForEachPiece(RawArray array, size_t copy, uint64_t begin, uint64_t end, Visit visit) const {
    uint64_t extent_begin = 0;
    for (const Extent& extent : Of(array).extents) {
      const uint64_t extent_end = extent_begin + extent.extent.pages;
      const uint64_t from = std::max(begin, extent_begin);
      const uint64_t to = std::min(end, extent_end);
      const uint64_t page = 1 + copy * extent.extent.pages + (from - extent_begin);
      if (from < to && !visit(extent.offset + page * kRawPageBytes, from, to - from)) return false;
      extent_begin = extent_end;
    }
    return true;
  }

  size_t memory_bytes() const;

 private:
  struct Part {
    std::vector<Extent> extents;
    uint64_t pages = 0;  // of all extents, of one copy
  };
  using Needs = std::array<uint64_t, 1 + kRawArrays>;  // pages: the log, then the arrays

  static Needs NeedsOf(const RawLengths& lengths, uint64_t spare);
  static std::optional<RawArray> ArrayOf(size_t part) {
    if (part == 0) return std::nullopt;
    return static_cast<RawArray>(part - 1);
  }
  uint64_t BytesFor(const RawLengths& lengths, uint64_t spare) const;
  void Remove(const Extent& last);
  Part& MutablePart(const RawExtent& extent);
  const Part& PartAt(size_t part) const { return part == 0 ? log_ : arrays_[part - 1]; }
  const Part& Of(RawArray array) const { return arrays_[static_cast<size_t>(array)]; }

  const uint64_t most_bytes_;
  uint64_t file_bytes_ = kRawFirstExtent;
  Part log_;
  std::array<Part, kRawArrays> arrays_;
};

}  // namespace iprof
