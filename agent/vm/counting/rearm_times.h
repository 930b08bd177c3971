// RearmTimes: when methods without probes count again for a while: a period after the first of them froze, and each
// time twice as long after.
//
// Guarantees: pure. While no method is frozen, nothing is due, and the period begins anew with the next one.
// Threads: one. Failure: none.
#pragma once

#include <cstddef>

namespace iprof::vm {

class RearmTimes {
 public:
  // All times are in seconds. A period of 0: methods stay frozen.
  explicit RearmTimes(double period_s) : period_s_(period_s) {}

  // Methods froze, or are frozen still.
  void Froze(double now_s) {
    if (period_s_ > 0 && due_s_ == 0) due_s_ = now_s + period_s_;
  }
  // `frozen`: how many methods are.
  bool IsDue(double now_s, size_t frozen) {
    if (frozen == 0) due_s_ = 0;
    return due_s_ > 0 && now_s >= due_s_;
  }
  // They thaw.
  void Begin() {
    due_s_ = 0;
    period_s_ *= 2;
    has_begun_ = true;
  }
  // Whether none has thawed so far.
  bool is_first() const { return !has_begun_; }

 private:
  double period_s_;
  double due_s_ = 0;  // 0: no method is frozen
  bool has_begun_ = false;
};

}  // namespace iprof::vm
