// For this room's tests: builds class files from a few bytes of code, and prints code as text.
//
// Guarantees: the constants that code may name have fixed indices. Threads: any; values only.
// Failure: Print and Rewrite return the reason's name as text.
#pragma once

#include <string>
#include <vector>

#include "agent/classfile/byte_vector.h"
#include "agent/classfile/frames.h"
#include "agent/classfile/rewriter.h"

namespace iprof::classfile {

ByteVector Op1(std::initializer_list<Op> ops);

struct TestException {
  uint16_t from;
  uint16_t to;
  uint16_t handler;
  uint16_t type = 0;
};

// A class T with one method.
struct TestClass {
  uint16_t major = 61;
  uint16_t minor = 0;
  std::string name = "m";
  std::string descriptor = "()V";
  std::string call_descriptor = "(IJ)V";
  uint16_t access = kAccStatic;
  bool has_super = true;
  uint16_t max_stack = 4;
  uint16_t max_locals = 4;
  ByteVector code;
  std::vector<TestException> exceptions;
  std::vector<std::pair<std::string, ByteVector>> attributes;  // of the Code attribute
  std::vector<std::pair<std::string, ByteVector>> method_attributes;
  uint32_t extra_constants = 0;  // Integer entries at the end of the pool

  // Constants with fixed indices, for use in code.
  static constexpr uint16_t kThis = 2;          // Class T
  static constexpr uint16_t kSuper = 4;         // Class java/lang/Object
  static constexpr uint16_t kVirtual = 10;      // Methodref T.call, call_descriptor
  static constexpr uint16_t kSuperInit = 14;    // Methodref java/lang/Object.<init>()V
  static constexpr uint16_t kStaticField = 18;  // Fieldref T.f J

  ByteVector Bytes() const;
};

// `count` nop instructions, which are easy to see in printed code.
Snippet Nops(MethodEditor& editor, int count = 1);

// Prints "0 nop / 1 goto 0 | 0-3 -> 4 any | frame 4 [I] {…}": instructions with offsets and
// targets, then exception entries, then frames.
std::string Print(ByteSpan class_bytes, Arena& arena);

// Parses the class, lets `edit` record insertions for its method, applies them and prints the
// result.
template <typename Edit>
std::string Rewrite(const TestClass& source, Edit edit, Reason* reason = nullptr,
                    RewriteOptions options = {}, ByteVector* result_bytes = nullptr) {
  const ByteVector bytes = source.Bytes();
  Workspace memory;
  ClassFile file;
  Reason r = file.Parse(bytes, memory.class_memory);
  if (r != Reason::kOk) return ReasonName(r);
  ClassRewriter rewriter(file, memory, options);
  MethodCode code;
  r = rewriter.Open(0, &code);
  if (r == Reason::kOk) {
    MethodEditor editor = rewriter.Edit(code);
    edit(editor);
    r = rewriter.Apply(editor);
  }
  if (reason != nullptr) *reason = r;
  const ByteSpan result = rewriter.Finish();
  if (result_bytes != nullptr) result_bytes->assign(result.begin(), result.end());
  if (r != Reason::kOk) {
    return std::string(ReasonName(r)) + (result.data() == bytes.data() ? "" : " but changed");
  }
  Workspace print_memory;
  return Print(result, print_memory.class_memory);
}

}  // namespace iprof::classfile
