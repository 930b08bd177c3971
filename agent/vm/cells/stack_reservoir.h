// StackReservoir: the stacks of each site, and how far it is to the next one (contexts=all).
//
// A site takes a stack at random distances with a mean of 2^k executions: a fixed step would beat with a loop of the program. If
// it has kMostStacks, or if all sites have more than StackBudget affords and this one has no fewer than its part, half of its
// stacks are dropped at random and the mean doubles. So every execution had the same chance, early or late, and the stacks
// need no weights.
//
// A site's part of all stacks grows with its executions to the power of 2/3. An error falls with the square root of the stacks, so
// this makes the sum of all errors, weighted by executions, as small as it can be. Calls and branches have half of the stacks
// each, though branches are executed more often. Example: with 8 times the executions of another branch, one has 4 times as
// many stacks.
//
// Example: a branch runs 10 million times. From an earlier profile, 2 million are expected, so the mean begins at 512. After
// a million executions it has 2,048 stacks; half of them stay, and the mean is 1024; and so on until the mean is 8192 and 1,220 are left.
//
// Guarantees: no more than kMostStacks of a site, and no more in all than the limit. Threads: one at a time. Knows no JVM.
// Failure: std::bad_alloc; then the stacks are as before.
#pragma once

#include <algorithm>
#include <array>
#include <cstddef>
#include <cstdint>
#include <random>
#include <span>
#include <vector>

#include "writer/base/code_stamp.h"

namespace iprof::vm {

// A position in running code.
struct RunningPlace {
  uint32_t method = 0;  // its number in ContextStacks
  uint16_t bci = 0;
  CodeStamp code = {};
  bool operator==(const RunningPlace&) const = default;
};

struct TakenStack {
  static constexpr size_t kMostCallers = 8;
  uint32_t outcome = 0;
  uint32_t depth = 0;  // of its callers
  std::array<RunningPlace, kMostCallers> callers = {};
};

// How much the stacks of all sites may cost: kShare of the CPU time since the recording began, and kStartNs more, so that short
// runs have stacks, too.
//
// What is kept decides what comes next: a program that keeps 100 stacks of its first second takes 100 in the next one, and 200
// in the two seconds after that; more if it becomes faster, as most do. So as many may be kept as twice the CPU time could
// still pay for, if the program executed kFaster times as much in the second half.
// Example: a stack takes 10 us. After 20 s of CPU time, 16,000 may have been taken, and after 40 s 26,000. If 14,000 were taken
// by then, 8,000 may be kept; if 23,000 were taken, 2,000, so that few are taken until time has made up for it.
class StackBudget {
 public:
  static constexpr double kShare = 0.005;
  static constexpr int64_t kStartNs = 60'000'000;

  // A recording begins, at this CPU time of the process.
  void Begin(int64_t cpu_ns) { *this = {}, begin_ns_ = cpu_ns; }
  // A stack was taken.
  void Spend(int64_t ns) {
    spent_ns_ += ns;
    one_ns_ += (static_cast<double>(ns) - one_ns_) / kRecent;
  }
  // How many stacks may be kept at this CPU time.
  size_t Affords(int64_t cpu_ns) const {
    const auto passed = static_cast<double>(cpu_ns - begin_ns_);
    const auto spent = static_cast<double>(spent_ns_);
    const double allowed = kShare * passed + static_cast<double>(kStartNs);
    const double soon = allowed + kShare * passed;
    // Some are kept in any case: without any, nothing would be known of the past.
    const double next = std::max((soon - spent) / kFaster, allowed / 16);
    return static_cast<size_t>(next / std::max(one_ns_, 1.0));
  }
  int64_t spent_ns() const { return spent_ns_; }

 private:
  int64_t begin_ns_ = 0;
  int64_t spent_ns_ = 0;
  static constexpr double kFaster = 1.5;
  // What one takes, of about so many recent ones: the rarer they are, the more each of them takes.
  static constexpr double kRecent = 256;
  double one_ns_ = 10'000;
};

class StackReservoir {
 public:
  static constexpr size_t kMostStacks = 2048;
  // The first means make so many stacks of all expected executions, and so many of those of one site. If there were many more
  // than StackBudget pays for, most would make way.
  static constexpr uint64_t kExpectedOfAll = 4'000;
  static constexpr uint64_t kLeastExpected = 4;
  static constexpr uint64_t kMostExpected = 2048;

  // `executions`: how many are expected, by site; `is_call`: of which sites, by number.
  StackReservoir(std::span<const uint64_t> executions, size_t most_in_all, uint64_t seed,
                 const std::vector<bool>& is_call = {});

  // `affordable`: how many stacks all sites may keep.
  void Add(uint32_t site, const TakenStack& stack, size_t affordable);
  // How many executions of the site come before the next one that is taken; drawn at random.
  uint32_t DrawDistance(uint32_t site);
  // Drops all stacks. The means stay.
  void Forget();

  size_t site_count() const { return sites_.size(); }
  std::span<const TakenStack> StacksOf(uint32_t site) const { return sites_[site].stacks; }
  uint64_t MeanOf(uint32_t site) const { return uint64_t{1} << sites_[site].mean_log2; }
  uint64_t taken() const { return taken_; }
  uint64_t dropped() const { return taken_ - kept_; }
  size_t bytes() const;

 private:
  struct Site {
    double part = 0;  // of the stacks of all sites
    uint32_t mean_log2 = 0;
    bool is_used = false;
    std::vector<TakenStack> stacks = {};
  };
  void Thin(Site& site);

  std::vector<Site> sites_;
  double used_parts_ = 0;  // of the sites that have or had stacks
  const size_t most_in_all_;
  std::minstd_rand random_;
  uint64_t taken_ = 0;
  uint64_t kept_ = 0;
};

}  // namespace iprof::vm
