// ClassOutline: where a class file tells lengths and numbers, for tools that change one and want
// it to stay readable.
//
// Guarantees: reads any class file that ClassFile::Parse takes, however damaged its codes and
// attributes are; what does not follow its format is a stretch without tables. Everything named
// lies within the bytes. Stale after a change: read it again.
#pragma once

#include <vector>

#include "agent/classfile/class_file.h"

namespace iprof::classfile {

// Bytes whose number stands in a field before them: the contents of an attribute, or of a code.
struct Stretch {
  uint32_t field;  // where the number stands
  uint32_t width;  // of that field, 2 or 4 bytes
  uint32_t begin;
  uint32_t end;
  int parent;  // the stretch that this one lies in, or kOutside
};
inline constexpr int kOutside = -1;

enum class TableKind : uint8_t {
  kInterfaces,
  kFields,
  kMethods,
  kAttributes,
  kExceptions,  // of a code
  kLines,       // LineNumberTable
  kVariables,   // LocalVariableTable, LocalVariableTypeTable
  kRanges,      // CharacterRangeTable
  kFrames,      // StackMapTable
};

// Elements whose number stands in a two-byte field before them.
struct ElementTable {
  TableKind kind;
  uint32_t field;
  int parent;                    // the stretch it lies in, or kOutside
  int code;                      // the code that its elements speak of, or kOutside
  std::vector<uint32_t> starts;  // of each element, and the end of the last
  uint32_t count() const { return static_cast<uint32_t>(starts.size()) - 1; }
};

struct CodeOutline {
  uint32_t max_stack;                // where it stands; max_locals behind it
  int stretch;                       // of the instructions
  std::vector<uint32_t> boundaries;  // offsets of instructions as far as they can be read, and the
                                     // code's length
};

class ClassOutline {
 public:
  // False when ClassFile::Parse refuses the bytes.
  bool Read(ByteSpan bytes);

  const ClassFile& file() const { return file_; }
  const std::vector<Stretch>& stretches() const { return stretches_; }
  const std::vector<ElementTable>& tables() const { return tables_; }
  const std::vector<CodeOutline>& codes() const { return codes_; }

 private:
  void ReadMembers(TableKind kind, uint32_t at, std::span<const MemberInfo> members);
  // Attributes whose count stands at `at`; gives the end, or 0 when they do not fit in `end`.
  uint32_t ReadAttributes(uint32_t at, uint32_t end, int parent, int code);
  void ReadAttribute(std::string_view name, int stretch, int code);
  void ReadCode(int stretch);
  std::vector<uint32_t> ReadBoundaries(uint32_t begin, uint32_t end) const;
  void ReadRows(TableKind kind, uint32_t width, int stretch, int code);
  void ReadFrames(int stretch, int code);

  Arena arena_;
  ClassFile file_;
  std::vector<Stretch> stretches_;
  std::vector<ElementTable> tables_;
  std::vector<CodeOutline> codes_;
};

}  // namespace iprof::classfile
