#include "writer/base/nearest_name.h"

#include <catch2/catch.hpp>

using namespace iprof;

TEST_CASE("edit distance counts swaps as one") {
  CHECK(EditDistance("", "abc") == 3);
  CHECK(EditDistance("show", "shwo") == 1);
  CHECK(EditDistance("merge", "marge") == 1);
  CHECK(EditDistance("kitten", "sitting") == 3);
}

TEST_CASE("the nearest of a list of strings") {
  const std::vector<std::string> names = {"show", "check", "merge", "--threshold"};
  CHECK(NearestName("shwo", names) == "show");
  CHECK(NearestName("chekc", names) == "check");
  CHECK(NearestName("--thresh", names) == "--threshold");
  CHECK(NearestName("frobnicate", names) == "");
  CHECK(NearestName("", names) == "");
}

TEST_CASE("the nearest name is near, or none") {
  constexpr std::string_view kNames[] = {"out", "force", "doe", "onerror", "only", "verbose"};
  CHECK(NearestName("forse", kNames) == "force");
  CHECK(NearestName("verbsoe", kNames) == "verbose");  // neighbours swapped
  CHECK(NearestName("OUT", kNames) == "out");
  CHECK(NearestName("on-error", kNames) == "onerror");
  CHECK(NearestName("verb", kNames) == "verbose");  // a prefix
  CHECK(NearestName("ouput", kNames).empty());
  CHECK(NearestName("xyz", kNames).empty());
  CHECK(NearestName("", kNames).empty());
  CHECK(NearestName(std::string(100'000, 'o'), kNames).empty());
}
