#include "agent/harvest/names_in_profile.h"

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

std::vector<uint32_t> ClassesOf(const Profile& profile, const hotspot::HarvestedProgram& program) {
  std::vector<uint32_t> classes(profile.type_count(), hotspot::kNoClass);
  std::vector<uint64_t> counts(profile.type_count());
  for (uint32_t c = 0; c < program.classes.size(); ++c) {
    if (program.classes[c].is_previous_version) continue;
    const auto type = FindClass(profile, program.classes[c]);
    if (!type) continue;
    const auto t = static_cast<size_t>(*type);
    const uint64_t counted = hotspot::CountsOf(program, program.classes[c]);
    if (classes[t] != hotspot::kNoClass && counted <= counts[t]) continue;
    classes[t] = c;
    counts[t] = counted;
  }
  return classes;
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
