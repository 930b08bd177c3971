// ElfImage: looks up exported symbols in a library that is mapped in memory, without its file.
//
// Why: the addresses of HotSpot's tables are exported symbols of libjvm. Its file on disk is not
// reliable: an update may have deleted or replaced it, or it may be in a container whose paths do
// not exist here. What the dynamic linker needs is always mapped (program headers, dynamic section,
// hash table, symbols, names), and has the same form in this process, in another one and in a core
// file.
//
// Guarantees: everything that is read is checked, because the memory may belong to another process.
// A symbol's address is always inside the image. Every lookup takes a bounded number of steps. Only
// 64-bit little-endian images are supported, which covers every supported HotSpot. The Memory must
// outlive the object.
// Threads: those of the Memory (over a BlockCache: one), because every lookup reads it.
// Failure: Read returns a message that says what is damaged. Find returns nullopt if there is no
// such symbol or its entry is damaged.
#pragma once

#include <cstdint>
#include <optional>
#include <string_view>

#include "agent/hotspot/memory.h"
#include "writer/base/status.h"

namespace iprof::hotspot {

class ElfImage {
 public:
  // `base` is the address at which the first byte of the file is mapped.
  static Result<ElfImage> Read(const Memory& memory, Address base);

  // The address of a symbol that this library defines and exports.
  std::optional<Address> Find(std::string_view name) const;

 private:
  explicit ElfImage(const Memory& memory) : memory_(&memory) {}

  Status ReadSegments(Address base);
  Status ReadDynamic(Address dynamic, uint64_t size);
  bool Contains(Address from, uint64_t size) const {
    return low_ <= from && from <= high_ && size <= high_ - from;
  }
  // The dynamic section has offsets from the load address. glibc's linker replaces them with
  // addresses; musl's does not.
  Address Absolute(uint64_t value) const { return value < low_ ? value + bias_ : value; }
  std::optional<uint32_t> FirstInBucket(uint32_t hash) const;
  std::optional<Address> AddressOf(uint32_t symbol, std::string_view name) const;

  const Memory* memory_;
  Address low_ = 0, high_ = 0;  // of all segments together
  Address bias_ = 0;            // add this to an address in the file
  Address symbols_ = 0;
  Address names_ = 0;
  uint64_t names_size_ = 0;
  // The hash table: the buckets, then the chains, which hold one hash per symbol from first_symbol_
  // on.
  Address buckets_ = 0, chains_ = 0;
  uint32_t bucket_count_ = 0, first_symbol_ = 0;
};

}  // namespace iprof::hotspot
