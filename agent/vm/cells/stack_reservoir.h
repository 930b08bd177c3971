// StackReservoir: the stacks of each site, and how far it is to the next one (contexts=all).
//
// A site takes a stack at random distances with a mean of 2^k executions: a fixed step would beat with a loop of the program. If
// it has kMostStacks, or if stacks cost too much (StackBudget), half of its stacks are dropped at random and the mean doubles. So
// every execution had the same chance, early or late, and the stacks need no weights.
//
// Example: a branch runs 10 million times. From an earlier profile, 2 million are expected, so the mean begins at 512. After
// 0.5 million executions it has 1,024 stacks; 512 stay, and the mean is 1,024; and so on until the mean is 16,384 and 610 stacks are left.
//
// Guarantees: no more than kMostStacks of a site, and no more in all than the limit. Threads: one at a time. Knows no JVM.
// Failure: std::bad_alloc; then the stacks are as before.
#pragma once

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

// How much the stacks of all sites may cost: kShare of the process's CPU time, beyond the first kFreeNs, so that short runs have
// stacks, too. What earlier windows cost too much is forgotten: a debt would make sites rarer and rarer until it is paid.
// Example: if a stack takes 10 us, 15,000 come at once, and then 500 in each second of CPU time.
class StackBudget {
 public:
  static constexpr double kShare = 0.005;
  static constexpr int64_t kFreeNs = 150'000'000;
  static constexpr int64_t kWindowNs = 1'000'000'000;

  void Spend(int64_t ns) {
    spent_ns_ += ns;
    in_window_ns_ += ns;
  }
  // At this CPU time of the process.
  bool IsExceeded(int64_t cpu_ns) {
    if (cpu_ns - window_begin_ns_ >= kWindowNs) {
      window_begin_ns_ = cpu_ns;
      in_window_ns_ = 0;
    }
    // Of a window that has just begun, a tenth is already there.
    const int64_t window_ns = cpu_ns - window_begin_ns_ + kWindowNs / 10;
    return spent_ns_ > kFreeNs &&
           static_cast<double>(in_window_ns_) > kShare * static_cast<double>(window_ns);
  }
  int64_t spent_ns() const { return spent_ns_; }

 private:
  int64_t spent_ns_ = 0;
  int64_t in_window_ns_ = 0;
  int64_t window_begin_ns_ = 0;
};

class StackReservoir {
 public:
  static constexpr size_t kMostStacks = 1024;
  // The first means make so many stacks of all expected executions, and so many of those of one site.
  static constexpr uint64_t kExpectedOfAll = 15'000;
  static constexpr uint64_t kLeastExpected = 64;
  static constexpr uint64_t kMostExpected = 2048;
  // Of a site whose stacks cost too much, so many are taken before the mean doubles again.
  static constexpr uint32_t kBetween = 16;

  // `executions`: how many are expected, by site.
  StackReservoir(std::span<const uint64_t> executions, size_t most_in_all, uint64_t seed);

  // `is_costly`: the stacks so far cost too much.
  void Add(uint32_t site, const TakenStack& stack, bool is_costly);
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
    uint32_t mean_log2 = 0;
    uint32_t since_thin = 0;  // stacks
    std::vector<TakenStack> stacks = {};
  };
  void Thin(Site& site);

  std::vector<Site> sites_;
  const size_t most_in_all_;
  std::minstd_rand random_;
  uint64_t taken_ = 0;
  uint64_t kept_ = 0;
};

}  // namespace iprof::vm
