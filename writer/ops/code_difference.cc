#include "writer/ops/code_difference.h"

#include <fmt/core.h>

#include <optional>
#include <vector>

#include "writer/base/grouped.h"
#include "writer/profile/code_hashes.h"

namespace iprof {

std::string CodeDifference::Describe() const {
  if (differing == 0) return {};
  return fmt::format("the code of {} of {} differs", Grouped(differing),
                     Counted(compared, "method", "methods"));
}

CodeDifference CompareCode(const Profile& a, const Profile& b) {
  CodeDifference difference;
  if (!a.has_code_hashes() || !b.has_code_hashes()) return difference;
  std::vector<TypeIndex> signature;
  for (const MethodIndex method : MethodsOf(a)) {
    if (a.CodeHash(method) == 0) continue;
    signature.clear();
    bool is_known = true;
    for (const TypeIndex type : a.Signature(method)) {
      const auto there = b.FindType(a.TypeName(type));
      is_known = is_known && there;
      if (there) signature.push_back(*there);
    }
    if (!is_known) continue;
    const auto there = b.FindMethod(a.MethodName(method), signature);
    if (!there || b.CodeHash(*there) == 0) continue;
    ++difference.compared;
    if (!IsSameCode(a.CodeHash(method), b.CodeHash(*there))) ++difference.differing;
  }
  return difference;
}

}  // namespace iprof
