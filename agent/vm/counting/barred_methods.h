// BarredMethods: methods that may not freeze now, and why, as far as that is known from earlier rounds.
//
// Methods are known by their first counters.
//
// Guarantees: pure. What is known of a method ends when its counters are released: then another class, or the same
// one when it is loaded again, begins anew.
// Threads: one. Failure: throws std::bad_alloc.
#pragma once

#include <cstdint>
#include <map>
#include <optional>
#include <set>
#include <span>
#include <string>

#include "agent/vm/counting/kept_methods.h"
#include "writer/methods/counter_range.h"

namespace iprof::vm {

class BarredMethods {
 public:
  static constexpr int kMostSwaps = 3;
  // How long a method that was not entered is left alone.
  static constexpr double kNotEnteredFor = 30;
  // The same for one of which no class was found, the first time. Each time it is twice as long: hidden classes
  // are never found by their names, but a class that is being loaded again is.
  static constexpr double kNotFoundFor = 30;

  // Nullopt: it may freeze. All times are in seconds.
  std::optional<WhyKept> WhyNot(CounterIndex first, const std::string& class_name,
                                double now_s) const;

  // The JVM refused to change its class, or somebody else has redefined that.
  void NoteUnchangeable(CounterIndex first) { unchangeable_.insert(first); }
  void NoteNotFound(CounterIndex first, double now_s);
  void NoteFound(CounterIndex first) { not_found_.erase(first); }
  void NoteNotEntered(CounterIndex first, double now_s) {
    not_entered_[first] = now_s + kNotEnteredFor;
  }
  // All classes of this name are swapped, once, and these methods of them freeze.
  void NoteSwap(const std::string& class_name, std::span<const CounterIndex> froze);
  // Methods count again, so their classes may be swapped again.
  void NoteThaw();
  // The counters will belong to other methods.
  void Release(CounterRange range);

 private:
  struct Wait {
    double for_s = 0;
    double until_s = 0;
  };
  struct Swaps {
    std::string class_name;
    int count = 0;  // since the method froze first
  };
  std::set<CounterIndex> unchangeable_;
  std::map<CounterIndex, Wait> not_found_;
  std::map<CounterIndex, double> not_entered_;  // when they may be tried again
  // Since methods thawed. Versions of a class have one name and counters of their own.
  std::map<CounterIndex, Swaps> swaps_;
  std::map<std::string, std::set<CounterIndex>> swapped_;  // the keys of swaps_
};

}  // namespace iprof::vm
