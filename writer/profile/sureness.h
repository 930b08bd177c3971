// Sureness: how sure the numbers of one method in a profile are.
//
//   exact      it was counted whenever it ran
//   bounded    at least half of its numbers was counted, and more may have run
//   estimated  from what n executions did; n is kept as a power of two
//   guessed    from its code alone
//   unknown    the profile does not say
//
// They are ordered: what is less sure is greater, and of two estimates the one from fewer executions. A sum is as sure as its
// least sure part. A method that a profile does not have is absent, which is less than all. The calls of an estimated or guessed
// method may have been counted all the same: then only its branches, receivers and type checks are unsure.
//
// Example: one run counted A.f exactly, another estimates it from 5,000 executions: their sum is "estimated", from 4,096.
// A method that only the first run has stays exact. In a third run A.f was called 900 times, by exact counts, and its branches
// were seen in 3 of these: Of(Exact(), EstimatedFrom(3)) is "estimated" from 2, and its calls() are bounded.
//
// Guarantees: plain values; OfMark(Mark()) is the same, but for absent. Threads: any. Failure: OfMark returns nullopt.
#pragma once

#include <algorithm>
#include <compare>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace iprof {

class Sureness {
 public:
  enum class Kind : uint8_t { kAbsent, kExact, kBounded, kEstimated, kGuessed, kUnknown };
  static constexpr Kind kKinds[] = {Kind::kExact, Kind::kBounded, Kind::kEstimated, Kind::kGuessed,
                                    Kind::kUnknown};
  static constexpr uint8_t kMostLog = 25;  // more executions are as sure

  constexpr Sureness() = default;
  static constexpr Sureness Exact() { return Sureness(Kind::kExact); }
  static constexpr Sureness Bounded() { return Sureness(Kind::kBounded); }
  // From none at all it is guessed.
  static Sureness EstimatedFrom(uint64_t executions);
  static constexpr Sureness Unknown() { return Sureness(Kind::kUnknown); }
  // Of a method whose calls are so sure, and the rest so.
  static constexpr Sureness Of(Sureness calls, Sureness rest) {
    Sureness made = std::max(calls, rest);
    made.are_calls_unsure_ = calls > Bounded();
    return made;
  }
  // Of a sum.
  static constexpr Sureness LeastOf(Sureness a, Sureness b) {
    return Of(std::max(a.calls(), b.calls()), std::max(a, b));
  }

  constexpr Kind kind() const { return kind_; }
  constexpr bool is_present() const { return kind_ != Kind::kAbsent; }
  // Of an estimate, and 0 of a guess: rounded down to a power of two.
  constexpr uint64_t executions() const {
    return kind_ == Kind::kEstimated ? uint64_t{1} << (kMostLog - doubt_) : 0;
  }
  // Whether the numbers come from so few executions, or none, that one may doubt them.
  constexpr bool IsDoubtful() const {
    return kind_ == Kind::kGuessed || (kind_ == Kind::kEstimated && executions() < kFewExecutions);
  }
  static constexpr uint64_t kFewExecutions = 32;

  // How sure the calls alone are.
  constexpr Sureness calls() const { return has_only_counted_calls() ? Bounded() : *this; }
  // Whether the calls were counted, and the rest was not.
  constexpr bool has_only_counted_calls() const {
    return !are_calls_unsure_ && (kind_ == Kind::kEstimated || kind_ == Kind::kGuessed);
  }

  // e, b, g; '-' for unknown and absent; an estimate from 2^n executions is the letter n of A to Z. A '+' behind it: the calls
  // were counted.
  std::string Mark() const;
  static std::optional<Sureness> OfMark(std::string_view mark);
  // "exact", "estimated from 4,096 executions", "guessed, but for the calls".
  std::string Describe() const;

  friend constexpr auto operator<=>(const Sureness&, const Sureness&) = default;

 private:
  explicit constexpr Sureness(Kind kind) : kind_(kind), are_calls_unsure_(kind > Kind::kBounded) {}

  Kind kind_ = Kind::kAbsent;
  uint8_t doubt_ = 0;              // of an estimate: kMostLog less the logarithm of its executions
  bool are_calls_unsure_ = false;  // the calls are no surer than the rest
};

// "exact", "estimated".
std::string_view NameOf(Sureness::Kind kind);

// How many calls are doubtful: "3 methods hold most of 99.0 % of all calls, estimated from 4 executions".
struct DoubtfulCalls {
  double share = 0;         // of all calls
  size_t methods = 0;       // those with the most of them that hold nine tenths
  uint64_t executions = 0;  // from which the first of these is estimated
};
// Of the calls of each method, and how sure it is. The order makes no difference.
DoubtfulCalls DoubtfulOf(const std::vector<std::pair<double, Sureness>>& methods);

}  // namespace iprof
