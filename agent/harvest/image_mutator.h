// ImageMutator: changes a RecordedImage as a race, a damaged core file or an unknown layout would.
//
// One mutation is 1 to 128 changes: random bytes; pointers that lead elsewhere, in circles or
// nowhere; sizes and lengths that are huge or negative; pages that are missing. Half of the changes
// are made at pointers or near what they point to, because most other bytes are never looked at.
//
// Guarantees: the same number makes the same changes to the same image. After Undo the image is
// what it was.
// Threads: one. Failure: none but std::bad_alloc.
#pragma once

#include <cstdint>
#include <map>
#include <random>
#include <vector>

#include "agent/harvest/recorded_image.h"

namespace iprof::hotspot {

class ImageMutator {
 public:
  // The image must have pages, and pointers to them.
  explicit ImageMutator(RecordedImage& image);

  void Apply(uint64_t number);
  void Undo();

 private:
  void ChangeOnce();
  void Put(Address at, const void* bytes, size_t size);
  uint64_t Below(uint64_t limit) { return random_() % limit; }
  uint64_t ExtremeNumber();
  Address AnyPage() { return pages_[Below(pages_.size())]; }
  Address AnyPointer() { return pointers_[Below(pointers_.size())]; }
  Address NearTarget(Address pointer);

  RecordedImage& image_;
  std::vector<Address> pages_;
  std::vector<Address> pointers_;  // where the words are
  std::map<Address, RecordedImage::Page> before_;
  std::mt19937_64 random_;
};

}  // namespace iprof::hotspot
