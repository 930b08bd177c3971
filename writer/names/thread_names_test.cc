#include "writer/names/thread_names.h"

#include <catch2/catch.hpp>

namespace iprof {
namespace {

TEST_CASE("each run of digits in a thread's name becomes one star") {
  CHECK(FoldedThreadName("main") == "main");
  CHECK(FoldedThreadName("pool-1-thread-12") == "pool-*-thread-*");
  CHECK(FoldedThreadName("ForkJoinPool.commonPool-worker-3") == "ForkJoinPool.commonPool-worker-*");
  CHECK(FoldedThreadName("2024") == "*");
  CHECK(FoldedThreadName("a*1") == "a*");
  CHECK(FoldedThreadName("") == "(no name)");
}

TEST_CASE("other characters of a thread's name stay") {
  CHECK(FoldedThreadName("a;b\nc") == "a;b\nc");
  CHECK(FoldedThreadName("h\xc3\xa9llo 7") == "h\xc3\xa9llo *");
  CHECK(FoldedThreadName("zero\xc0\x80") == std::string("zero\0", 5));
}

TEST_CASE("broken bytes become question marks, and a long name is cut between two characters") {
  CHECK(FoldedThreadName("a\xff\xc3") == "a??");
  const std::string long_name(10'000, 'x');
  CHECK(FoldedThreadName(long_name) == std::string(kMostThreadName, 'x') + "...");
  std::string accents = "x";
  for (int i = 0; i < 5'000; ++i) accents += "\xc3\xa9";
  const std::string cut = FoldedThreadName(accents);
  CHECK(cut.size() == kMostThreadName - 1 + 3);
  CHECK(cut.ends_with("\xc3\xa9..."));
  CHECK(FoldedThreadName(std::string(10'000, '7')) == "*");
}

}  // namespace
}  // namespace iprof
