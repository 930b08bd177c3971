// WorkerPool: what one thread needs to rewrite a class, for as many threads as do so at one time.
//
// Why: this memory is worth keeping for the next class, but any thread of the JVM may load a class,
// and many load one only. So workers belong to no thread.
//
// Guarantees: a worker is with one thread at a time, in the state in which it was returned. The pool
// never holds more workers than were taken at one time.
// Threads: any. The mutex is held for a few instructions, never while a worker is made.
// Failure: none but std::bad_alloc.
#pragma once

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
        return worker;
      }
    }
    return std::make_unique<Worker>();
  }
  void Return(std::unique_ptr<Worker> worker) {
    std::lock_guard lock(mutex_);
    idle_.push_back(std::move(worker));
  }

 private:
  std::mutex mutex_;
  std::vector<std::unique_ptr<Worker>> idle_;
};

}  // namespace iprof::instrument
