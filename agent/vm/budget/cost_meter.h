// CostMeter: what counting costs the program, estimated while it runs.
//
// The cost is a sum of three parts:
//
//  - Executed increments, times what one costs: kRealPerLoop times what it takes in a loop on this processor, because
//    increments make code longer, so that the JVM inlines less of it. With class-counting sites, whose executions are
//    not known until a harvest, it costs twice as much again. The loop is measured again and again, because a busy
//    machine makes it slower, as it does the program.
//  - The CPU time of the agent's threads: the one that swaps, the one of snapshots.
//  - What swaps cost. The JVM's compilers compile the swapped classes again, some of which they would have compiled anyway, and
//    until they are calm the program runs slow code: kPaidPerCompiled of what the compilers take. Later the code is still worse
//    than it was: by kWorseCode of the time at first, and by half of that each kWorseForS further seconds of CPU time.
//
// None of the three is known well, so there is a range: from half of what increments cost, half of the compilers' time and no
// worse code, to twice, twice and three times as much.
//
// A compiler may merge the increments of a loop into one addition, which the counters do not show. So the cost is at
// most three times the program's own time: counting never cost more than that in a program whose true cost was measured.
//
// Example: an increment takes 0.4 ns in a loop, so it costs 0.6 ns, and 1.2 ns with sites. In a second of CPU time with 250
// million increments they cost 0.3 s. The program's own part is 0.7 s, and the share 43 %: 18 to 150 %.
//
// Guarantees: a share is between 0 and kMostShare. Threads: one. Failure: none.
#pragma once

#include <cstdint>

namespace iprof::vm {

class CostMeter {
 public:
  // The largest cost that is shown, as a share of the program's own time.
  static constexpr double kMostShare = 3;
  // Increments with sites cost 0.8 to 2.3 ns in seven programs, where the loop took 0.5 ns (docs/lab/budget.md).
  static constexpr double kRealPerLoop = 1.5;

  // A reading of the clocks and counters of this process. All grow, but for the times of threads, some of which end:
  // HotSpot's compilers when they are idle. An interval in which such a time falls counts as one without it.
  struct Reading {
    uint64_t wall_ns = 0;
    uint64_t increments = 0;
    uint64_t process_cpu_ns = 0;
    uint64_t agent_cpu_ns = 0;      // of the agent's threads
    uint64_t compilers_cpu_ns = 0;  // of the JVM's compilers
    double loop_ns = 0;             // CalibrateIncrement; 0: as before
  };

  // What an increment takes in a loop if it cannot be measured.
  static constexpr double kUsualIncrement = 0.5;

  CostMeter(double ns_in_loop, bool counts_types)
      : loop_ns_(ns_in_loop > 0 ? ns_in_loop : kUsualIncrement), counts_types_(counts_types) {}

  // The nanoseconds of an increment in a loop. Takes a fraction of a millisecond. 0: this system has no
  // clock for it, or one that is too coarse.
  static double CalibrateIncrement();
  static uint64_t ProcessCpuNanoseconds();
  // The clocks now; `increments` are the caller's.
  static Reading ReadClocks();

  // The first call begins the measurement. `swapped`: classes were swapped since the last call.
  void Note(const Reading& now, bool swapped);
  // The time between is left out, for example while nothing is recorded.
  void Skip(const Reading& now);

  // What was measured so far is not in share() any more.
  void Restart();

  // What counting cost in the last interval and in all, as a share of the time that the program took without it.
  double last_share() const { return last_share_; }
  double share() const { return ShareOf(all_); }
  // Both ends of what share() may be in truth.
  struct Range {
    double least = 0;
    double most = 0;
  };
  Range range() const { return {ShareOf(least_), ShareOf(most_)}; }
  // What increments cost in the last intervals, the newest of which weigh most, since the last swap. Fewer of them would
  // not make the rest less.
  double counting_share() const { return ShareOf(counting_); }
  double increments_per_s() const { return increments_per_s_; }
  double ns_per_increment() const { return loop_ns_ * kRealPerLoop * (counts_types_ ? 2 : 1); }
  // How long was measured, in the time of the clock or, where that is less, of the process's processors.
  double measured_s() const { return measured_ns_ / 1e9; }
  // What all swaps may have cost at most, and the last one: until the compilers were calm again. This decides which swaps pay.
  double swapped_s() const { return swapped_ns_ / 1e9; }
  double last_swap_s() const { return last_swap_ns_ / 1e9; }
  // What the next swap may cost: as much as the last one, or as all that was compiled since the start.
  double next_swap_s() const {
    return has_swapped_ ? last_swap_s() : kLostPerCompiled * compiled_ns_ / 1e9;
  }

 private:
  struct Cost {
    double own_ns = 0;
    double program_ns = 0;
    // Of `cpu` at least a quarter is the program's own part, however many increments the compiler merged.
    void Add(double own, double cpu);
  };
  static double ShareOf(const Cost& cost);
  bool BeginInterval(double compiled_ns, double cpu_ns);
  double TakeWorse(double cpu_ns);
  void BeginSwap();

  static constexpr int kNoSwap = 1'000;
  // What a swap may cost, by the CPU time that compilers take for it; and what it costs as a rule.
  static constexpr double kLostPerCompiled = 2;
  static constexpr double kPaidPerCompiled = 0.85;
  // What worse code costs once the compilers are calm, as a share of the CPU time (docs/lab/budget.md).
  static constexpr double kWorseCode = 0.064;
  static constexpr double kWorseForS = 30;

  double loop_ns_;  // of the last readings
  const bool counts_types_;
  Reading last_;
  bool has_begun_ = false;
  bool has_swapped_ = false;
  int after_swap_ = kNoSwap;  // intervals since the last swap
  double calm_ns_ = 0;        // of CPU time since the compilers were calm again
  double last_share_ = 0;
  double increments_per_s_ = 0;  // in the last interval
  Cost all_, least_, most_;
  Cost counting_;
  double measured_ns_ = 0;
  double compiled_ns_ = 0;  // since the start
  double swapped_ns_ = 0;
  double last_swap_ns_ = 0;
};

}  // namespace iprof::vm
