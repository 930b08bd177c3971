// CostMeter: what counting costs the program at most, measured while it runs.
//
// The cost is a sum of three parts: executed increments, times what one costs on this processor; the
// CPU time of the agent's thread; and that of the JVM's compilers after classes were swapped, which
// compile the classes again.
//
// What one increment costs is calibrated: a loop increments numbers in memory, as compiled probes
// do. The counters do not show how many increments were executed: a compiler may merge those of a loop into
// one addition. So the measured cost is what counting costs at most. It is at most three times the program's
// own time, since counting never cost more than that in a program whose true cost was measured. So at least a
// quarter of the CPU time is taken for the program's own.
//
// A class-counting site costs more than an increment. Their executions are not known until a
// harvest, so with them an increment counts double: in the published benchmarks the sites cost as much
// as the increments.
//
// Guarantees: a share is between 0 and kMostShare. Threads: one. Failure: none.
#pragma once

#include <cstdint>

namespace iprof::vm {

class CostMeter {
 public:
  // The largest cost that is told, as a share of the program's own time.
  static constexpr double kMostShare = 3;

  // A reading of the clocks and counters of this process. All grow, but for the compilers' time: HotSpot ends
  // compiler threads that are idle. An interval in which it falls counts as one without compilers.
  struct Reading {
    uint64_t wall_ns = 0;
    uint64_t increments = 0;
    uint64_t process_cpu_ns = 0;
    uint64_t thread_cpu_ns = 0;     // of the agent's thread
    uint64_t compilers_cpu_ns = 0;  // of the JVM's compilers
  };

  // What an increment costs if it cannot be measured.
  static constexpr double kUsualIncrement = 1;

  CostMeter(double ns_per_increment, bool counts_types)
      : ns_per_increment_((ns_per_increment > 0 ? ns_per_increment : kUsualIncrement) *
                          (counts_types ? 2 : 1)) {}

  // The nanoseconds of an increment. Takes a fraction of a millisecond. 0: this system has no
  // clock for it, or one that is too coarse.
  static double CalibrateIncrement();
  static uint64_t ProcessCpuNanoseconds();
  // The clocks now; `increments` and the thread's time are the caller's.
  static Reading ReadClocks();

  // The first call begins the measurement. `swapped`: classes were swapped since the last call.
  void Note(const Reading& now, bool swapped);
  // The time between is left out, for example while nothing is recorded. Without the thread's time, that of the
  // last reading holds.
  void Skip(const Reading& now);

  // What was measured so far is not in share() any more.
  void Restart();

  // The most that counting cost in the last interval and in all, as a share of the time that the program took
  // without it.
  double last_share() const { return last_share_; }
  double share() const;
  double increments_per_s() const { return increments_per_s_; }
  double ns_per_increment() const { return ns_per_increment_; }
  // What the JVM's compilers have taken since classes were last swapped, or since the first call of Note
  // or Skip.
  double compiled_s() const { return compiled_ns_ / 1e9; }
  // How long was measured, in the time of the clock or, where that is less, of the process's processors.
  double measured_s() const { return measured_ns_ / 1e9; }
  // What they took because of swaps, in all, and of the last one: until they were calm again.
  double swapped_s() const { return swapped_ns_ / 1e9; }
  double last_swap_s() const { return last_swap_ns_ / 1e9; }
  // How many increments per second of the clock cost this share of the program's time in the last intervals,
  // together with the agent's thread. What compilers take after swaps does not count: fewer increments would
  // not make it less.
  double IncrementsPerSecond(double share) const;

 private:
  struct Cost {
    double own_ns = 0;
    double program_ns = 0;
  };
  static double ShareOf(const Cost& cost);
  bool BeginInterval(double compiled_ns, double cpu_ns);

  static constexpr int kNoSwap = 1'000;

  const double ns_per_increment_;
  Reading last_;
  bool has_begun_ = false;
  int after_swap_ = kNoSwap;  // intervals since the last swap
  double last_share_ = 0;
  double increments_per_s_ = 0;  // in the last interval
  double program_per_wall_ = 0;  // in the last intervals, the newest of which weigh most
  double thread_per_wall_ = 0;   // of the agent's thread, in all
  Cost all_;
  double thread_ns_ = 0;
  double wall_ns_ = 0;
  double measured_ns_ = 0;
  double compiled_ns_ = 0;
  double swapped_ns_ = 0;
  double last_swap_ns_ = 0;
};

}  // namespace iprof::vm
