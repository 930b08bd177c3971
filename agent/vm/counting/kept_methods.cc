#include "agent/vm/counting/kept_methods.h"

#include <fmt/format.h>

#include <algorithm>

#include "writer/base/grouped.h"

namespace iprof::vm {
namespace {

std::string_view TextOf(WhyKept why) {
  switch (why) {
    case WhyKept::kLoop:
      return "a loop in the class runs all the time";
    case WhyKept::kUnsteady:
      return "calls did not do the same in two intervals";
    case WhyKept::kUncalled:
      return "the callers are not counted";
    case WhyKept::kUnchangeable:
      return "the JVM cannot change the class, or somebody else redefined it";
    case WhyKept::kSwapped:
      return "the class was changed too often already";
    case WhyKept::kDoesNotPay:
      return "taking them out has not paid yet";
  }
  return "";
}

}  // namespace

void KeptMethods::Note(WhyKept why, double increments_per_s, std::string_view class_name,
                       std::string_view method) {
  Group& group = groups_[static_cast<size_t>(why)];
  if (group.methods++ > 0 && increments_per_s <= group.hottest) return;
  group.hottest = increments_per_s;
  group.example = class_name;
  std::replace(group.example.begin(), group.example.end(), '/', '.');
  group.example += '.';
  group.example += method;
}

std::vector<KeptMethods::Reason> KeptMethods::Reasons() const {
  std::vector<Reason> reasons;
  for (size_t why = 0; why < kReasons; ++why) {
    const Group& group = groups_[why];
    if (group.methods == 0) continue;
    reasons.push_back(
        {fmt::format("{} ({})", TextOf(static_cast<WhyKept>(why)), group.example), group.methods});
  }
  std::stable_sort(reasons.begin(), reasons.end(),
                   [](const Reason& a, const Reason& b) { return a.methods > b.methods; });
  return reasons;
}

std::string DescribeKept(const std::vector<KeptMethods::Reason>& reasons) {
  std::string text;
  for (const KeptMethods::Reason& reason : reasons) {
    if (text.empty()) {
      text =
          fmt::format("{} {} because {}", Grouped(reason.methods),
                      reason.methods == 1 ? "method keeps its probes" : "methods keep their probes",
                      reason.what);
    } else {
      text += fmt::format(", and {} because {}", Grouped(reason.methods), reason.what);
    }
  }
  return text;
}

}  // namespace iprof::vm
