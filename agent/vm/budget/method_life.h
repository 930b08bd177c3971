// MethodLives: which methods count, which are frozen (have no probes, so that their counts are estimated), and which
// may not freeze now, and why.
//
// The whole table of states is in method_life.cc:
//
//   counted            → frozen     it froze: its probes are taken out
//   counted            → missing    no class of its name was found: a hidden class, or one that is loaded again later
//   counted            → uncalled   it was not entered, or mostly not by counted methods
//   counted, frozen    → barred     the JVM refused to change its class, or somebody else has redefined that
//   frozen             → thawing    methods thaw: its class gets the probes back
//   thawing            → counted    its class has them
//   thawing            → frozen     the class was refused
//   missing, uncalled  → as from counted, once they have rested
//   uncalled           → counted    methods thaw
//
// A frozen or thawing method is estimated. A missing or uncalled one counts, and rests: an uncalled one for 30 seconds; a
// missing one for 30 seconds the first time, and each time in a row twice as long, because hidden classes are never found.
// A barred one counts until its counters are released.
//
// Example: at 100 s no class of a/B is found, so a/B.f rests until 130 s. It is chosen then, and a/B is missing
// again: it rests until 190 s. Then a/B is found, and f freezes. Its class was swapped once. After two more swaps, for
// other methods, no method of a/B freezes any more until methods thaw.
//
// Guarantees: pure. An event that the table does not have changes nothing. What is known of a method ends when its
// counters are released: then another class, or the same one when it is loaded again, begins as counted. Methods are
// known by their first counters, and times are in seconds.
// Threads: one. Failure: throws std::bad_alloc.
#pragma once

#include <cstddef>
#include <cstdint>
#include <map>
#include <optional>
#include <set>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "writer/records/counter_range.h"

namespace iprof::vm {

enum class MethodState : uint8_t { kCounted, kFrozen, kThawing, kMissing, kUncalled, kBarred };
inline constexpr size_t kMethodStates = 6;

enum class MethodEvent : uint8_t {
  kFroze,      // it is estimated from now on
  kNotFound,   // no loaded class has the name of its class
  kNotCalled,  // by counted methods
  kRefused,    // its class cannot be changed
  kThaw,       // methods shall count again
  kThawed,     // its class has its probes
};
inline constexpr size_t kMethodEvents = 6;

std::string_view NameOf(MethodState state);
std::string_view NameOf(MethodEvent event);

// The next state; nullopt if the event cannot happen in this state.
std::optional<MethodState> Next(MethodState state, MethodEvent event);

// Why a hot method keeps its probes.
enum class WhyKept : uint8_t {
  kLoop,          // a loop in its class runs for long
  kUnsteady,      // what it does per entry changes
  kUncalled,      // it was not entered, or mostly not by counted methods
  kMissing,       // its class is hidden, or was unloaded
  kUnchangeable,  // the JVM cannot change its class, or somebody else redefined that
  kSwapped,       // its class was swapped as often as allowed
  kDoesNotPay,    // a round of swaps would cost more than it has saved so far
};

class MethodLives {
 public:
  static constexpr int kMostSwaps = 3;
  static constexpr double kRest = 30;

  MethodState StateOf(CounterIndex first) const;
  bool IsFrozen(CounterIndex first) const;
  // The frozen and thawing methods. ClassOfFrozen is empty for any other method.
  std::vector<CounterIndex> Frozen() const;
  std::string_view ClassOfFrozen(CounterIndex first) const;
  size_t frozen() const { return frozen_; }

  // Nullopt: it may freeze, or is frozen.
  std::optional<WhyKept> WhyNot(CounterIndex first, const std::string& class_name,
                                double now_s) const;

  // Returns whether the table has it.
  bool Take(MethodEvent event, CounterIndex first, double now_s);
  // Methods of classes of this name froze, and all of these classes are swapped, once.
  void Freeze(const std::string& class_name, std::span<const CounterIndex> froze, double now_s);
  // Methods thaw, but for those of these classes.
  void Thaw(const std::set<std::string, std::less<>>& but, double now_s);
  // The counters will belong to other methods.
  void Release(CounterRange range);

 private:
  struct Life {
    MethodState state = MethodState::kCounted;
    double rests_s = 0;  // if it is missing or uncalled: so long,
    double until_s = 0;  // and until then
    std::string class_name;
    int swaps = 0;  // of its class, since methods thawed and it froze first
  };
  void Move(Life& life, MethodState next, double now_s);

  std::map<CounterIndex, Life> lives_;
  size_t frozen_ = 0;
  // By class: the methods with swaps. Versions of a class have one name and counters of their own.
  std::map<std::string, std::set<CounterIndex>> swapped_;
};

}  // namespace iprof::vm
