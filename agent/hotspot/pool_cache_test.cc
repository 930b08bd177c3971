// Reading the cache of a constant pool, old and new layouts (original_code.h).
#include <catch2/catch.hpp>
#include <vector>

#include "agent/hotspot/bytes_memory.h"
#include "agent/hotspot/original_code.h"

namespace iprof::hotspot {
namespace {

constexpr Address kBase = BlockCache::kBlockBytes;
constexpr size_t kPage = 4096;
constexpr Address kCache = kBase + 64;
constexpr Address kMap = kBase + 256;
constexpr Address kFields = kBase + 512;
constexpr Address kMethods = kBase + 1024;
constexpr int32_t kEntries = 20;

// Both kinds of layout: entries behind the cache, or arrays of resolved ones.
MetadataLayout Layout(bool has_arrays) {
  MetadataLayout layout;
  layout.array = {0, 4, 8, 4};
  layout.cache.references = 0;
  layout.cache.length = 8;
  layout.cache.size = 16;
  if (has_arrays) {
    layout.cache.fields = {.at = 24, .size = 12, .index = 4, .data = 8};
    layout.cache.methods = {.at = 32, .size = 24, .index = 16, .data = 16};
  } else {
    layout.cache.entry_size = 8;
    layout.cache.entry_index = 2;
  }
  return layout;
}

BytesMemory WithArrays(int32_t length) {
  BytesMemory bytes(std::vector<uint8_t>(kPage), kBase);
  bytes.Put(kCache, kMap);
  bytes.Put(kCache + 24, kFields);
  bytes.Put(kCache + 32, kMethods);
  for (const Address at : {kMap, kFields, kMethods}) bytes.Put(at, length);
  for (int32_t i = 0; i < kEntries; ++i) {
    const auto step = static_cast<Address>(i);
    bytes.Put(kMap + 4 + 2 * step, static_cast<uint16_t>(300 + i));
    bytes.Put(kFields + 8 + 12 * step + 4, static_cast<uint16_t>(100 + i));
    bytes.Put(kMethods + 16 + 24 * step + 16, static_cast<uint16_t>(200 + i));
  }
  return bytes;
}

template <typename Check>
void WithCache(const BytesMemory& bytes, bool has_arrays, Check check) {
  const BlockCache memory(bytes);
  const MetadataLayout layout = Layout(has_arrays);
  TextStore texts;
  const Metadata metadata(memory, layout, texts);
  check(PoolCache(metadata, Pool{.tags = {}, .slots = {}, .cache = kCache}));
}

TEST_CASE("the indices of resolved fields, methods and references are found") {
  WithCache(WithArrays(kEntries), true, [](const PoolCache& cache) {
    for (uint32_t i = 0; i < kEntries; ++i) {
      CHECK(cache.OfField(i) == 100 + i);
      CHECK(cache.OfMethod(i) == 200 + i);
      CHECK(cache.OfReference(i) == 300 + i);
    }
    CHECK_FALSE(cache.OfField(kEntries));
    CHECK_FALSE(cache.OfMethod(kEntries));
    CHECK_FALSE(cache.OfReference(kEntries));
    CHECK_FALSE(cache.OfField(UINT32_MAX));
    CHECK(cache.dynamic_entries() == 0);
    CHECK_FALSE(cache.OfDynamic(0));
  });
}

TEST_CASE("older versions have entries of all kinds behind the cache") {
  BytesMemory bytes(std::vector<uint8_t>(kPage), kBase);
  bytes.Put(kCache + 8, kEntries);
  for (int32_t i = 0; i < kEntries; ++i)
    bytes.Put(kCache + 16 + 8 * static_cast<Address>(i) + 2, static_cast<uint16_t>(50 + i));
  WithCache(bytes, false, [](const PoolCache& cache) {
    CHECK(cache.dynamic_entries() == kEntries);
    for (uint32_t i = 0; i < kEntries; ++i) {
      CHECK(cache.OfField(i) == 50 + i);
      CHECK(cache.OfMethod(i) == 50 + i);
      CHECK(cache.OfDynamic(i) == 50 + i);
    }
    CHECK_FALSE(cache.OfField(kEntries));
    CHECK_FALSE(cache.OfReference(0));  // there is no map
  });
}

TEST_CASE("a length that makes no sense means that there is nothing") {
  for (const int32_t length : {-1, INT32_MIN, (1 << 20) + 1, INT32_MAX}) {
    WithCache(WithArrays(length), true, [](const PoolCache& cache) {
      CHECK_FALSE(cache.OfField(0));
      CHECK_FALSE(cache.OfMethod(0));
      CHECK_FALSE(cache.OfReference(0));
    });
  }
}

TEST_CASE("of an array that cannot be read as a whole, the rest is found") {
  WithCache(WithArrays(1 << 20), true, [](const PoolCache& cache) {
    CHECK(cache.OfField(kEntries - 1) == 100 + kEntries - 1);
    CHECK_FALSE(cache.OfField(kPage));
    CHECK_FALSE(cache.OfField((1 << 20) - 1));
  });
}

}  // namespace
}  // namespace iprof::hotspot
