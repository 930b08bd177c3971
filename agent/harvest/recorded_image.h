// RecordedImage: the memory that was read of a process, to be read again later and elsewhere. For
// tests and fuzzing: the reader runs on a real JVM's structures without that JVM.
//
// RecordingMemory reads another Memory and keeps every page of which something was read, as it was
// at that time. RecordedImage is these pages, and the kernel's list of the process's mappings; it is
// written to a file and read from it.
//
// Guarantees: what was recorded reads the same; every other address fails.
// Threads: one. Failure: Read returns a message if a file is not such an image.
#pragma once

#include <array>
#include <cstdint>
#include <iosfwd>
#include <map>
#include <string>
#include <vector>

#include "agent/hotspot/memory.h"
#include "writer/base/status.h"

namespace iprof::hotspot {

class RecordedImage final : public Memory {
 public:
  static constexpr size_t kPageBytes = 4096;
  using Page = std::array<uint8_t, kPageBytes>;

  static Result<RecordedImage> From(std::istream& in);
  void Save(std::ostream& out) const;

  bool Read(Address from, void* into, size_t size) const override;

  // The byte at an address, to be changed; null if it was not recorded.
  uint8_t* At(Address at);

  std::string maps;
  std::map<Address, Page> pages;
};

class RecordingMemory final : public Memory {
 public:
  explicit RecordingMemory(const Memory& memory) : memory_(memory) {}

  bool Read(Address from, void* into, size_t size) const override;

  const RecordedImage& image() const { return image_; }
  RecordedImage& image() { return image_; }

 private:
  const Memory& memory_;
  mutable RecordedImage image_;
};

}  // namespace iprof::hotspot
