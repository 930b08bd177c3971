#include "agent/hotspot/estimate/class_hierarchy.h"

#include <algorithm>

namespace iprof::hotspot {
namespace {

constexpr uint32_t kNone = UINT32_MAX;
constexpr int kDeepest = 256;  // of superclasses and of interfaces
constexpr uint16_t kAccAbstract = 0x0400;
constexpr uint16_t kAccInterface = 0x0200;

}  // namespace

ClassHierarchy::ClassHierarchy(const HarvestedProgram& program)
    : program_(program), subtypes_(program.classes.size()) {
  selectors_.reserve(program.methods.size());
  texts_.reserve(program.methods.size());
  by_name_.reserve(program.classes.size());
  for (uint32_t m = 0; m < program.methods.size(); ++m) {
    const HarvestedMethod& method = program.methods[m];
    selectors_.push_back(AddSelector({method.name, method.descriptor}));
    const auto [first, is_new] = declared_.TryAdd(Key(method.klass, selectors_.back()));
    if (is_new) *first = m;
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
  const uint32_t* found = declared_.Find(Key(klass, selector));
  if (found == nullptr) return std::nullopt;
  return *found;
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
  const auto [known, is_new] = resolved_.TryAdd(Key(klass, selector));
  if (!is_new) {
    if (*known == kNone) return std::nullopt;
    return *known;
  }
  std::optional<uint32_t> found;
  int depth = 0;
  for (uint32_t c = klass; c < program_.classes.size() && depth < kDeepest && !found; ++depth) {
    found = Declared(c, selector);
    // Java also finds a default method before an abstract one of a superclass.
    if (found && (program_.methods[*found].access & kAccAbstract) != 0) found.reset();
    c = program_.classes[c].super;
  }
  std::unordered_set<uint32_t> seen;
  depth = 0;
  for (uint32_t c = klass; c < program_.classes.size() && depth < kDeepest && !found; ++depth) {
    found = FindDefault(c, selector, 0, seen);
    c = program_.classes[c].super;
  }
  *known = found.value_or(kNone);
  return found;
}

const Implementations& ClassHierarchy::ImplementationsOf(uint32_t klass, Selector selector) {
  const auto [known, is_new] = implementations_of_.TryAdd(Key(klass, selector));
  if (!is_new) return implementations_[*known];
  *known = implementations_.size();
  Implementations& found = implementations_.emplace_back();
  std::vector<uint32_t> runs;  // the method of each class
  std::vector<bool> seen(program_.classes.size());
  std::vector<uint32_t> open{klass};
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
