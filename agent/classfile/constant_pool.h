// ConstantPool: a read-only view of a class file's constants.
//
// Guarantees: Parse checks that every entry has a known tag and is inside the file. References
// between entries are checked when they are used. Views point into the class file's bytes, which
// must outlive them. Strings are modified UTF-8, unconverted.
// Threads: const methods may run in parallel.
// Failure: Parse returns the reason. A wrong reference gives an empty optional or view, never
// undefined behaviour.
#pragma once

#include <optional>
#include <string_view>

#include "agent/classfile/arena.h"
#include "agent/classfile/bytes.h"
#include "agent/classfile/reason.h"

namespace iprof::classfile {

enum class Tag : uint8_t {
  kUnusable = 0,  // index 0, and the second index of a long or double
  kUtf8 = 1,
  kInteger = 3,
  kFloat = 4,
  kLong = 5,
  kDouble = 6,
  kClass = 7,
  kString = 8,
  kFieldref = 9,
  kMethodref = 10,
  kInterfaceMethodref = 11,
  kNameAndType = 12,
  kMethodHandle = 15,
  kMethodType = 16,
  kDynamic = 17,
  kInvokeDynamic = 18,
  kModule = 19,
  kPackage = 20,
};

// The constant of an instruction that names a field, method or call site.
struct MemberRef {
  Tag tag = Tag::kUnusable;
  CpIndex owner = CpIndex::none;  // a Class; none for invokedynamic and dynamic constants
  std::string_view name;
  std::string_view descriptor;
};

class ConstantPool {
 public:
  // `file` starts at the first byte of the class file. constant_pool_count is at offset 8.
  Reason Parse(ByteSpan file, Arena& arena);

  uint32_t count() const { return count_; }          // as in the file: the last index + 1
  size_t end_offset() const { return end_offset_; }  // of the first byte after the pool

  Tag tag(CpIndex index) const {
    const uint32_t offset = Offset(index);
    return offset == 0 ? Tag::kUnusable : static_cast<Tag>(file_[offset]);
  }
  // data() is null if the entry is of another kind.
  std::string_view Utf8(CpIndex index) const;
  // The name of a Class (internal form, "java/lang/Object"), Module or Package entry.
  std::string_view ClassName(CpIndex index) const;
  // Fieldref, Methodref, InterfaceMethodref, InvokeDynamic, Dynamic.
  std::optional<MemberRef> Member(CpIndex index) const;
  // The two-byte fields of an entry, or 0 if it has none at that place.
  uint16_t FirstU2(CpIndex index) const;
  uint16_t SecondU2(CpIndex index) const;
  // The offset of an entry's tag in the file, or 0.
  uint32_t Offset(CpIndex index) const {
    const uint32_t i = Value(index);
    return i < count_ ? offsets_[i] : 0;
  }

 private:
  const uint8_t* file_ = nullptr;
  uint32_t* offsets_ = nullptr;  // of the tag byte; 0 = unusable
  uint32_t count_ = 0;
  size_t end_offset_ = 0;
};

}  // namespace iprof::classfile
