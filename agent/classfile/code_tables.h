// Moves the tables of a Code attribute that hold bytecode offsets, except stack maps.
//
// Guarantees: each function appends a table's new contents. Nested annotations are walked with an
// explicit stack, without recursion; its size is bounded by the number of nested bytes.
// Threads: one per arena and buffer.
// Failure: a function returns false if the table does not follow its format or does not fit the
// code. Obfuscators write such tables, and the JVM accepts them. The caller then drops the table.
#pragma once

#include "agent/classfile/layout.h"

namespace iprof::classfile {

// Calls visit(bci, line) for each entry of the method's LineNumberTables, in their order.
template <typename Visit>
void ReadLines(const MethodCode& code, Visit visit) {
  AttributeWalk walk = code.attributes();
  AttributeView attribute;
  while (walk.Next(&attribute)) {
    if (code.file().pool().Utf8(attribute.name) != "LineNumberTable") continue;
    ByteReader reader(attribute.bytes);
    const uint32_t n = reader.U2();
    if (reader.remaining() != size_t{n} * 4) continue;
    for (uint32_t k = 0; k < n; ++k) {
      const uint32_t bci = reader.U2();
      visit(bci, uint32_t{reader.U2()});
    }
  }
}

// Line numbers of trampolines. A trampoline gets the line of the branch that uses it, so that
// stepping in a debugger and stack traces show the right line.
class StubLines {
 public:
  // Reads every LineNumberTable of the method. Does nothing if there are no stubs.
  void Read(const MethodCode& code, const Layout& layout, Arena& arena);
  // Appends {position, line} for each stub and for the code after each island; returns how many.
  uint32_t Write(const MethodCode& code, const Layout& layout, ByteBuffer& out) const;

 private:
  uint16_t* line_of_ = nullptr;  // by instruction; 0: no line
};

// `extra_lines` are appended to this table; may be null.
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
