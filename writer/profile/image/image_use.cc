#include "writer/profile/image/image_use.h"

#include <algorithm>

namespace iprof {
namespace {

constexpr MachineryRule kThreadRule{kThreadType, "*", MachineryKind::kCalls,
                                    "a thread is no method"};

}  // namespace

MethodUse::MethodUse(const ClassUse& klass, std::string_view method,
                     std::span<const std::string_view> parameters)
    : substitution_(SubstitutionIn(klass.substitutions_, method, parameters)),
      machinery_(klass.is_thread_ ? &kThreadRule : FindMachinery(klass.machinery_, method)),
      is_platform_(klass.is_platform_) {}

MethodUse::MethodUse(std::string_view class_name, std::string_view method,
                     std::span<const std::string_view> parameters)
    : MethodUse(ClassUse(class_name), method, parameters) {}

ImageUse MethodUse::For(ImageTarget target) const {
  if (machinery_ != nullptr) {
    return machinery_->kind == MachineryKind::kWork ? ImageUse::kMachineryWork
                                                    : ImageUse::kMachineryCalls;
  }
  if ((substitution_.absent & BitOf(target)) != 0) return ImageUse::kAbsent;
  if ((substitution_.replaced & BitOf(target)) != 0) return ImageUse::kReplaced;
  return ImageUse::kSame;
}

bool IsWorkOfJvm(std::span<const MethodUse* const> uses) {
  for (const MethodUse* use : uses) {
    if (!use->is_platform()) return false;
    if (use->machinery() != nullptr) return use->machinery()->kind == MachineryKind::kWork;
  }
  return false;
}

StackCut CutStack(std::span<const MethodUse* const> uses, ImageTarget target) {
  if (IsWorkOfJvm(uses)) return {};
  StackCut cut;
  while (cut.first < uses.size() && !AreCallsUsable(uses[cut.first]->For(target))) ++cut.first;
  cut.last = cut.first;
  if (cut.first == uses.size()) return {};
  cut.first_at_0 = uses[cut.first]->For(target) == ImageUse::kReplaced;
  cut.last = cut.first + CutCallers(uses.subspan(cut.first), target);
  return cut;
}

size_t CutCallers(std::span<const MethodUse* const> uses, ImageTarget target) {
  const auto callers = uses.subspan(1);
  const auto end = std::find_if(callers.begin(), callers.end(), [&](const MethodUse* use) {
    return !IsPositionUsable(use->For(target));
  });
  return 1 + static_cast<size_t>(end - callers.begin());
}

}  // namespace iprof
