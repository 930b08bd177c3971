#include "agent/instrument/worker_pool.h"

#include <catch2/catch.hpp>

namespace iprof::instrument {
namespace {

struct Worker {
  static inline int alive = 0;
  Worker() { ++alive; }
  ~Worker() { --alive; }
};

TEST_CASE("workers that were not used since the last Trim are freed") {
  WorkerPool<Worker> pool;
  const auto use = [&](size_t at_once) {
    std::vector<std::unique_ptr<Worker>> taken;
    while (taken.size() < at_once) taken.push_back(pool.Take());
    for (auto& worker : taken) pool.Return(std::move(worker));
  };
  use(40);
  CHECK(Worker::alive == 40);
  pool.Trim();
  CHECK(Worker::alive == 40);
  use(2);
  use(1);
  pool.Trim();
  CHECK(Worker::alive == 2);
  const auto in_use = pool.Take();
  pool.Trim();
  CHECK(Worker::alive == 1);
  pool.Trim();
  CHECK(Worker::alive == 1);
}

}  // namespace
}  // namespace iprof::instrument
