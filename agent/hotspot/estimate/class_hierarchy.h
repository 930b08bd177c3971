// ClassHierarchy: which method runs when a call names a class, a name and a descriptor.
//
// Guarantees: pure. Of classes with the same name, the one of the caller's loader is meant. If that has
// none, it is the one with the most counts, and of equal ones the first in the program. Otherwise the
// answers do not depend on the order of classes.
// The program must outlive the object.
// Threads: one, because answers are kept. Failure: what cannot be resolved has no target.
#pragma once

#include <cstddef>
#include <cstdint>
#include <deque>
#include <optional>
#include <string_view>
#include <unordered_map>
#include <unordered_set>
#include <utility>
#include <vector>

#include "agent/hotspot/address_map.h"
#include "agent/hotspot/harvest/harvested_program.h"
#include "writer/base/hash.h"
#include "writer/base/hash_index.h"

namespace iprof::hotspot {

// A method's name and descriptor, as a number.
using Selector = uint32_t;

// What objects of some classes run for a call.
struct Implementations {
  std::vector<uint32_t> methods;    // ascending, each once
  std::vector<uint32_t> receivers;  // for each method, how many of the classes run it
  std::vector<uint32_t> classes;    // those with a method, ascending
};

class ClassHierarchy {
 public:
  explicit ClassHierarchy(const HarvestedProgram& program);

  std::optional<Selector> FindSelector(std::string_view name, std::string_view descriptor) const;
  Selector SelectorOf(uint32_t method) const { return selectors_[method]; }

  // The class that this name means in a class of that loader.
  std::optional<uint32_t> FindClass(std::string_view name, uint64_t loader) const;

  // The method that a call to this class runs, or, for a virtual call, that an object of exactly
  // this class runs.
  std::optional<uint32_t> Resolve(uint32_t klass, Selector selector);

  // What objects of the class and of its concrete subclasses may run. Valid as long as this object.
  const Implementations& ImplementationsOf(uint32_t klass, Selector selector);

 private:
  struct Text {
    std::string_view name, descriptor;
    bool operator==(const Text&) const = default;
  };
  static uint32_t HashOf(const Text& text) {
    const size_t hash = TextHash()(text.name) * 31 + TextHash()(text.descriptor);
    return static_cast<uint32_t>(hash ^ hash >> 32);
  }
  // Not 0, for a class of the program.
  static uint64_t Key(uint32_t klass, Selector selector) {
    return (uint64_t{klass} + 1) << 32 | selector;
  }

  Selector AddSelector(const Text& text);
  std::optional<Selector> FindSelector(const Text& text, uint32_t hash) const;

  std::optional<uint32_t> Declared(uint32_t klass, Selector selector) const;
  uint32_t FindInherited(uint32_t klass, Selector selector);
  uint32_t FindDefaultOf(uint32_t klass, Selector selector) const;
  std::optional<uint32_t> FindDefault(uint32_t klass, Selector selector, int depth,
                                      std::unordered_set<uint32_t>& seen) const;

  const HarvestedProgram& program_;
  std::vector<Text> texts_;  // by selector
  HashIndex numbers_;
  std::vector<Selector> selectors_;  // by method
  AddressMap<uint32_t> declared_;    // by class and selector, for classes with very many methods
  // What was found, by class and selector; kNone: nothing. Of superclasses only if it was far to go.
  AddressMap<uint32_t> inherited_, defaults_;
  std::vector<bool> is_far_;  // by class: inherited_ may have something of it
  std::unordered_map<std::string_view, std::vector<uint32_t>, TextHash> by_name_;
  std::vector<std::vector<uint32_t>> subtypes_;  // direct ones
  std::deque<Implementations> implementations_;
  AddressMap<size_t> implementations_of_;  // by class and selector
  // Used again for each search of implementations.
  std::vector<uint32_t> runs_;  // the method of each class
  std::vector<bool> seen_;      // by class
  std::vector<uint32_t> open_;  // classes whose subclasses were not looked at
};

}  // namespace iprof::hotspot
