#include "agent/instrument/table/code_hash.h"

#include "writer/base/code_length.h"
#include "writer/base/murmur3.h"

namespace iprof::instrument {

uint64_t CodeHash(const classfile::MethodCode& code, classfile::SymbolicCode& scratch) {
  if (!classfile::MakeSymbolic(code, &scratch)) return 0;
  return WithCodeLength(Murmur3(scratch.bytes()).low, code.code().size());
}

}  // namespace iprof::instrument
