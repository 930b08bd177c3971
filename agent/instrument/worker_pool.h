// WorkerPool: lends each thread that rewrites a class the memory that it needs.
//
// Why: this memory should be reused for the next class, but any thread of the JVM may load classes,
// and many load only one. So a worker belongs to no thread.
//
// Guarantees: only one thread at a time has a worker, and a worker keeps its state from its last
// use. The pool never contains more workers than were in use at one time. Trim frees those that were not used.
// Example: 40 threads load classes at once, and later 2. The first Trim afterwards frees none, the second one 38.
// Threads: any. The mutex is held for a few instructions, and not while a worker is created or freed.
// Failure: throws std::bad_alloc if memory is short.
#pragma once

#include <algorithm>
#include <cstddef>
#include <memory>
#include <mutex>
#include <utility>
#include <vector>

namespace iprof::instrument {

template <typename Worker>
class WorkerPool {
 public:
  std::unique_ptr<Worker> Take() {
    {
      std::lock_guard lock(mutex_);
      if (!idle_.empty()) {
        auto worker = std::move(idle_.back());
        idle_.pop_back();
        unneeded_ = std::min(unneeded_, idle_.size());
        return worker;
      }
    }
    return std::make_unique<Worker>();
  }
  void Return(std::unique_ptr<Worker> worker) {
    std::lock_guard lock(mutex_);
    idle_.push_back(std::move(worker));
  }
  // Frees as many as were idle all the time since the last Trim.
  void Trim() {
    std::vector<std::unique_ptr<Worker>> freed;  // without the mutex
    std::lock_guard lock(mutex_);
    for (; unneeded_ > 0; --unneeded_) {
      freed.push_back(std::move(idle_.back()));
      idle_.pop_back();
    }
    unneeded_ = idle_.size();
  }

 private:
  std::mutex mutex_;  // guards the rest
  size_t unneeded_ = 0;
  std::vector<std::unique_ptr<Worker>> idle_;
};

}  // namespace iprof::instrument
