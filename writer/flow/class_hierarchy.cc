#include "writer/flow/class_hierarchy.h"

#include <algorithm>

namespace iprof {
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

void ClassHierarchy::Reserve(size_t classes, size_t methods) {
  classes_.reserve(classes);
  by_name_.reserve(classes);
  selectors_.reserve(methods);
  texts_.reserve(methods);
  is_abstract_.reserve(methods);
}

Selector ClassHierarchy::AddSelector(std::string_view name, std::string_view descriptor) {
  const Text text{name, descriptor};
  const uint32_t hash = HashOf(text);
  if (const auto known = FindSelector(text, hash)) return *known;
  const auto number = static_cast<Selector>(texts_.size());
  texts_.push_back(text);
  numbers_.Insert(hash, number);
  return number;
}

uint32_t ClassHierarchy::AddMethod(Selector selector, uint16_t access) {
  selectors_.push_back(selector);
  is_abstract_.push_back((access & kAccAbstract) != 0);
  return static_cast<uint32_t>(selectors_.size() - 1);
}

uint32_t ClassHierarchy::AddClass(const Class& added) {
  const auto number = static_cast<uint32_t>(classes_.size());
  classes_.push_back({.super = added.super,
                      .first_method = added.first_method,
                      .methods = added.methods,
                      .first_interface = static_cast<uint32_t>(interfaces_.size()),
                      .interfaces = static_cast<uint32_t>(added.interfaces.size()),
                      .access = added.access,
                      .is_current = added.is_current,
                      .loader = added.loader,
                      .counted = added.counted});
  interfaces_.insert(interfaces_.end(), added.interfaces.begin(), added.interfaces.end());
  if (added.is_current) by_name_[added.name].push_back(number);
  return number;
}

void ClassHierarchy::Settle() {
  is_far_.assign(classes_.size(), false);
  subtypes_.assign(classes_.size(), {});
  for (uint32_t c = 0; c < classes_.size(); ++c) {
    const Node& klass = classes_[c];
    for (uint32_t m = klass.first_method;
         klass.methods > kFewMethods && m < klass.first_method + klass.methods; ++m) {
      const auto [first, is_new] = declared_.TryAdd(Key(c, selectors_[m]));
      if (is_new) *first = m;
    }
    if (!klass.is_current) continue;
    if (klass.super < subtypes_.size()) subtypes_[klass.super].push_back(c);
    for (const uint32_t interface : InterfacesOf(c)) {
      if (interface < subtypes_.size()) subtypes_[interface].push_back(c);
    }
  }
  const auto has_fewer = [&](uint32_t a, uint32_t b) {
    return classes_[a].counted < classes_[b].counted;
  };
  for (auto& [name, classes] : by_name_) {
    if (classes.size() > 1)
      std::iter_swap(classes.begin(), std::max_element(classes.begin(), classes.end(), has_fewer));
  }
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
  const auto classes = FindClasses(name, loader);
  return classes.empty() ? std::nullopt : std::optional(classes.front());
}

std::span<const uint32_t> ClassHierarchy::FindClasses(std::string_view name,
                                                      uint64_t loader) const {
  const auto found = by_name_.find(name);
  if (found == by_name_.end()) return {};
  for (const uint32_t& klass : found->second) {
    if (classes_[klass].loader == loader) return {&klass, 1};
  }
  return found->second;
}

bool ClassHierarchy::IsInterface(uint32_t klass) const {
  return (classes_[klass].access & kAccInterface) != 0;
}

bool ClassHierarchy::IsSubclass(uint32_t klass, uint32_t super) const {
  for (int depth = 0; depth < kDeepest && klass < classes_.size(); ++depth) {
    klass = classes_[klass].super;
    if (klass == super) return true;
  }
  return false;
}

std::optional<uint32_t> ClassHierarchy::Declared(uint32_t klass, Selector selector) const {
  const Node& in = classes_[klass];
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
  for (const uint32_t interface : InterfacesOf(klass)) {
    if (interface >= classes_.size() || !seen.insert(interface).second) continue;
    const auto method = Declared(interface, selector);
    if (method && !is_abstract_[*method]) return method;
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

std::optional<uint32_t> ClassHierarchy::ResolveInSupers(uint32_t klass, Selector selector) {
  const uint32_t found = FindInherited(klass, selector);
  if (found == kNone) return std::nullopt;
  return found;
}

// What the class or a superclass declares; kNone: nothing that runs.
uint32_t ClassHierarchy::FindInherited(uint32_t klass, Selector selector) {
  size_t compared = 0;
  uint32_t found = kNone;
  int depth = 0;
  for (uint32_t c = klass; c < classes_.size() && depth < kDeepest && found == kNone; ++depth) {
    if (is_far_[c]) {
      if (const uint32_t* const known = inherited_.Find(Key(c, selector))) {
        found = *known;
        break;
      }
    }
    const auto declared = Declared(c, selector);
    compared += std::min(classes_[c].methods, kFewMethods);
    // Java also finds a default method before an abstract one of a superclass.
    if (declared && !is_abstract_[*declared]) found = *declared;
    c = classes_[c].super;
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
  for (uint32_t c = klass; c < classes_.size() && depth < kDeepest && !found; ++depth) {
    found = FindDefault(c, selector, 0, seen);
    c = classes_[c].super;
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
  seen.assign(classes_.size(), false);
  open.assign(1, klass);
  seen[klass] = true;
  while (!open.empty()) {
    const uint32_t c = open.back();
    open.pop_back();
    if ((classes_[c].access & (kAccAbstract | kAccInterface)) == 0) {
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

}  // namespace iprof
