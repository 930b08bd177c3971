#include "agent/vm/counting/class_definitions.h"

#include <functional>
#include <utility>
#include <vector>

namespace iprof::vm {
namespace {

ClassDefinitions::Failed& FailedOnes() {
  static auto* failed = new ClassDefinitions::Failed;  // outlives every thread
  return *failed;
}

struct Definition {
  size_t name;  // hashed
  instrument::ClassId id;
  uintptr_t depth;
};

struct Thread {
  std::vector<Definition> open;
  ~Thread() { Drop(0); }

  void Drop(size_t from) {
    for (size_t i = open.size(); i > from; --i) {
      if (const auto& failed = FailedOnes()) failed(open[i - 1].id);
    }
    open.resize(from);
  }
};

Thread& This() {
  thread_local Thread thread;
  return thread;
}

}  // namespace

void ClassDefinitions::SetFailed(Failed failed) { FailedOnes() = std::move(failed); }

void ClassDefinitions::Begin(std::string_view name, instrument::ClassId id, uintptr_t depth) {
  Thread& thread = This();
  size_t kept = thread.open.size();
  // The stack grows downwards: whoever is still under way began further up.
  while (kept > 0 && thread.open[kept - 1].depth <= depth) --kept;
  thread.Drop(kept);
  thread.open.push_back({std::hash<std::string_view>{}(name), id, depth});
}

std::optional<instrument::ClassId> ClassDefinitions::End(std::string_view name) {
  Thread& thread = This();
  const size_t wanted = std::hash<std::string_view>{}(name);
  for (size_t i = thread.open.size(); i > 0; --i) {
    if (thread.open[i - 1].name != wanted) continue;
    const instrument::ClassId id = thread.open[i - 1].id;
    thread.Drop(i);  // what was nested in it has ended
    thread.open.pop_back();
    return id;
  }
  return std::nullopt;
}

bool ClassDefinitions::Any() { return !This().open.empty(); }

}  // namespace iprof::vm
