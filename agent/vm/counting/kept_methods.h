// KeptMethods: why hot methods keep their probes, for a user: how many for each reason, and one of them.
//
// Guarantees: pure. The example is the method with most increments per second. Threads: one. Failure: none but
// std::bad_alloc.
#pragma once

#include <array>
#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

namespace iprof::vm {

enum class WhyKept {
  kLoop,          // a loop in their class runs for long
  kUnsteady,      // what they do per entry changes
  kUncalled,      // they were not entered, or mostly not by counted methods
  kUnchangeable,  // the JVM cannot change their class, or somebody else redefined it
  kSwapped,       // their class was swapped as often as allowed
  kDoesNotPay,    // a round of swaps would cost more than it has saved so far
};

class KeptMethods {
 public:
  // `what` is part of a sentence: "a loop in the class runs all the time (Solo.main)".
  struct Reason {
    std::string what;
    uint64_t methods = 0;
    bool operator==(const Reason&) const = default;
  };

  // The name is internal: "com/acme/Solo".
  void Note(WhyKept why, double increments_per_s, std::string_view class_name,
            std::string_view method);
  void Clear() { groups_ = {}; }

  // Those that there are; most methods first.
  std::vector<Reason> Reasons() const;

 private:
  struct Group {
    uint64_t methods = 0;
    double hottest = 0;  // of the example
    std::string example;
  };
  static constexpr size_t kReasons = static_cast<size_t>(WhyKept::kDoesNotPay) + 1;
  std::array<Group, kReasons> groups_;
};

// "3 methods keep their probes because a loop in the class runs all the time (Solo.main), and 1 because …";
// empty: nothing.
std::string DescribeKept(const std::vector<KeptMethods::Reason>& reasons);

}  // namespace iprof::vm
