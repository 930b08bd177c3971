#include "agent/instrument/kept_shapes.h"

#include "agent/classfile/class_file.h"

namespace iprof::instrument {

bool HasKeptShape(const MethodShape& method, bool black_holes) {
  if (method.code_size != 1) return false;  // one byte of code is a return or an athrow
  if (method.name == "finalize" && method.descriptor == "()V") return true;
  return black_holes && (method.access & classfile::kAccStatic) != 0 &&
         method.descriptor.ends_with(")V");
}

}  // namespace iprof::instrument
