// Layouts: what the fields of a chunk's events and constants are, as the chunk's metadata says.
//
// Example: jdk.ExecutionSample has the fields startTime (a long, in ticks), sampledThread, stackTrace and state (each the key of
// a constant). A stack of the pool jdk.types.StackTrace has a boolean and an array of jdk.types.StackFrame, whose bytes follow
// each other. A reader that wants stackTrace alone gives it a slot, and the other fields are skipped:
//   const Slots slots = layouts.SlotsOf(*event, {{"stackTrace", 0}});
//   FieldValue values[1];
//   if (layouts.Read(reader, *event, slots, values)) … values[0].number is the key
//
// Guarantees: every number of the metadata is checked: types that are not there, arrays longer than what is left, and structures
// inside each other deeper than kMostDepth are refused. Each value that is read or skipped takes at least one byte, so that work
// is in proportion to the bytes. Metadata of more than kMostBytes is refused.
// Threads: const methods in parallel. Failure: Parse returns kBadInput or kLimit; Read and Skip are false, and the reader
// has failed. Throws nothing but std::bad_alloc.
#pragma once

#include <cstddef>
#include <cstdint>
#include <initializer_list>
#include <span>
#include <string>
#include <string_view>
#include <unordered_map>
#include <utility>
#include <vector>

#include "cli/jfr/field_reader.h"
#include "writer/base/status.h"

namespace iprof::jfr {

enum class TimeUnit : uint8_t { kTicks, kNanoseconds, kMicroseconds, kMilliseconds, kSeconds };

struct Layout {
  enum class Kind : uint8_t { kByte, kShort, kInt, kLong, kFloat, kDouble, kText, kStructure };
  struct Field {
    std::string name;
    uint32_t layout = 0;  // its type, as an index
    bool is_key = false;  // of a constant of that type
    bool is_array = false;
    TimeUnit unit = TimeUnit::kTicks;  // of a time
  };

  int64_t id = 0;
  std::string name;  // "jdk.types.StackTrace"
  Kind kind = Kind::kStructure;
  std::vector<Field> fields;
};

struct FieldValue {
  const Layout::Field* field = nullptr;  // null: the layout has no such field
  int64_t number = 0;                    // also of a boolean, and the key of a constant
  FieldReader::Text text;                // valid as long as the bytes and this object are
  std::span<const uint8_t> bytes;        // of an array or a structure
  std::string made;

  bool is_given() const { return field != nullptr; }
};

class Layouts {
 public:
  static constexpr size_t kMostBytes = size_t{16} << 20;
  static constexpr int kMostDepth = 16;
  static constexpr uint8_t kNoSlot = 255;
  using Slots = std::vector<uint8_t>;  // by field
  using Wanted = std::pair<std::string_view, uint8_t>;

  Layouts() = default;
  // The bytes of the event with the metadata, behind its size and type.
  static Result<Layouts> Parse(FieldReader reader);

  const Layout* Find(int64_t id) const;
  const Layout* Named(std::string_view name) const;  // null: the chunk has no such type
  const Layout& TypeOf(const Layout::Field& field) const { return layouts_[field.layout]; }

  static Slots SlotsOf(const Layout& layout, std::span<const Wanted> wanted);
  // Fills the values of the slots. Those that no field has are empty.
  bool Read(FieldReader& reader, const Layout& layout, const Slots& slots,
            std::span<FieldValue> values) const;
  bool Skip(FieldReader& reader, const Layout& layout) const { return SkipOne(reader, layout, 0); }
  // Calls visit(reader) for each element of an array's bytes, which reads or skips it, until that is false.
  template <typename Visit>
  static bool ForEach(FieldReader reader, Visit visit) {
    for (int32_t left = reader.Int(); left > 0; --left) {
      if (!reader.ok() || !visit(reader)) return false;
    }
    return reader.ok();
  }

 private:
  struct Element;
  class Document;

  Status Add(const Document& document, const Element& type);
  Status Resolve();
  bool SkipField(FieldReader& reader, const Layout::Field& field, int depth) const;
  bool SkipOne(FieldReader& reader, const Layout& layout, int depth) const;

  std::vector<Layout> layouts_;
  std::vector<std::vector<int64_t>> field_types_;  // ids, until they are resolved
  std::unordered_map<int64_t, uint32_t> by_id_;
};

}  // namespace iprof::jfr
