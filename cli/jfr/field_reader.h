// FieldReader: the numbers and texts of which events, constants and metadata of a recording are made.
//
// Example: with compressed integers, 300 is the bytes ac 02, seven bits a byte, the lowest first; a ninth byte has eight bits.
// Without, an int has four bytes, the highest first. A text is one byte that says how it is written, and then: 0 null, 1
// empty, 2 a key of the pool of strings, 3 UTF-8, 4 UTF-16 characters as integers, 5 Latin-1.
//
// Guarantees: reads nothing outside its bytes. After the first failure, everything is 0 or empty, and ok() is false.
// Threads: one per object. Failure: ok(); at() is where it was. Throws nothing but std::bad_alloc.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <string>
#include <string_view>

namespace iprof::jfr {

class FieldReader {
 public:
  explicit FieldReader(std::span<const uint8_t> bytes, bool compressed = true)
      : bytes_(bytes), compressed_(compressed) {}

  bool ok() const { return ok_; }
  size_t at() const { return at_; }
  size_t left() const { return bytes_.size() - at_; }
  void Fail() {
    ok_ = false;
    at_ = bytes_.size();
  }

  uint8_t Byte();
  // Integers of 2, 4 and 8 bytes where they are not compressed. Int has its sign.
  uint16_t Short() { return static_cast<uint16_t>(Integer(2)); }
  int32_t Int() { return static_cast<int32_t>(static_cast<uint32_t>(Integer(4))); }
  int64_t Long() { return static_cast<int64_t>(Integer(8)); }
  uint64_t Fixed(size_t bytes);  // the highest byte first
  std::span<const uint8_t> Bytes(uint64_t count);

  // A text in the JVM's modified UTF-8.
  struct Text {
    std::string_view text;  // in the bytes, or in `made`
    bool is_key = false;
    int64_t key = 0;  // of the pool of strings
  };
  Text ReadText(std::string* made);

 private:
  uint64_t Integer(size_t bytes) { return compressed_ ? Compressed() : Fixed(bytes); }
  uint64_t Compressed();

  std::span<const uint8_t> bytes_;
  size_t at_ = 0;
  bool compressed_;
  bool ok_ = true;
};

}  // namespace iprof::jfr
