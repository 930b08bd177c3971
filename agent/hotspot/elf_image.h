// ElfImage: the symbols of a library as it lies in memory, found without its file.
//
// Why: where HotSpot's tables are, only symbols of libjvm tell. Files mislead: the library may have been deleted or replaced
// by an update, or lie in a container whose paths mean nothing here. What the dynamic linker needs is always mapped, and is
// the same for this process, another one and a core file: program headers, dynamic section, hash table, symbols, names.
//
// Guarantees: everything that is read is checked and bounded, since it may be another process's: a damaged image fails or has
// no such symbol, a symbol lies inside the image, and no lookup takes more than a fixed number of steps. 64-bit little-endian
// images only, which is every supported HotSpot. Nothing changes after Read; any thread. The Memory must outlive the object.
#pragma once

#include <cstdint>
#include <optional>
#include <string_view>

#include "agent/hotspot/memory.h"
#include "writer/base/status.h"

namespace iprof::hotspot {

class ElfImage {
 public:
  // `base`: where the first byte of the file is mapped.
  static Result<ElfImage> Read(const Memory& memory, Address base);

  // The address of an exported symbol that is defined here.
  std::optional<Address> Find(std::string_view name) const;

 private:
  explicit ElfImage(const Memory& memory) : memory_(&memory) {}

  Status ReadSegments(Address base);
  Status ReadDynamic(Address dynamic, uint64_t size);
  bool Contains(Address from, uint64_t size) const {
    return low_ <= from && from <= high_ && size <= high_ - from;
  }
  // The dynamic linker of glibc has replaced offsets by addresses, that of musl has not.
  Address Absolute(uint64_t value) const { return value < low_ ? value + bias_ : value; }
  std::optional<uint32_t> FirstInBucket(uint32_t hash) const;
  std::optional<Address> AddressOf(uint32_t symbol, std::string_view name) const;

  const Memory* memory_;
  Address low_ = 0, high_ = 0;  // of all segments
  Address bias_ = 0;            // from the file's addresses to the memory's
  Address symbols_ = 0;
  Address names_ = 0;
  uint64_t names_size_ = 0;
  // The hash table: buckets, and a chain of hashes for all symbols from the first on.
  Address buckets_ = 0, chains_ = 0;
  uint32_t bucket_count_ = 0, first_symbol_ = 0;
};

}  // namespace iprof::hotspot
