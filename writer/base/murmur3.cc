#include "writer/base/murmur3.h"

#include <bit>
#include <cstring>

namespace iprof {
namespace {

constexpr uint64_t kC1 = 0x87c37b91114253d5;
constexpr uint64_t kC2 = 0x4cf5ad432745937f;

uint64_t MixLow(uint64_t k) { return std::rotl(k * kC1, 31) * kC2; }
uint64_t MixHigh(uint64_t k) { return std::rotl(k * kC2, 33) * kC1; }

uint64_t Finish(uint64_t h) {
  h = (h ^ (h >> 33)) * 0xff51afd7ed558ccd;
  h = (h ^ (h >> 33)) * 0xc4ceb9fe1a85ec53;
  return h ^ (h >> 33);
}

// Eight bytes as a little-endian number.
uint64_t Word(const uint8_t* at) {
  uint64_t value = 0;
  std::memcpy(&value, at, sizeof value);
  return std::endian::native == std::endian::little ? value : __builtin_bswap64(value);
}

// Up to eight bytes as a little-endian number.
uint64_t Tail(const uint8_t* at, size_t count) {
  uint64_t value = 0;
  for (size_t i = 0; i < count && i < 8; ++i) value |= uint64_t{at[i]} << (8 * i);
  return value;
}

}  // namespace

Hash128 Murmur3(std::span<const uint8_t> bytes) {
  uint64_t h1 = 0;
  uint64_t h2 = 0;
  const uint8_t* at = bytes.data();
  size_t left = bytes.size();
  for (; left >= 16; at += 16, left -= 16) {
    h1 = (std::rotl(h1 ^ MixLow(Word(at)), 27) + h2) * 5 + 0x52dce729;
    h2 = (std::rotl(h2 ^ MixHigh(Word(at + 8)), 31) + h1) * 5 + 0x38495ab5;
  }
  if (left > 8) h2 ^= MixHigh(Tail(at + 8, left - 8));
  if (left > 0) h1 ^= MixLow(Tail(at, left));
  h1 ^= bytes.size();
  h2 ^= bytes.size();
  h1 += h2;
  h2 += h1;
  h1 = Finish(h1);
  h2 = Finish(h2);
  h1 += h2;
  h2 += h1;
  return {h1, h2};
}

Hash128 Murmur3(std::string_view text) {
  return Murmur3(std::span(reinterpret_cast<const uint8_t*>(text.data()), text.size()));
}

}  // namespace iprof
