#include "agent/vm/harvest/names_in_profile.h"

#include <string>
#include <vector>

#include "writer/names/type_names.h"

namespace iprof::vm {

std::optional<TypeIndex> FindClass(const Profile& profile, const hotspot::HarvestedClass& klass) {
  if (klass.stable_name.empty()) return std::nullopt;
  const std::string stable(klass.stable_name);
  const auto name = TypeNameOf(Descriptor(klass.is_array ? stable : "L" + stable + ";"));
  return name ? profile.FindType(ToUtf8(*name)) : std::nullopt;
}

std::optional<MethodIndex> FindMethod(const Profile& profile, TypeIndex owner,
                                      const hotspot::HarvestedMethod& method) {
  const auto types = SignatureOf(method.descriptor);
  if (!types) return std::nullopt;
  std::vector<TypeIndex> signature{owner};
  for (const std::string& name : *types) {
    const auto type = profile.FindType(ToUtf8(name));
    if (!type) return std::nullopt;
    signature.push_back(*type);
  }
  return profile.FindMethod(ToUtf8(method.name), signature);
}

}  // namespace iprof::vm
