#include "writer/records/declared_class.h"

#include <string>
#include <vector>

#include "writer/names/type_names.h"

namespace iprof {

uint64_t AddDeclaredClass(const DeclaredClass& declared, const MethodFilter& leave_out,
                          Profile& profile) {
  uint64_t left_out = 0;
  std::vector<TypeIndex> signature{profile.AddType(declared.name)};
  for (const auto& [name, descriptor] : declared.methods) {
    const auto types = SignatureOf(descriptor);
    if (!types || leave_out(declared.owner, name, descriptor)) {
      ++left_out;
      continue;
    }
    signature.resize(1);
    for (const std::string& type : *types) signature.push_back(profile.AddType(ToUtf8(type)));
    profile.AddMethod(ToUtf8(name), signature);
  }
  return left_out;
}

}  // namespace iprof
