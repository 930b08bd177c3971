// Big-endian loads and stores, and the index types of the class-file room.
//
// Guarantees: unaligned access is fine. The load and store functions do not check bounds; callers
// do. To parse untrusted bytes, use ByteReader.
// Threads: any; pure functions. Failure: only ByteReader can fail; see there.
#pragma once

#include <bit>
#include <cstdint>
#include <cstring>
#include <span>
#include <string_view>

namespace iprof::classfile {

using ByteSpan = std::span<const uint8_t>;

// A bytecode offset in the original code. Never an instruction index or an offset in rewritten
// code.
enum class Bci : uint16_t {};
// A constant-pool index. No valid entry has the index 0 (none).
enum class CpIndex : uint16_t { none = 0 };
// The position of an instruction in a method's instruction list, 0 … count-1.
using Insn = uint32_t;

constexpr uint16_t Value(Bci b) { return static_cast<uint16_t>(b); }
constexpr uint16_t Value(CpIndex i) { return static_cast<uint16_t>(i); }

inline uint16_t LoadU2(const uint8_t* p) {
  uint16_t v;
  std::memcpy(&v, p, 2);
  return __builtin_bswap16(v);
}
inline uint32_t LoadU4(const uint8_t* p) {
  uint32_t v;
  std::memcpy(&v, p, 4);
  return __builtin_bswap32(v);
}
inline int16_t LoadS2(const uint8_t* p) { return static_cast<int16_t>(LoadU2(p)); }
inline int32_t LoadS4(const uint8_t* p) { return static_cast<int32_t>(LoadU4(p)); }
inline void StoreU2(uint8_t* p, uint32_t value) {
  const uint16_t v = __builtin_bswap16(static_cast<uint16_t>(value));
  std::memcpy(p, &v, 2);
}
inline void StoreU4(uint8_t* p, uint32_t value) {
  const uint32_t v = __builtin_bswap32(value);
  std::memcpy(p, &v, 4);
}
inline void StoreU8(uint8_t* p, uint64_t value) {
  const uint64_t v = __builtin_bswap64(value);
  std::memcpy(p, &v, 8);
}
static_assert(std::endian::native == std::endian::little, "loads and stores swap bytes");

// Reads untrusted bytes. A read past the end returns 0, and from then on ok() is false.
class ByteReader {
 public:
  explicit ByteReader(ByteSpan bytes)
      : begin_(bytes.data()), at_(bytes.data()), end_(bytes.data() + bytes.size()) {}

  bool ok() const { return ok_; }
  size_t position() const { return static_cast<size_t>(at_ - begin_); }
  size_t remaining() const { return static_cast<size_t>(end_ - at_); }
  const uint8_t* at() const { return at_; }

  uint8_t U1() { return Take(1) ? at_[-1] : uint8_t{0}; }
  uint16_t U2() { return Take(2) ? LoadU2(at_ - 2) : uint16_t{0}; }
  uint32_t U4() { return Take(4) ? LoadU4(at_ - 4) : uint32_t{0}; }
  bool Skip(size_t n) { return Take(n); }

 private:
  bool Take(size_t n) {
    if (n > remaining()) {
      ok_ = false;
      at_ = end_;
      return false;
    }
    at_ += n;
    return true;
  }

  const uint8_t* begin_;
  const uint8_t* at_;
  const uint8_t* end_;
  bool ok_ = true;
};

}  // namespace iprof::classfile
