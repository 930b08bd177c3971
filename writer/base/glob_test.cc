#include "writer/base/glob.h"

#include <catch2/catch.hpp>
#include <string>

using namespace iprof;

TEST_CASE("globs match whole texts") {
  CHECK(GlobMatches("*", ""));
  CHECK(GlobMatches("com.acme.*", "com.acme.tool.Main"));
  CHECK(GlobMatches("*.Main", "com.acme.tool.Main"));
  CHECK(GlobMatches("c?m*M*n", "com.acme.Main"));
  CHECK(GlobMatches("a*b*c", "aXbYbZc"));
  CHECK_FALSE(GlobMatches("com.acme", "com.acme.Main"));
  CHECK_FALSE(GlobMatches("a?c", "ac"));
  CHECK_FALSE(GlobMatches("", "x"));
  CHECK_FALSE(GlobMatches("?", ""));
}

TEST_CASE("a glob with many stars is quick") {
  std::string pattern;
  for (int i = 0; i < 500; ++i) pattern += "*a";
  CHECK_FALSE(GlobMatches(pattern, std::string(499, 'a')));
  CHECK(GlobMatches(pattern, std::string(500, 'a')));
}
