#include "writer/methods/call_targets.h"

namespace iprof {
namespace {

constexpr uint16_t kAccInterface = 0x0200;
// Damaged records may name superclasses in a circle.
constexpr int kDeepest = 64;

std::string SelectorOf(std::string_view name, std::string_view descriptor) {
  return std::string(name).append(descriptor);
}

}  // namespace

CallTargets::CallTargets(const ClassSource& classes, size_t end) {
  for (size_t number = 0; number < classes.size(); ++number) {
    ClassRecord scratch;
    const ClassRecord& c = classes.Get(number, scratch);
    const std::string_view name = classes.NameOf(number);
    classes_.try_emplace(name, Class{std::string(c.super_name), (c.access & kAccInterface) != 0});
    for (const CountedMethod& m : c.methods) {
      if (m.counters > 0 && static_cast<size_t>(m.first) < end)
        by_selector_[SelectorOf(m.name, m.descriptor)].push_back({name, m.first});
    }
  }
}

const CallTargets::Class* CallTargets::FindClass(std::string_view name) const {
  const auto found = classes_.find(name);
  return found == classes_.end() ? nullptr : &found->second;
}

const std::vector<CounterIndex>& CallTargets::Of(const Callee& callee) {
  std::string key = MethodKey(InternalName(callee.owner), callee.name, callee.descriptor).text();
  key += callee.virtual_call ? 'v' : 's';
  const auto [known, is_new] = known_.try_emplace(std::move(key));
  if (is_new) known->second = Find(callee);
  return known->second;
}

// The methods of the class, or of its nearest superclass that has any.
void CallTargets::AddDeclared(std::string_view klass, const std::vector<Method>& methods,
                              std::vector<CounterIndex>& targets) const {
  const size_t before = targets.size();
  for (int depth = 0; depth < kDeepest && targets.size() == before && !klass.empty(); ++depth) {
    for (const Method& method : methods) {
      if (method.klass == klass) targets.push_back(method.first);
    }
    const Class* const found = FindClass(klass);
    klass = found == nullptr ? std::string_view() : std::string_view(found->super);
  }
}

bool CallTargets::IsSubclass(std::string_view klass, std::string_view super) const {
  for (int depth = 0; depth < kDeepest; ++depth) {
    const Class* const found = FindClass(klass);
    if (found == nullptr || found->super.empty()) return false;
    klass = found->super;
    if (klass == super) return true;
  }
  return false;
}

CallTargets::Ran CallTargets::On(const Callee& callee, std::string_view klass) const {
  const auto found = by_selector_.find(SelectorOf(callee.name, callee.descriptor));
  if (found == by_selector_.end() || FindClass(klass) == nullptr) return {};
  std::vector<CounterIndex> targets;
  AddDeclared(klass, found->second, targets);
  if (targets.empty()) {
    // A default method, if any. Records do not tell which interfaces a class has.
    for (const Method& method : found->second) {
      const Class* const owner = FindClass(method.klass);
      if (owner != nullptr && owner->is_interface) targets.push_back(method.first);
    }
  }
  if (targets.empty()) return {};
  if (targets.size() > 1) return {.is_known = false, .method = {}};
  return {.is_known = true, .method = targets.front()};
}

std::vector<CounterIndex> CallTargets::Find(const Callee& callee) const {
  std::vector<CounterIndex> targets;
  const auto found = by_selector_.find(SelectorOf(callee.name, callee.descriptor));
  if (found == by_selector_.end()) return targets;
  const Class* const owner = FindClass(callee.owner);
  if (callee.virtual_call && (owner == nullptr || owner->is_interface)) {
    for (const Method& method : found->second) targets.push_back(method.first);
    return targets;
  }
  AddDeclared(callee.owner, found->second, targets);
  if (!callee.virtual_call) return targets;
  for (const Method& method : found->second) {
    if (IsSubclass(method.klass, callee.owner)) targets.push_back(method.first);
  }
  return targets;
}

}  // namespace iprof
