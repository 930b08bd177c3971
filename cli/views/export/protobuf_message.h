// ProtobufMessage: the bytes of one message in protobuf's wire format, field by field.
//
// Guarantees: fields appear in the order of the calls. Values that are protobuf's defaults (0, an
// empty text) are left out where `Always` is not in the name, as protobuf's own writers do.
// Threads: one per object. Failure: none but std::bad_alloc.
#pragma once

#include <cstdint>
#include <span>
#include <string>
#include <string_view>

namespace iprof {

class ProtobufMessage {
 public:
  // Types int64, uint64 and bool.
  void AddNumber(uint32_t field, int64_t value);
  // A repeated number, packed.
  void AddNumbers(uint32_t field, std::span<const int64_t> values);
  void AddText(uint32_t field, std::string_view text);
  // An element of a repeated text, also if it is empty.
  void AlwaysAddText(uint32_t field, std::string_view text);
  void AddMessage(uint32_t field, const ProtobufMessage& message);

  const std::string& bytes() const { return bytes_; }
  // Empties the message, so that a large one can be written in pieces.
  void Clear() { bytes_.clear(); }

 private:
  void PutVarint(uint64_t value);
  void PutKey(uint32_t field, uint32_t wire_type);

  std::string bytes_;
  std::string packed_;
};

}  // namespace iprof
