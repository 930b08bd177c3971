// BlockCache: keeps what has been read of another process, in blocks of 16 KiB.
//
// Why: the structures of a class are small, close together, and connected by pointers. One system
// call for each field would cost more than everything else.
//
// Guarantees: a block is read once, so all reads of a block see the same moment, until Forget drops
// it. Where a part of a block is not mapped, the rest can still be read.
// Threads: one. Failure: as that of the Memory behind it.
#pragma once

#include <array>
#include <cstdint>
#include <cstdlib>
#include <cstring>
#include <memory>
#include <optional>
#include <vector>

#include "agent/hotspot/memory.h"
#include "writer/base/number_map.h"

namespace iprof::hotspot {

class BlockCache final : public Memory {
 public:
  static constexpr Address kBlockBytes = 16 << 10;

  explicit BlockCache(const Memory& memory) : memory_(memory) {}

  bool Read(Address from, void* into, size_t size) const override {
    const Address offset = from % kBlockBytes;
    const Recent& recent = recent_[RecentOf(from)];
    if (size > 0 && recent.address == from - offset && size <= kBlockBytes - offset) {
      std::memcpy(into, recent.bytes + offset, size);
      return true;
    }
    return ReadParts(from, into, size);
  }

  // As Memory's, but without a virtual call: a harvest loads half a million fields.
  template <typename T>
  std::optional<T> Load(Address from) const {
    T value;
    if (!Read(from, &value, sizeof value)) return std::nullopt;
    return value;
  }

  // The next reads of these bytes get what is there then.
  void Forget(Address from, size_t size);
  // The same for everything. Keeps the memory for new blocks.
  void ForgetAll();

 private:
  static constexpr Address kPageBytes = 4096;
  static constexpr uint8_t kAllPages = (1 << (kBlockBytes / kPageBytes)) - 1;
  static constexpr size_t kRecent = 512;

  // Many blocks, in memory of large pages where the kernel has them: touching small ones for the
  // first time takes longer than filling them. What is not touched of it takes no memory.
  static constexpr size_t kLargePage = 2 << 20;
  static constexpr size_t kChunkBytes = 8 * kLargePage;
  struct FreeChunk {
    void operator()(unsigned char* chunk) const { std::free(chunk); }
  };
  using Chunk = std::unique_ptr<unsigned char, FreeChunk>;

  struct Block {
    unsigned char* bytes = nullptr;  // null: forgotten
    uint8_t readable_pages = 0;      // one bit for each
  };
  // A block that can be read as a whole and was used not long ago.
  struct Recent {
    Address address = 1;  // no block starts at 1
    const unsigned char* bytes = nullptr;
  };

  static size_t RecentOf(Address at) { return at / kBlockBytes % kRecent; }

  bool ReadParts(Address from, void* into, size_t size) const;
  const Block& At(Address block) const;
  unsigned char* NewBytes() const;

  const Memory& memory_;
  mutable NumberMap<Block> blocks_;  // by address + 1
  mutable std::vector<Chunk> chunks_;
  mutable std::vector<unsigned char*> free_;
  mutable std::array<Recent, kRecent> recent_;
};

}  // namespace iprof::hotspot
