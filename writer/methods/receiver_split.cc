#include "writer/methods/receiver_split.h"

#include <algorithm>
#include <string>

namespace iprof {

ReceiverSplit::Division ReceiverSplit::Of(uint32_t site, const Callee& callee,
                                          uint64_t calls) const {
  Division made;
  made.rest = static_cast<double>(calls);
  const TypeCounts::Site* const seen = objects_ == nullptr ? nullptr : objects_->Find(site);
  if (seen == nullptr) return made;
  auto objects = static_cast<double>(seen->lost);
  for (const auto& [type, count] : seen->types) objects += static_cast<double>(count);
  const double scale = std::min(static_cast<double>(calls) / std::max(objects, 1.0), 1.0);
  for (const auto& [type, count] : seen->types) {
    std::string klass(objects_->TypeName(type));
    std::replace(klass.begin(), klass.end(), '.', '/');
    const CallTargets::Ran ran = targets_.On(callee, klass);
    if (!ran.is_known) continue;
    const double part = scale * static_cast<double>(count);
    made.rest -= part;
    if (ran.method) made.runs[*ran.method] += part;
  }
  made.rest = std::max(made.rest, 0.0);
  return made;
}

}  // namespace iprof
