// The structural checker: is a rewritten class well-formed?
//
// Guarantees: independent of how the rewriter lays code out, it reads the result as the JVM's
// parser does: everything lies within the file, every offset of every table of a rewritten method
// points to an instruction, tables are in range, stack map frames ascend, the stack depths fit. It
// says nothing of types: the JVM's verifier does. For tests, tools and the fuzz target;
// proportional memory, no recursion.
#pragma once

#include "agent/classfile/class_file.h"

namespace iprof::classfile {

struct CheckResult {
  const char* problem = nullptr;  // null when well-formed
  uint32_t method = 0;
  uint32_t offset = 0;  // in the code, where that makes sense

  bool ok() const { return problem == nullptr; }
};

// Checks every method whose bytes differ between the two; the others, and everything else in the
// class, must be as they were.
CheckResult CheckRewritten(ByteSpan original, ByteSpan rewritten, Workspace& memory);

}  // namespace iprof::classfile
