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

}  // namespace
}  // namespace iprof::instrument
