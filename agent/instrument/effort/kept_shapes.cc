#include "agent/instrument/effort/kept_shapes.h"

#include "agent/classfile/class_file.h"

namespace iprof::instrument {

bool IsBenchmarkHarness(std::string_view name) {
  // Blackhole and its superclasses BlackholeL0 to BlackholeL4.
  if (name.starts_with("org/openjdk/jmh/infra/Blackhole")) return true;
  // Classes that JMH's generator writes: PACKAGE/jmh_generated/CLASS_METHOD_jmhTest, …_jmhType_B1.
  constexpr std::string_view kGenerated = "jmh_generated/";
  const size_t at = name.find(kGenerated);
  return at == 0 || (at != std::string_view::npos && name[at - 1] == '/');
}

bool HasKeptShape(const MethodShape& method, bool black_holes) {
  if (method.code_size != 1) return false;  // one byte of code is a return or an athrow
  if (method.name == "finalize" && method.descriptor == "()V") return true;
  return black_holes && (method.access & classfile::kAccStatic) != 0 &&
         method.descriptor.ends_with(")V");
}

}  // namespace iprof::instrument
