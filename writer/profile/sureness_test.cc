#include "writer/profile/sureness.h"

#include <catch2/catch.hpp>
#include <vector>

namespace iprof {
namespace {

TEST_CASE("what is less sure is greater, and the least sure of all decides") {
  const std::vector<Sureness> ascending = {Sureness(),
                                           Sureness::Exact(),
                                           Sureness::Bounded(),
                                           Sureness::EstimatedFrom(1'000'000),
                                           Sureness::EstimatedFrom(5000),
                                           Sureness::EstimatedFrom(4000),
                                           Sureness::EstimatedFrom(1),
                                           Sureness::EstimatedFrom(0),
                                           Sureness::Unknown()};
  for (size_t i = 1; i < ascending.size(); ++i) {
    CAPTURE(ascending[i].Describe());
    CHECK(ascending[i - 1] < ascending[i]);
  }
}

TEST_CASE("an estimate keeps its executions as a power of two") {
  CHECK(Sureness::EstimatedFrom(5000) == Sureness::EstimatedFrom(4096));
  CHECK(Sureness::EstimatedFrom(4095) == Sureness::EstimatedFrom(2048));
  CHECK(Sureness::EstimatedFrom(5000).executions() == 4096);
  CHECK(Sureness::EstimatedFrom(UINT64_MAX).executions() == uint64_t{1} << Sureness::kMostLog);
  CHECK(Sureness::EstimatedFrom(1).executions() == 1);
  CHECK(Sureness::EstimatedFrom(0).executions() == 0);
}

TEST_CASE("marks are read back, and no other character is one") {
  size_t marks = 0;
  for (int c = 0; c < 256; ++c) {
    const auto read = Sureness::OfMark(static_cast<char>(c));
    if (!read) continue;
    ++marks;
    CHECK(read->Mark() == static_cast<char>(c));
  }
  CHECK(marks == 26 + 4);
  CHECK(Sureness::EstimatedFrom(4096).Mark() == 'M');
  CHECK(Sureness::Exact().Mark() == 'e');
}

TEST_CASE("few executions and guesses are doubtful") {
  CHECK(Sureness::EstimatedFrom(0).IsDoubtful());
  CHECK(Sureness::EstimatedFrom(31).IsDoubtful());
  CHECK_FALSE(Sureness::EstimatedFrom(32).IsDoubtful());
  CHECK_FALSE(Sureness::Exact().IsDoubtful());
  CHECK_FALSE(Sureness::Unknown().IsDoubtful());
}

TEST_CASE("they are described in words") {
  CHECK(Sureness::EstimatedFrom(5000).Describe() == "estimated from 4,096 executions");
  CHECK(Sureness::EstimatedFrom(1).Describe() == "estimated from 1 execution");
  CHECK(Sureness::EstimatedFrom(0).Describe() == "guessed");
  CHECK(Sureness::Bounded().Describe() == "bounded");
}

}  // namespace
}  // namespace iprof
