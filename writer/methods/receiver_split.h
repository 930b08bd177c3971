// ReceiverSplit: divides the executions of a virtual call among the methods that it may run, by the
// classes of the objects that were counted there in the same time.
//
// Each object ran the method of its class, or of its nearest superclass that has it. What is left
// is the rest: objects whose class was lost, classes of which several loaders have one, and
// default methods that several interfaces have.
// Example: a call of I.f was executed 100 times. 60 objects were of L, 10 of R and 20 of its subclass Heir, which inherits f, and 10 were
// lost: L.f gets 60, R.f 30, and the rest is 10. Had 200 objects been counted in the same proportion, the parts would be the same.
//
// Guarantees: no part is negative, and parts and rest together are at most the calls. If more objects
// than calls were counted (they are read at different moments), their parts shrink in proportion.
// Threads: one. Both arguments must outlive this object. Failure: none but std::bad_alloc.
#pragma once

#include <cstdint>
#include <map>

#include "writer/methods/call_targets.h"
#include "writer/methods/class_record.h"
#include "writer/methods/counter_range.h"
#include "writer/methods/type_counts.h"

namespace iprof {

class ReceiverSplit {
 public:
  // Null: no classes were counted, so that all calls are the rest.
  ReceiverSplit(const TypeCounts* objects, CallTargets& targets)
      : objects_(objects), targets_(targets) {}

  struct Division {
    std::map<CounterIndex, double> runs;  // of counted methods, by first counter
    double rest = 0;
  };
  Division Of(uint32_t site, const Callee& callee, uint64_t calls) const;

 private:
  const TypeCounts* const objects_;
  CallTargets& targets_;
};

}  // namespace iprof
