// ClassOutline: where a class file stores lengths and counts, for tools that change a class and
// keep it readable.
//
// Guarantees: reads every class file that ClassFile::Parse accepts, even if its code and attributes
// are damaged. A part that does not follow its format becomes a stretch without tables. All offsets
// are inside the bytes. After a change of the bytes, read them again.
// Threads: const methods may run in parallel after Read. Failure: Read returns false.
#pragma once

#include <vector>

#include "agent/classfile/class_file.h"

namespace iprof::classfile {

// Bytes whose length is stored in a field before them: the contents of an attribute, or of code.
struct Stretch {
  uint32_t field;  // offset of the length field
  uint32_t width;  // of that field, 2 or 4 bytes
  uint32_t begin;
  uint32_t end;
  int parent;  // the stretch around this one, or kOutside
};
inline constexpr int kOutside = -1;

enum class TableKind : uint8_t {
  kInterfaces,
  kFields,
  kMethods,
  kAttributes,
  kExceptions,  // of one Code attribute
  kLines,       // LineNumberTable
  kVariables,   // LocalVariableTable, LocalVariableTypeTable
  kRanges,      // CharacterRangeTable
  kFrames,      // StackMapTable
};

// Elements whose count is stored in a two-byte field before them.
struct ElementTable {
  TableKind kind;
  uint32_t field;
  int parent;                    // the stretch around it, or kOutside
  int code;                      // the code that its elements refer to, or kOutside
  std::vector<uint32_t> starts;  // of each element, then the end of the last one
  uint32_t count() const { return static_cast<uint32_t>(starts.size()) - 1; }
};

struct CodeOutline {
  uint32_t max_stack;  // its offset; max_locals follows
  int stretch;         // of the instructions
  // Offsets of instructions, as far as they can be read, then the code's length.
  std::vector<uint32_t> boundaries;
};

class ClassOutline {
 public:
  // Returns false if ClassFile::Parse refuses the bytes.
  bool Read(ByteSpan bytes);

  const ClassFile& file() const { return file_; }
  const std::vector<Stretch>& stretches() const { return stretches_; }
  const std::vector<ElementTable>& tables() const { return tables_; }
  const std::vector<CodeOutline>& codes() const { return codes_; }

 private:
  void ReadMembers(TableKind kind, uint32_t at, std::span<const MemberInfo> members);
  // Reads attributes whose count is at `at`. Returns their end, or 0 if they do not fit before
  // `end`.
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
