// ClassHierarchy: which method runs: classes with their superclasses, interfaces and methods, and how Java
// looks them up.
//
// Classes and methods are numbers, in the order in which they were added. First come all methods, those of a
// class one after the other, then the classes; or both class by class.
//
// Example: Base has f, Left and Right extend it, and Left has an f of its own. On an object of Right a call of
// f runs Base.f; a call whose object is a Base of any class runs one of ImplementationsOf(Base, f): Base.f on
// objects of two classes, and Left.f on those of one.
//
// Guarantees: an answer for any input, also if classes are their own superclasses. The order of classes makes no
// difference, but for classes of the same name.
// Threads: one, because answers are kept. Texts that were added must outlive it.
// Failure: none but std::bad_alloc. What is not known is a number of no class.
#pragma once

#include <cstddef>
#include <cstdint>
#include <deque>
#include <optional>
#include <span>
#include <string_view>
#include <unordered_map>
#include <unordered_set>
#include <vector>

#include "writer/base/hash.h"
#include "writer/base/hash_index.h"
#include "writer/base/number_map.h"

namespace iprof {

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
  static constexpr uint32_t kNoClass = UINT32_MAX;

  struct Class {
    std::string_view name;
    uint64_t loader = 0;
    uint32_t super = kNoClass;
    std::span<const uint32_t> interfaces = {};
    uint16_t access = 0;
    // False: a version of before a redefinition. No name means it, and it is a subclass of none.
    bool is_current = true;
    uint64_t counted = 0;  // of classes with one name, the one that counted most is meant
    uint32_t first_method = 0;
    uint32_t methods = 0;
  };

  // What is added, before anything is looked up but selectors and names.
  void Reserve(size_t classes, size_t methods);
  Selector AddSelector(std::string_view name, std::string_view descriptor);
  uint32_t AddMethod(Selector selector, uint16_t access);
  uint32_t AddClass(const Class& added);
  void SetSuper(uint32_t klass, uint32_t super) { classes_[klass].super = super; }
  void Settle();

  std::optional<Selector> FindSelector(std::string_view name, std::string_view descriptor) const;
  Selector SelectorOf(uint32_t method) const { return selectors_[method]; }
  size_t selectors() const { return texts_.size(); }

  // The class that this name means in a class of that loader.
  std::optional<uint32_t> FindClass(std::string_view name, uint64_t loader = 0) const;
  // The classes that this name can mean there: the loader's own, or all, as its parents are not known.
  std::span<const uint32_t> FindClasses(std::string_view name, uint64_t loader) const;
  bool IsInterface(uint32_t klass) const;
  // Whether `super` is one of its superclasses.
  bool IsSubclass(uint32_t klass, uint32_t super) const;

  // The method that a call to this class runs, or, for a virtual call, that an object of exactly
  // this class runs.
  std::optional<uint32_t> Resolve(uint32_t klass, Selector selector);
  // The same without interfaces: the method of the class or of its nearest superclass that has one.
  std::optional<uint32_t> ResolveInSupers(uint32_t klass, Selector selector);

  // What objects of the class and of its concrete subclasses may run. Valid as long as this object.
  const Implementations& ImplementationsOf(uint32_t klass, Selector selector);

 private:
  struct Text {
    std::string_view name, descriptor;
    bool operator==(const Text&) const = default;
  };
  // What look-ups read of a class.
  struct Node {
    uint32_t super = kNoClass;
    uint32_t first_method = 0, methods = 0;
    uint32_t first_interface = 0, interfaces = 0;  // in interfaces_
    uint16_t access = 0;
    bool is_current = true;
    uint64_t loader = 0;
    uint64_t counted = 0;
  };

  static uint32_t HashOf(const Text& text) {
    const size_t hash = TextHash()(text.name) * 31 + TextHash()(text.descriptor);
    return static_cast<uint32_t>(hash ^ hash >> 32);
  }
  // Not 0, for a class.
  static uint64_t Key(uint32_t klass, Selector selector) {
    return (uint64_t{klass} + 1) << 32 | selector;
  }
  std::span<const uint32_t> InterfacesOf(uint32_t klass) const {
    return std::span(interfaces_)
        .subspan(classes_[klass].first_interface, classes_[klass].interfaces);
  }

  std::optional<Selector> FindSelector(const Text& text, uint32_t hash) const;
  std::optional<uint32_t> Declared(uint32_t klass, Selector selector) const;
  uint32_t FindInherited(uint32_t klass, Selector selector);
  uint32_t FindDefaultOf(uint32_t klass, Selector selector) const;
  std::optional<uint32_t> FindDefault(uint32_t klass, Selector selector, int depth,
                                      std::unordered_set<uint32_t>& seen) const;

  std::vector<Node> classes_;
  std::vector<uint32_t> interfaces_;  // of all classes
  std::vector<Text> texts_;           // by selector
  HashIndex numbers_;
  std::vector<Selector> selectors_;  // by method
  std::vector<bool> is_abstract_;    // by method
  NumberMap<uint32_t> declared_;     // by class and selector, for classes with very many methods
  // What was found, by class and selector; kNone: nothing. Of superclasses only if it was far to go.
  NumberMap<uint32_t> inherited_, defaults_;
  std::vector<bool> is_far_;  // by class: inherited_ may have something of it
  std::unordered_map<std::string_view, std::vector<uint32_t>, TextHash> by_name_;
  std::vector<std::vector<uint32_t>> subtypes_;  // direct ones
  std::deque<Implementations> implementations_;
  NumberMap<size_t> implementations_of_;  // by class and selector
  // Used again for each search of implementations.
  std::vector<uint32_t> runs_;  // the method of each class
  std::vector<bool> seen_;      // by class
  std::vector<uint32_t> open_;  // classes whose subclasses were not looked at
};

}  // namespace iprof
