#include "writer/profile/sureness.h"

#include <catch2/catch.hpp>
#include <string>
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

TEST_CASE("calls that were counted are surer than the rest, until a sum has others") {
  const Sureness few = Sureness::EstimatedFrom(4);
  const Sureness half = Sureness::Of(Sureness::Exact(), few);
  CHECK(half.executions() == 4);
  CHECK(half.calls() == Sureness::Bounded());
  CHECK(half < few);
  CHECK(half.Mark() == "C+");
  CHECK(half.Describe() == "estimated from 4 executions, but for the calls");
  CHECK(Sureness::Of(few, Sureness::Exact()) == few);
  CHECK(Sureness::Of(Sureness::Exact(), Sureness::Bounded()) == Sureness::Bounded());
  CHECK(few.calls() == few);
  const Sureness guessed = Sureness::EstimatedFrom(0);
  CHECK(Sureness::LeastOf(half, Sureness()) == half);
  CHECK(Sureness::LeastOf(half, Sureness::Exact()) == half);
  CHECK(Sureness::LeastOf(Sureness::Of(Sureness::Bounded(), guessed), few) ==
        Sureness::Of(few, guessed));
  CHECK(Sureness::LeastOf(half, Sureness::Unknown()) == Sureness::Unknown());
  // 90 of the calls are sure.
  CHECK(DoubtfulOf({{90, half}, {10, few}}).share == Approx(0.1));
  CHECK(DoubtfulOf({{90, half}}).methods == 0);
}

TEST_CASE("an estimate keeps its executions as a power of two") {
  CHECK(Sureness::EstimatedFrom(5000) == Sureness::EstimatedFrom(4096));
  CHECK(Sureness::EstimatedFrom(4095) == Sureness::EstimatedFrom(2048));
  CHECK(Sureness::EstimatedFrom(5000).executions() == 4096);
  CHECK(Sureness::EstimatedFrom(UINT64_MAX).executions() == uint64_t{1} << Sureness::kMostLog);
  CHECK(Sureness::EstimatedFrom(1).executions() == 1);
  CHECK(Sureness::EstimatedFrom(0).executions() == 0);
}

TEST_CASE("marks are read back, and no other text is one") {
  size_t marks = 0;
  for (int c = 0; c < 256; ++c) {
    for (const char* more : {"", "+", "++", "e"}) {
      const std::string mark = static_cast<char>(c) + std::string(more);
      const auto read = Sureness::OfMark(mark);
      if (!read) continue;
      ++marks;
      CHECK(read->Mark() == mark);
      CHECK(read->has_only_counted_calls() == mark.ends_with('+'));
    }
  }
  CHECK(marks == 26 + 4 + 26 + 1);
  CHECK_FALSE(Sureness::OfMark(""));
  CHECK(Sureness::EstimatedFrom(4096).Mark() == "M");
  CHECK(Sureness::Exact().Mark() == "e");
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
