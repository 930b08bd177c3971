// Sealed bytes: records that another process may read later, from a file that may be truncated
// or damaged.
//
//   length     varint, of the body
//   body       begins with a version, 1 byte
//   checksum   4 bytes, little endian, FNV-1a over the body
//
// The checksum detects accidents, not attacks: a reader must check the contents of a body. Use
// BoundedReader for that.
//
// Guarantees: never reads outside its input. Reading allocates nothing; writing appends to `out`.
// Threads: any; pure functions. One thread per reader.
// Failure: reading returns a SealStatus, or sets ok() to false. Writing throws std::bad_alloc.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <string_view>
#include <vector>

namespace iprof {

enum class SealStatus : uint8_t {
  kRecord,      // the body can be read
  kEnd,         // the input is empty
  kTruncated,   // the input ends inside the record: a tail that was being written
  kDamaged,     // the checksum or the contents are wrong
  kNewVersion,  // written by another version
};

struct Sealed {
  SealStatus status = SealStatus::kEnd;
  size_t consumed = 0;  // bytes to skip to the next record; 0 if the length cannot be read
  std::span<const uint8_t> body;  // what follows the version; only for kRecord
};

// The record at the front of `bytes`.
Sealed OpenSealed(std::span<const uint8_t> bytes, uint8_t version);

// Appends the record. `body` begins with its version.
void AppendSealed(std::span<const uint8_t> body, std::vector<uint8_t>* out);

// Reads numbers and texts. After the first error, everything reads as 0 or empty, and ok()
// stays false.
class BoundedReader {
 public:
  explicit BoundedReader(std::span<const uint8_t> bytes) : bytes_(bytes) {}

  bool ok() const { return ok_; }
  bool at_end() const { return at_ == bytes_.size(); }
  size_t position() const { return at_; }

  uint32_t Get() { return static_cast<uint32_t>(GetWithin(UINT32_MAX)); }
  uint64_t Get64() { return GetWithin(UINT64_MAX); }
  uint32_t GetBelow(uint64_t limit);
  // A number of items, each of which takes at least `bytes_each`.
  uint32_t GetCount(size_t bytes_each);
  // Eight bytes, little endian.
  uint64_t GetFixed64();
  // A length, and that many bytes.
  std::span<const uint8_t> GetBytes();
  std::string_view GetText();

  uint32_t Fail() {
    ok_ = false;
    return 0;
  }

 private:
  uint64_t GetWithin(uint64_t most);

  std::span<const uint8_t> bytes_;
  size_t at_ = 0;
  bool ok_ = true;
};

// Writers for what BoundedReader reads. Numbers are varints (varint.h).
void PutFixed64(uint64_t value, std::vector<uint8_t>* out);
void PutBytes(std::span<const uint8_t> bytes, std::vector<uint8_t>* out);
void PutText(std::string_view text, std::vector<uint8_t>* out);

}  // namespace iprof
