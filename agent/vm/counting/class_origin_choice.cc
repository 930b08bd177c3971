#include "agent/vm/counting/class_origin_choice.h"

#include <fmt/core.h>

#include <string_view>

#include "agent/vm/classes/other_agents.h"
#include "writer/base/join_text.h"

namespace iprof::vm {

std::unique_ptr<ClassOrigin> MakeClassOrigin(const std::vector<std::string>& arguments,
                                             const CountingPlan& plan, Log& log) {
  const OtherAgents others = FindOtherAgents(arguments, OwnLibrary());
  const bool late = plan.startup.start == CountingStart::kRetransform;
  std::vector<std::string> first = others.before;
  if (late) first.insert(first.end(), others.after.begin(), others.after.end());
  // Our own Java agent changes no classes. Whether another one was attached besides it is not known.
  if (first.empty() && others.own_jar) return nullptr;
  if (first.empty() && late && HasJavaAgents()) first = {"attached"};
  // An environment that can retransform comes after all others, including those that are loaded later.
  if (first.empty() && !late && !plan.restorable) return nullptr;
  auto origin = std::make_unique<ClassOrigin>(log, !first.empty());
  if (first.empty()) return origin;
  const std::string names = JoinText(first, ", ");
  const std::string_view what = first.size() == 1 ? "another agent" : "other agents";
  const std::string_view verb = first.size() == 1 ? "comes" : "come";
  log.Warning(late ? fmt::format("{} ({}) may change classes first: positions "
                                 "are checked against the "
                                 "class files",
                                 what, names)
                   : fmt::format("{} ({}) {} first: put -agentpath:.../{} "
                                 "before it; positions are checked "
                                 "against the class files",
                                 what, names, verb, OwnLibrary()));
  return origin;
}

}  // namespace iprof::vm
