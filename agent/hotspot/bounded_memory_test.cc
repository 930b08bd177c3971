#include "agent/hotspot/bounded_memory.h"

#include <catch2/catch.hpp>

namespace iprof::hotspot {
namespace {

using Clock = std::chrono::steady_clock;

const uint64_t kValue = 42;
const Address kAt = reinterpret_cast<uintptr_t>(&kValue);

TEST_CASE("a memory that is bounded reads up to its limit, and nothing after it") {
  const OwnMemory own;
  const BoundedMemory memory(own, Clock::now() + std::chrono::hours(1), 20);
  CHECK(memory.Load<uint64_t>(kAt) == kValue);
  CHECK(memory.Load<uint64_t>(kAt) == kValue);
  CHECK(memory.exceeded() == BoundedMemory::Limit::kNone);
  CHECK_FALSE(memory.Load<uint64_t>(kAt));
  CHECK_FALSE(memory.Load<uint8_t>(kAt));
  CHECK(memory.exceeded() == BoundedMemory::Limit::kBytes);
}

TEST_CASE("what is kept beyond what was read counts as well") {
  const OwnMemory own;
  const BoundedMemory memory(own, Clock::now() + std::chrono::hours(1), 20);
  CHECK(memory.Load<uint64_t>(kAt) == kValue);
  CHECK(memory.left() == 12);
  memory.Charge(4);
  CHECK(memory.Load<uint64_t>(kAt) == kValue);
  CHECK(memory.left() == 0);
  CHECK(memory.exceeded() == BoundedMemory::Limit::kNone);
  memory.Charge(1);
  CHECK(memory.left() == 0);
  CHECK_FALSE(memory.Load<uint8_t>(kAt));
}

TEST_CASE("a memory whose harvest is given up reads nothing") {
  const OwnMemory own;
  bool is_unwanted = false;
  const BoundedMemory memory(own, Clock::now() + std::chrono::hours(1), 20,
                             [&] { return is_unwanted; });
  CHECK(memory.Load<uint8_t>(kAt));
  is_unwanted = true;
  CHECK_FALSE(memory.Load<uint8_t>(kAt));
  CHECK(memory.exceeded() == BoundedMemory::Limit::kUnwanted);
  is_unwanted = false;
  CHECK_FALSE(memory.Load<uint8_t>(kAt));
}

TEST_CASE("a memory whose time is over reads nothing") {
  const OwnMemory own;
  const BoundedMemory memory(own, Clock::now(), 20);
  CHECK_FALSE(memory.Load<uint8_t>(kAt));
  CHECK(memory.exceeded() == BoundedMemory::Limit::kTime);
}

}  // namespace
}  // namespace iprof::hotspot
