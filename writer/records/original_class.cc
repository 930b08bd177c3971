#include "writer/records/original_class.h"

#include <string>

#include "writer/base/murmur3.h"
#include "writer/records/class_record.h"

namespace iprof {
namespace {

uint64_t KeyOf(std::string_view name, std::string_view descriptor) {
  std::string key(name);
  return Murmur3(key.append(descriptor)).low;  // '(' starts descriptors, and is in no name
}

}  // namespace

void OriginalClass::AddMethod(std::string_view name, std::string_view descriptor,
                              uint64_t code_hash) {
  code_hashes_[KeyOf(name, descriptor)] = code_hash;
}

MethodOrigin OriginalClass::Judge(const CountedMethod& method) const {
  if (!understood_) return MethodOrigin::kChanged;
  const auto found = code_hashes_.find(KeyOf(method.name, method.descriptor));
  if (found == code_hashes_.end()) return MethodOrigin::kAdded;
  // Without probes, no position can be wrong.
  const bool same = !method.rewritten || (found->second != 0 && found->second == method.code_hash);
  return same ? MethodOrigin::kSame : MethodOrigin::kChanged;
}

}  // namespace iprof
