// CallTargets: which methods of class records a call may run, by the names in the call, and how its calls divide among
// them.
//
// A call that cannot be overridden runs the method of the named class or of its nearest superclass
// that has it. A virtual call runs that one or an overriding one. Records do not name interfaces, so
// a call to an interface, or to a class without a record, may run every method of that name.
//
// Example: p.Left and p.Right have a counted f, and both implement I. A call of I.f may run either. If 100 calls
// met 60 objects of p.Left, 30 of p.Right and 10 of a lost class, 60 and 30 of them ran these two, and 10 are the rest.
//
// Guarantees: pure; methods without counters are no targets of Of and Divide. The names of the classes must outlive
// this object. No part of a division is negative, and parts and rest together are at most the calls. If more objects
// than calls were counted (they are read at different moments), their parts shrink in proportion.
// Threads: one, because answers are kept. Failure: none but std::bad_alloc.
#pragma once

#include <cstddef>
#include <cstdint>
#include <map>
#include <optional>
#include <span>
#include <string_view>
#include <unordered_map>
#include <vector>

#include "writer/base/arena.h"
#include "writer/flow/class_hierarchy.h"
#include "writer/flow/receiver_split.h"
#include "writer/records/class_record.h"
#include "writer/records/counter_range.h"
#include "writer/records/profile_assembly.h"
#include "writer/records/type_counts.h"

namespace iprof {

class CallTargets {
 public:
  CallTargets() = default;
  // Of counted methods. Those whose first counter is `end` or more are no targets.
  explicit CallTargets(const ClassSource& classes, size_t end = SIZE_MAX);

  // Adds a class with those of its methods that `wants`. The versions of one name follow each other; `name` is
  // the class's. Then Settle, before anything is asked.
  template <typename Wants>
  void Add(std::string_view name, const ClassRecord& c, const Wants& wants) {
    Begin(name, c);
    for (const CountedMethod& m : c.methods) {
      if (wants(m)) AddMethod(c, m);
    }
  }
  void Settle();

  struct Method {
    uint32_t klass = 0;  // a number, for ClassOf
    CounterIndex first{};
    bool is_counted = false;
    bool is_candidate = false;  // an intrinsic one
    bool is_final = false;
  };
  // The method that a call which cannot be overridden runs, counted or not. Null: it is not known.
  const Method* Named(const Callee& callee);
  std::string_view ClassOf(const Method& method) const { return classes_[method.klass].name; }

  // By first counter. If there is exactly one, the call runs it and nothing else that is counted.
  const std::vector<CounterIndex>& Of(const Callee& callee);

  struct Division {
    std::map<CounterIndex, double> runs;  // of counted methods, by first counter
    // Objects of which is not known what they run: whose class was lost, or which several loaders have, or
    // which may run the default methods of several interfaces. And calls that met no object.
    double rest = 0;
  };
  // Divides the executions of a virtual call by the objects that were counted at its site in the same time. Null: none.
  Division Divide(const Callee& callee, uint64_t calls, const TypeCounts* objects, uint32_t site);

 private:
  std::string_view Keep(std::string_view text);
  void Begin(std::string_view name, const ClassRecord& c);
  void End();
  void AddMethod(const ClassRecord& c, const CountedMethod& m);
  std::vector<CounterIndex> Find(std::optional<uint32_t> owner, Selector selector, bool is_virtual);
  std::vector<uint32_t> Nearest(uint32_t klass, Selector selector);
  // What a virtual call runs on an object of this class.
  RunByReceiver On(const Callee& callee, std::string_view klass);

  std::span<const uint32_t> MethodsOf(Selector selector) const {
    return std::span(by_selector_)
        .subspan(first_of_[selector], first_of_[selector + 1] - first_of_[selector]);
  }

  struct Class {
    std::string_view name, super_name;
  };
  ClassHierarchy hierarchy_;
  Arena<char> texts_;
  std::optional<ClassHierarchy::Class> open_;  // its methods are being added
  std::vector<Class> classes_;
  std::vector<Method> methods_;
  std::vector<uint32_t> by_selector_;  // methods
  std::vector<uint32_t> first_of_;     // in by_selector_, by selector, and the end
  // Answers by class and selector: to calls that cannot be overridden, and to virtual ones.
  std::unordered_map<uint64_t, std::vector<CounterIndex>> known_[2];
  const std::vector<CounterIndex> none_ = {};
};

}  // namespace iprof
