// Steps: what takes long says here how far it is, and the tool whose command it is for hears of it.
//
// Example: a stop gives 5,400 classes their own code back, in batches for 4 s. At(kClasses, 0, 5400) comes 100 ms after the
// command began, and then one At a batch. The tool hears {kClasses, 1300, 5400} after 1 s, and two more. A stop of 0.9 s is
// not heard of.
//
// Guarantees: what is heard is at least kEvery apart, and nothing is heard after Hearing is gone. At costs next to nothing
// while no one hears, and throws nothing.
// Threads: any; one Hearing at a time. Failure: none.
#pragma once

#include <atomic>
#include <chrono>
#include <cstdint>
#include <functional>
#include <mutex>
#include <utility>

#include "writer/control/progress.h"

namespace iprof::vm {

class Steps {
 public:
  static constexpr std::chrono::milliseconds kEvery{1000};
  using Hear = std::function<void(const control::Progress&)>;

  class Hearing {
   public:
    // `hear` does not wait.
    Hearing(Steps& steps, Hear hear) : steps_(steps) { steps_.Set(std::move(hear)); }
    ~Hearing() { steps_.Set({}); }
    Hearing(const Hearing&) = delete;
    Hearing& operator=(const Hearing&) = delete;

   private:
    Steps& steps_;
  };

  void At(control::Step step, uint64_t done, uint64_t all) noexcept {
    if (!is_heard_.load(std::memory_order_relaxed)) return;
    const std::unique_lock lock(mutex_, std::try_to_lock);
    const Clock::time_point now = Clock::now();
    if (!lock || !hear_ || now < next_) return;
    next_ = now + kEvery;
    try {
      hear_({step, done, all});
    } catch (...) {
      is_heard_ = false;  // the work goes on
    }
  }

 private:
  using Clock = std::chrono::steady_clock;

  void Set(Hear hear) {
    const std::lock_guard lock(mutex_);
    is_heard_ = static_cast<bool>(hear);
    hear_ = std::move(hear);
    next_ = Clock::now() + kEvery;
  }

  std::atomic<bool> is_heard_{false};
  std::mutex mutex_;  // guards the rest
  Hear hear_;
  Clock::time_point next_;
};

}  // namespace iprof::vm
