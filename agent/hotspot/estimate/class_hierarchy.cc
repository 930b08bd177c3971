#include "agent/hotspot/estimate/class_hierarchy.h"

#include <algorithm>

namespace iprof::hotspot {
namespace {

constexpr uint32_t kNone = UINT32_MAX;
constexpr int kDeepest = 256;  // of superclasses and of interfaces
// The methods of a class are looked at one after the other: their selectors are next to each other, and
// a table of all methods does not fit into a processor's cache. A class with more has a table.
constexpr uint32_t kFewMethods = 256;
constexpr size_t kManyCompared = 500;  // so many that the answer is kept
constexpr uint16_t kAccAbstract = 0x0400;
constexpr uint16_t kAccInterface = 0x0200;

}  // namespace

ClassHierarchy::ClassHierarchy(const HarvestedProgram& program)
    : program_(program), is_far_(program.classes.size()), subtypes_(program.classes.size()) {
  selectors_.reserve(program.methods.size());
  texts_.reserve(program.methods.size());
  by_name_.reserve(program.classes.size());
  for (uint32_t m = 0; m < program.methods.size(); ++m) {
    const HarvestedMethod& method = program.methods[m];
    selectors_.push_back(AddSelector({method.name, method.descriptor}));
  }
  for (uint32_t c = 0; c < program.classes.size(); ++c) {
    const HarvestedClass& klass = program.classes[c];
    if (klass.methods <= kFewMethods) continue;
    for (uint32_t m = klass.first_method; m < klass.first_method + klass.methods; ++m) {
      const auto [first, is_new] = declared_.TryAdd(Key(c, selectors_[m]));
      if (is_new) *first = m;
    }
  }
  for (uint32_t c = 0; c < program.classes.size(); ++c) {
    const HarvestedClass& klass = program.classes[c];
    if (klass.is_previous_version) continue;
    by_name_[klass.name].push_back(c);
    if (klass.super < subtypes_.size()) subtypes_[klass.super].push_back(c);
    for (const uint32_t interface : klass.interfaces) {
      if (interface < subtypes_.size()) subtypes_[interface].push_back(c);
    }
  }
  const auto has_fewer = [&](uint32_t a, uint32_t b) {
    return CountsOf(program, program.classes[a]) < CountsOf(program, program.classes[b]);
  };
  for (auto& [name, classes] : by_name_) {
    if (classes.size() > 1)
      std::iter_swap(classes.begin(), std::max_element(classes.begin(), classes.end(), has_fewer));
  }
}

Selector ClassHierarchy::AddSelector(const Text& text) {
  const uint32_t hash = HashOf(text);
  if (const auto known = FindSelector(text, hash)) return *known;
  const auto number = static_cast<Selector>(texts_.size());
  texts_.push_back(text);
  numbers_.Insert(hash, number);
  return number;
}

std::optional<Selector> ClassHierarchy::FindSelector(std::string_view name,
                                                     std::string_view descriptor) const {
  const Text text{name, descriptor};
  return FindSelector(text, HashOf(text));
}

std::optional<Selector> ClassHierarchy::FindSelector(const Text& text, uint32_t hash) const {
  const uint32_t found =
      numbers_.Find(hash, [&](uint32_t number) { return texts_[number] == text; });
  if (found == HashIndex::kNone) return std::nullopt;
  return found;
}

std::optional<uint32_t> ClassHierarchy::FindClass(std::string_view name, uint64_t loader) const {
  const auto found = by_name_.find(name);
  if (found == by_name_.end()) return std::nullopt;
  for (const uint32_t klass : found->second) {
    if (program_.classes[klass].loader == loader) return klass;
  }
  return found->second.front();
}

std::optional<uint32_t> ClassHierarchy::Declared(uint32_t klass, Selector selector) const {
  const HarvestedClass& in = program_.classes[klass];
  if (in.methods > kFewMethods) {
    const uint32_t* const found = declared_.Find(Key(klass, selector));
    if (found == nullptr) return std::nullopt;
    return *found;
  }
  const auto first = selectors_.begin() + in.first_method;
  const auto found = std::find(first, first + in.methods, selector);
  if (found == first + in.methods) return std::nullopt;
  return static_cast<uint32_t>(found - selectors_.begin());
}

// `seen` has the interfaces whose search found nothing: there are many ways to an interface.
std::optional<uint32_t> ClassHierarchy::FindDefault(uint32_t klass, Selector selector, int depth,
                                                    std::unordered_set<uint32_t>& seen) const {
  if (depth > kDeepest) return std::nullopt;
  for (const uint32_t interface : program_.classes[klass].interfaces) {
    if (!seen.insert(interface).second) continue;
    const auto method = Declared(interface, selector);
    if (method && (program_.methods[*method].access & kAccAbstract) == 0) return method;
    if (const auto above = FindDefault(interface, selector, depth + 1, seen)) return above;
  }
  return std::nullopt;
}

std::optional<uint32_t> ClassHierarchy::Resolve(uint32_t klass, Selector selector) {
  uint32_t found = FindInherited(klass, selector);
  if (found == kNone) {
    const auto [known, is_new] = defaults_.TryAdd(Key(klass, selector));
    if (is_new) *known = FindDefaultOf(klass, selector);
    found = *known;
  }
  if (found == kNone) return std::nullopt;
  return found;
}

// What the class or a superclass declares; kNone: nothing that runs.
uint32_t ClassHierarchy::FindInherited(uint32_t klass, Selector selector) {
  size_t compared = 0;
  uint32_t found = kNone;
  int depth = 0;
  for (uint32_t c = klass; c < program_.classes.size() && depth < kDeepest && found == kNone;
       ++depth) {
    if (is_far_[c]) {
      if (const uint32_t* const known = inherited_.Find(Key(c, selector))) {
        found = *known;
        break;
      }
    }
    const auto declared = Declared(c, selector);
    compared += std::min(program_.classes[c].methods, kFewMethods);
    // Java also finds a default method before an abstract one of a superclass.
    if (declared && (program_.methods[*declared].access & kAccAbstract) == 0) found = *declared;
    c = program_.classes[c].super;
  }
  if (compared > kManyCompared) {
    is_far_[klass] = true;
    *inherited_.TryAdd(Key(klass, selector)).first = found;
  }
  return found;
}

uint32_t ClassHierarchy::FindDefaultOf(uint32_t klass, Selector selector) const {
  std::optional<uint32_t> found;
  std::unordered_set<uint32_t> seen;
  int depth = 0;
  for (uint32_t c = klass; c < program_.classes.size() && depth < kDeepest && !found; ++depth) {
    found = FindDefault(c, selector, 0, seen);
    c = program_.classes[c].super;
  }
  return found.value_or(kNone);
}

const Implementations& ClassHierarchy::ImplementationsOf(uint32_t klass, Selector selector) {
  const auto [known, is_new] = implementations_of_.TryAdd(Key(klass, selector));
  if (!is_new) return implementations_[*known];
  *known = implementations_.size();
  Implementations& found = implementations_.emplace_back();
  std::vector<uint32_t>& runs = runs_;
  std::vector<bool>& seen = seen_;
  std::vector<uint32_t>& open = open_;
  runs.clear();
  seen.assign(program_.classes.size(), false);
  open.assign(1, klass);
  seen[klass] = true;
  while (!open.empty()) {
    const uint32_t c = open.back();
    open.pop_back();
    if ((program_.classes[c].access & (kAccAbstract | kAccInterface)) == 0) {
      if (const auto method = Resolve(c, selector)) {
        runs.push_back(*method);
        found.classes.push_back(c);
      }
    }
    for (const uint32_t subtype : subtypes_[c]) {
      if (!seen[subtype]) open.push_back(subtype);
      seen[subtype] = true;
    }
  }
  std::sort(found.classes.begin(), found.classes.end());
  std::sort(runs.begin(), runs.end());
  for (const uint32_t method : runs) {
    if (found.methods.empty() || found.methods.back() != method) {
      found.methods.push_back(method);
      found.receivers.push_back(0);
    }
    ++found.receivers.back();
  }
  return found;
}

}  // namespace iprof::hotspot
