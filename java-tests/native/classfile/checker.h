// The structural checker: is a rewritten class well-formed?
//
// Guarantees: it does not depend on how the rewriter lays out code; it reads the result as the
// JVM's parser does. It checks that everything is inside the file, that every offset in a rewritten
// method's tables is that of an instruction, that tables are within their ranges, that stack map
// frames ascend, and that stack depths are consistent. It does not check types; the JVM's verifier
// does. Memory is proportional to the input, and there is no recursion. For tests, tools and
// fuzzing.
// Threads: one per workspace. Failure: the result says what is wrong and where.
#pragma once

#include "agent/classfile/class_file.h"

namespace iprof::classfile {

struct CheckResult {
  const char* problem = nullptr;  // null when well-formed
  uint32_t method = 0;
  uint32_t offset = 0;  // in the code, if the problem has an offset

  bool ok() const { return problem == nullptr; }
};

// Checks every method whose bytes differ. All other methods, and everything else in the class, must
// be unchanged.
CheckResult CheckRewritten(ByteSpan original, ByteSpan rewritten, Workspace& memory);

}  // namespace iprof::classfile
