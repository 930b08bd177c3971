#include "writer/records/call_targets.h"

#include <numeric>
#include <string>

#include "writer/names/type_names.h"

namespace iprof {
namespace {

constexpr uint16_t kAccFinal = 0x0010;

uint64_t KeyOf(std::optional<uint32_t> klass, Selector selector) {
  return (klass ? uint64_t{*klass} + 1 : 0) << 32 | selector;
}

}  // namespace

CallTargets::CallTargets(const ClassSource& classes, size_t end) {
  for (size_t number = 0; number < classes.size(); ++number) {
    ClassRecord scratch;
    Add(classes.NameOf(number), classes.Get(number, scratch), [&](const CountedMethod& m) {
      return m.counters > 0 && static_cast<size_t>(m.first) < end;
    });
  }
  Settle();
}

std::string_view CallTargets::Keep(std::string_view text) {
  char* const kept = texts_.Allocate(text.size());
  text.copy(kept, text.size());
  return {kept, text.size()};
}

void CallTargets::Begin(std::string_view name, const ClassRecord& c) {
  if (open_ && open_->name == name) return;
  End();
  open_ = {
      .name = name, .access = c.access, .first_method = static_cast<uint32_t>(methods_.size())};
  classes_.push_back({name, Keep(c.super_name)});
}

void CallTargets::End() {
  if (!open_) return;
  open_->methods = static_cast<uint32_t>(methods_.size()) - open_->first_method;
  hierarchy_.AddClass(*open_);
  open_.reset();
}

void CallTargets::AddMethod(const ClassRecord& c, const CountedMethod& m) {
  const auto known = hierarchy_.FindSelector(m.name, m.descriptor);
  const Selector selector =
      known ? *known : hierarchy_.AddSelector(Keep(m.name), Keep(m.descriptor));
  // An abstract method hides those of superclasses: it is what the call names.
  hierarchy_.AddMethod(selector, 0);
  methods_.push_back({.klass = static_cast<uint32_t>(classes_.size() - 1),
                      .first = m.first,
                      .is_counted = m.counters > 0,
                      .is_candidate = m.intrinsic_candidate,
                      .is_final = ((m.access | c.access) & kAccFinal) != 0});
}

void CallTargets::Settle() {
  End();
  for (uint32_t c = 0; c < classes_.size(); ++c) {
    if (const auto super = hierarchy_.FindClass(classes_[c].super_name))
      hierarchy_.SetSuper(c, *super);
  }
  hierarchy_.Settle();
  first_of_.assign(hierarchy_.selectors() + 1, 0);
  for (uint32_t m = 0; m < methods_.size(); ++m) ++first_of_[hierarchy_.SelectorOf(m) + 1];
  std::partial_sum(first_of_.begin(), first_of_.end(), first_of_.begin());
  by_selector_.resize(methods_.size());
  std::vector<uint32_t> next(first_of_.begin(), first_of_.end());
  for (uint32_t m = 0; m < methods_.size(); ++m) by_selector_[next[hierarchy_.SelectorOf(m)]++] = m;
}

const CallTargets::Method* CallTargets::Named(const Callee& callee) {
  const auto selector = hierarchy_.FindSelector(callee.name, callee.descriptor);
  const auto owner = hierarchy_.FindClass(callee.owner);
  if (!selector || !owner) return nullptr;
  const auto found = hierarchy_.ResolveInSupers(*owner, *selector);
  return found ? &methods_[*found] : nullptr;
}

const std::vector<CounterIndex>& CallTargets::Of(const Callee& callee) {
  const auto selector = hierarchy_.FindSelector(callee.name, callee.descriptor);
  if (!selector) return none_;
  const auto owner = hierarchy_.FindClass(callee.owner);
  const auto [known, is_new] =
      known_[callee.virtual_call ? 1 : 0].try_emplace(KeyOf(owner, *selector));
  if (is_new) known->second = Find(owner, *selector, callee.virtual_call);
  return known->second;
}

std::vector<CounterIndex> CallTargets::Find(std::optional<uint32_t> owner, Selector selector,
                                            bool is_virtual) {
  std::vector<CounterIndex> targets;
  const std::span<const uint32_t> methods = MethodsOf(selector);
  if (is_virtual && (!owner || hierarchy_.IsInterface(*owner))) {
    for (const uint32_t m : methods) targets.push_back(methods_[m].first);
  } else if (owner) {
    for (const uint32_t m : Nearest(*owner, selector)) targets.push_back(methods_[m].first);
    for (const uint32_t m : methods) {
      if (is_virtual && hierarchy_.IsSubclass(methods_[m].klass, *owner))
        targets.push_back(methods_[m].first);
    }
  }
  return targets;
}

// The methods of the class, or of its nearest superclass that has any: one for each version.
std::vector<uint32_t> CallTargets::Nearest(uint32_t klass, Selector selector) {
  std::vector<uint32_t> nearest;
  const auto found = hierarchy_.ResolveInSupers(klass, selector);
  if (!found) return nearest;
  for (const uint32_t m : MethodsOf(selector)) {
    if (methods_[m].klass == methods_[*found].klass) nearest.push_back(m);
  }
  return nearest;
}

RunByReceiver CallTargets::On(const Callee& callee, std::string_view klass) {
  const auto selector = hierarchy_.FindSelector(callee.name, callee.descriptor);
  const auto on = hierarchy_.FindClass(klass);
  if (!selector || !on) return {};
  std::vector<uint32_t> runs = Nearest(*on, *selector);
  if (runs.empty()) {
    // A default method, if any. Records do not say which interfaces a class has.
    for (const uint32_t m : MethodsOf(*selector)) {
      if (hierarchy_.IsInterface(methods_[m].klass)) runs.push_back(m);
    }
  }
  if (runs.empty()) return {};
  if (runs.size() > 1) return {.is_known = false, .method = {}};
  return {.is_known = true, .method = runs.front()};
}

CallTargets::Division CallTargets::Divide(const Callee& callee, uint64_t calls,
                                          const TypeCounts* objects, uint32_t site) {
  Division made;
  made.rest = static_cast<double>(calls);
  const TypeCounts::Site* const seen = objects == nullptr ? nullptr : objects->Find(site);
  if (seen == nullptr) return made;
  const auto runs = [&](uint32_t type) {
    return On(callee, InternalNameOf(objects->TypeName(type)));
  };
  const auto add = [&](uint32_t method, double share) {
    made.runs[methods_[method].first] += static_cast<double>(calls) * share;
  };
  made.rest = SplitByReceivers(seen->types, seen->lost, static_cast<double>(calls), runs, add)
                  .Of(static_cast<double>(calls));
  return made;
}

}  // namespace iprof
