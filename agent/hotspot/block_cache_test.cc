#include "agent/hotspot/block_cache.h"

#include <catch2/catch.hpp>

namespace iprof::hotspot {
namespace {

constexpr Address kPage = 4096;

// Readable in [low, high); its bytes say how often it was read before.
class Counting final : public Memory {
 public:
  Counting(Address low, Address high) : low_(low), high_(high) {}
  bool Read(Address from, void* into, size_t size) const override {
    if (from < low_ || from + size > high_) return false;
    std::memset(into, static_cast<int>(reads), size);
    ++reads;
    return true;
  }
  mutable uint8_t reads = 0;

 private:
  Address low_, high_;
};

TEST_CASE("a block is read once, until it is forgotten") {
  const Counting memory(0, 4 * BlockCache::kBlockBytes);
  BlockCache cache(memory);
  CHECK(cache.Load<uint8_t>(5) == 0);
  CHECK(cache.Load<uint8_t>(BlockCache::kBlockBytes - 1) == 0);
  CHECK(memory.reads == 1);
  CHECK(cache.Load<uint16_t>(BlockCache::kBlockBytes - 1) == 0x100);  // over an edge
  CHECK(memory.reads == 2);
  cache.Forget(6, 1);
  CHECK(cache.Load<uint8_t>(5) == 2);
  CHECK(cache.Load<uint8_t>(BlockCache::kBlockBytes) == 1);
}

TEST_CASE("what is mapped of a block can be read") {
  const Counting memory(kPage, 3 * kPage);
  const BlockCache cache(memory);
  CHECK_FALSE(cache.Load<uint8_t>(kPage - 1));
  CHECK(cache.Load<uint8_t>(kPage));
  CHECK(cache.Load<uint16_t>(2 * kPage - 1));
  CHECK(cache.Load<uint8_t>(3 * kPage - 1));
  CHECK_FALSE(cache.Load<uint16_t>(3 * kPage - 1));
  CHECK_FALSE(cache.Load<uint64_t>(UINT64_MAX - 3));
}

TEST_CASE("nothing can be read from anywhere") {
  const Counting memory(0, BlockCache::kBlockBytes);
  const BlockCache cache(memory);
  CHECK(cache.Read(5, nullptr, 0));
  CHECK(cache.Load<uint8_t>(5));
  CHECK(cache.Read(5, nullptr, 0));  // memcpy must not be called with null
  CHECK(cache.Read(UINT64_MAX, nullptr, 0));
}

}  // namespace
}  // namespace iprof::hotspot
