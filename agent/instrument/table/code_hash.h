// CodeHash: the hash of a method's code by which versions of the method are compared
// (CountedMethod::code_hash). It does not depend on the numbering of constants; see
// agent/classfile/symbolic_code.h for what it covers.
//
// Guarantees: it carries the code's length (writer/base/code_length.h); the same for the same code of different class files.
// Threads: one per scratch object. Failure: 0, if a constant cannot be read.
#pragma once

#include <cstdint>

#include "agent/classfile/symbolic_code.h"

namespace iprof::instrument {

uint64_t CodeHash(const classfile::MethodCode& code, classfile::SymbolicCode& scratch);

}  // namespace iprof::instrument
