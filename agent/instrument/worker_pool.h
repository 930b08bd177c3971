// WorkerPool: lends each thread that rewrites a class the memory that it needs.
//
// Why: this memory should be reused for the next class, but any thread of the JVM may load classes,
// and many load only one. So a worker belongs to no thread.
//
// Guarantees: only one thread at a time has a worker, and a worker keeps its state from its last
// use. The pool never contains more workers than were in use at one time.
// Threads: any. The mutex is held for a few instructions, and not while a worker is created.
// Failure: throws std::bad_alloc if memory is short.
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
