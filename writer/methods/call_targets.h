// CallTargets: which counted methods a call may run, by the names in the call and in class records.
//
// A call that cannot be overridden runs the method of the named class or of its nearest superclass
// that has it. A virtual call runs that one or an overriding one. Records do not name interfaces, so
// a call to an interface, or to a class without a record, may run every method of that name.
//
// Guarantees: pure; methods without counters are no targets. The order of classes has no effect on
// the set of targets. The classes must outlive this object.
// Threads: one, because answers are kept. Failure: none but std::bad_alloc.
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <unordered_map>
#include <vector>

#include "writer/methods/class_record.h"
#include "writer/methods/counter_range.h"
#include "writer/methods/profile_assembly.h"

namespace iprof {

class CallTargets {
 public:
  // Methods whose first counter is `end` or more are no targets.
  explicit CallTargets(const ClassSource& classes, size_t end = SIZE_MAX);

  // By first counter. If there is exactly one, the call runs it and nothing else that is counted.
  const std::vector<CounterIndex>& Of(const Callee& callee);

  // What a virtual call runs on an object of this class.
  struct Ran {
    bool is_known = true;
    std::optional<CounterIndex> method;  // nullopt although it is known: none that is counted
  };
  Ran On(const Callee& callee, std::string_view klass) const;

 private:
  struct Class {
    std::string super;
    bool is_interface = false;
  };
  struct Method {
    std::string_view klass;
    CounterIndex first{};
  };

  std::vector<CounterIndex> Find(const Callee& callee) const;
  void AddDeclared(std::string_view klass, const std::vector<Method>& methods,
                   std::vector<CounterIndex>& targets) const;
  bool IsSubclass(std::string_view klass, std::string_view super) const;
  const Class* FindClass(std::string_view name) const;

  std::unordered_map<std::string_view, Class> classes_;
  std::unordered_map<std::string, std::vector<Method>> by_selector_;  // name and descriptor
  std::unordered_map<std::string, std::vector<CounterIndex>> known_;
};

}  // namespace iprof
