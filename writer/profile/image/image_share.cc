#include "writer/profile/image/image_share.h"

#include <algorithm>
#include <optional>
#include <string_view>

namespace iprof {

bool IsUsable(Table table, std::span<const MethodUse* const> uses, ImageTarget target) {
  if (uses.empty()) return true;
  switch (table) {
    case Table::kMonitors:
      return true;
    case Table::kSamples:
      return !CutStack(uses, target).empty();
    case Table::kCalls:
      return AreCallsUsable(uses.front()->For(target));
    case Table::kConditionals:
    case Table::kVirtualInvokes:
    case Table::kInstanceOfs:
      return IsPositionUsable(uses.front()->For(target));
  }
  return false;
}

void ImageShare::Add(Table table, std::span<const MethodUse* const> uses, int64_t weight,
                     ImageTarget target) {
  Part& part = tables[static_cast<size_t>(table)];
  ++part.entries;
  part.weight = SaturatingAdd(part.weight, weight);
  if (!IsUsable(table, uses, target)) return;
  ++part.usable_entries;
  part.usable_weight = SaturatingAdd(part.usable_weight, weight);
}

size_t ImageShare::entries() const {
  size_t sum = 0;
  for (const Part& part : tables) sum += part.entries;
  return sum;
}

size_t ImageShare::usable_entries() const {
  size_t sum = 0;
  for (const Part& part : tables) sum += part.usable_entries;
  return sum;
}

std::vector<MethodUse> UsesOfMethods(const Profile& profile) {
  std::vector<MethodUse> uses;
  uses.reserve(profile.method_count());
  std::vector<std::string_view> parameters;
  std::optional<TypeIndex> last;
  std::optional<ClassUse> klass;  // of that type
  for (const MethodIndex method : MethodsOf(profile)) {
    const auto signature = profile.Signature(method);
    if (last != signature[0]) {
      last = signature[0];
      klass.emplace(profile.TypeName(signature[0]));
    }
    parameters.clear();
    for (const TypeIndex type : signature.subspan(std::min<size_t>(2, signature.size())))
      parameters.push_back(profile.TypeName(type));
    uses.emplace_back(*klass, profile.MethodName(method), parameters);
  }
  return uses;
}

bool IsWorkOfJvm(const Profile& profile, std::span<const MethodUse> uses, ContextIndex context) {
  std::vector<const MethodUse*> of_frames;
  profile.ForEachFrame(
      context, [&](Frame frame) { of_frames.push_back(&uses[static_cast<size_t>(frame.method)]); });
  return IsWorkOfJvm(of_frames);
}

}  // namespace iprof
