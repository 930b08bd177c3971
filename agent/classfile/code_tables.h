// The tables of a Code attribute that hold bytecode offsets, stack maps apart.
//
// Guarantees: each function appends a table's new contents, or gives false when the table does not
// follow its format or does not fit the code (an obfuscator's work, which the JVM tolerates); the
// caller then drops the table. No recursion: nested annotations are walked with an explicit stack
// whose size is bounded by the bytes that nest.
#pragma once

#include "agent/classfile/layout.h"

namespace iprof::classfile {

// Source lines of trampolines: a trampoline belongs to the line of the branch that uses it, so that
// a debugger that steps and a stack that is printed see no foreign line.
class StubLines {
 public:
  // Reads every LineNumberTable of the method; without stubs there is nothing to do.
  void Read(const MethodCode& code, const Layout& layout, Arena& arena);
  // Appends {position, line} of each stub and of what follows an island; gives their number.
  uint32_t Write(const MethodCode& code, const Layout& layout, ByteBuffer& out) const;

 private:
  uint16_t* line_of_ = nullptr;  // by instruction; 0 = none
};

// `extra_lines` (may be null) are appended to this table.
bool WriteLineNumbers(ByteSpan table, const MethodCode& code, const Layout& layout,
                      const StubLines* extra_lines, ByteBuffer& out);
// LocalVariableTable and LocalVariableTypeTable.
bool WriteLocalVariables(ByteSpan table, const MethodCode& code, const Layout& layout,
                         ByteBuffer& out);
bool WriteCharacterRanges(ByteSpan table, const MethodCode& code, const Layout& layout,
                          ByteBuffer& out);
// RuntimeVisibleTypeAnnotations and RuntimeInvisibleTypeAnnotations of code.
bool WriteTypeAnnotations(ByteSpan table, const MethodCode& code, const Layout& layout,
                          const uint32_t* new_exception_index, Arena& arena, ByteBuffer& out);

}  // namespace iprof::classfile
