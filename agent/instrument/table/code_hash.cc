#include "agent/instrument/table/code_hash.h"

#include "writer/base/murmur3.h"

namespace iprof::instrument {

uint64_t CodeHash(const classfile::MethodCode& code, classfile::SymbolicCode& scratch) {
  return classfile::MakeSymbolic(code, &scratch) ? Murmur3(scratch.bytes()).low : 0;
}

}  // namespace iprof::instrument
