// ThriftWriter and ThriftReader: the compact protocol of Apache Thrift, in which Parquet files describe themselves.
//
// A struct is a list of fields, each with its number and type, and a 0 behind the last one. Numbers are zigzag varints.
//
//   ThriftWriter out;                       reads as
//   out.Integer(3, -1);                     35 01: field 3 (3 after 0), type 5 (i32), zigzag(-1)
//   out.Text(4, "ab");                      18 02 61 62: field 4 (1 after 3), type 8 (binary), two bytes
//   out.End();                              00
//
// Guarantees: the reader never reads outside its bytes, and ends: after the first thing that is wrong, ok() is false and all
// it returns is 0 or empty. Unknown fields are skipped, to a depth of 32.
// Threads: one per object. Failure: ok(); std::bad_alloc.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

namespace iprof::parquet {

enum class ThriftType : uint8_t {
  kTrue = 1,
  kFalse = 2,
  kByte = 3,
  kI16 = 4,
  kI32 = 5,
  kI64 = 6,
  kDouble = 7,
  kBinary = 8,
  kList = 9,
  kSet = 10,
  kMap = 11,
  kStruct = 12,
};

class ThriftWriter {
 public:
  void Integer(int field, int64_t value, ThriftType type = ThriftType::kI32);
  void Bool(int field, bool value) { Head(field, value ? ThriftType::kTrue : ThriftType::kFalse); }
  void Text(int field, std::string_view text);
  void BeginStruct(int field);
  // Then as many elements: numbers with Element, texts with Element, structs between BeginElement and End.
  void BeginList(int field, ThriftType of, size_t count);
  void Element(int64_t number) { Zigzag(number); }
  void Element(std::string_view text);
  void BeginElement() { last_fields_.push_back(0); }
  // Of a struct; the outermost one, too.
  void End();

  const std::string& bytes() const { return bytes_; }

 private:
  void Head(int field, ThriftType type);
  void Varint(uint64_t value);
  void Zigzag(int64_t value);

  std::string bytes_;
  std::vector<int> last_fields_ = {0};
};

class ThriftReader {
 public:
  explicit ThriftReader(std::string_view bytes) : bytes_(bytes) {}

  struct Field {
    int number = 0;
    ThriftType type = ThriftType::kStruct;
  };
  // Calls visit(Field) for each field of a struct; what it does not read, it passes to Skip.
  template <typename Visit>
  void Struct(Visit visit) {
    if (++depth_ > kMostDepth) ok_ = false;
    Field field;
    while (ok_ && Next(field)) visit(field);
    --depth_;
  }
  // Calls visit(type) for each element of a list; it must read it, or pass it to Skip.
  template <typename Visit>
  void List(Visit visit) {
    const uint64_t head = Byte();
    uint64_t count = head >> 4;
    if (count == kLongList) count = Varint();
    const auto type = static_cast<ThriftType>(head & 0xf);
    if (count > bytes_.size() - at_) ok_ = false;  // each takes a byte at least
    for (uint64_t i = 0; i < count && ok_; ++i) visit(type);
  }
  int64_t Integer();
  std::string_view Text();
  void Skip(ThriftType type, bool is_element = false);

  bool ok() const { return ok_; }
  size_t at() const { return at_; }

 private:
  static constexpr int kMostDepth = 32;
  static constexpr uint64_t kLongList = 15;

  bool Next(Field& field);
  uint64_t Byte();
  uint64_t Varint();
  void Pass(uint64_t count);

  std::string_view bytes_;
  size_t at_ = 0;
  int depth_ = 0;
  bool ok_ = true;
};

}  // namespace iprof::parquet
