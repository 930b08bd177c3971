#include "agent/instrument/table/frozen_methods.h"

#include <array>
#include <catch2/catch.hpp>

namespace iprof::instrument {
namespace {

TEST_CASE("methods freeze, thaw and go", "[frozen_methods]") {
  FrozenMethods frozen;
  CHECK_FALSE(frozen.Has(CounterIndex{0}));
  const std::array firsts{CounterIndex{0}, CounterIndex{7}, CounterIndex{9}};
  frozen.Freeze(firsts);
  frozen.Freeze(std::span(firsts).first(1));
  CHECK(frozen.size() == 3);
  CHECK(frozen.Has(CounterIndex{7}));
  CHECK_FALSE(frozen.Has(CounterIndex{8}));

  frozen.Thaw(std::span(firsts).first(1));
  CHECK_FALSE(frozen.Has(CounterIndex{0}));
  CHECK(frozen.size() == 2);

  frozen.Release({CounterIndex{5}, 3});
  CHECK_FALSE(frozen.Has(CounterIndex{7}));
  CHECK(frozen.Has(CounterIndex{9}));
  frozen.Release({CounterIndex{9}, 1});
  CHECK(frozen.size() == 0);
}

TEST_CASE("a class that got code without probes is known until the method thaws",
          "[frozen_methods]") {
  FrozenMethods frozen;
  const std::array first{CounterIndex{7}};
  CHECK_FALSE(frozen.LeaveOut(first[0]));
  frozen.Freeze(first);
  CHECK_FALSE(frozen.IsLeftOut(first[0]));
  CHECK(frozen.Has(first[0]));
  CHECK_FALSE(frozen.IsLeftOut(first[0]));  // to ask is not to leave it out
  CHECK(frozen.LeaveOut(first[0]));
  CHECK(frozen.IsLeftOut(first[0]));
  frozen.Freeze(first);  // it is frozen already
  CHECK(frozen.IsLeftOut(first[0]));
  CHECK_FALSE(frozen.IsLeftOut(CounterIndex{8}));
  frozen.Thaw(first);
  frozen.Freeze(first);
  CHECK_FALSE(frozen.IsLeftOut(first[0]));
}

}  // namespace
}  // namespace iprof::instrument
