#include "writer/profile/io/source_lines.h"

#include <catch2/catch.hpp>

namespace iprof {
namespace {

TEST_CASE("added lines are found by method and position, and in the text") {
  SourceLines lines;
  CHECK(lines.empty());
  CHECK(lines.ToJson() == "{}");
  lines.Add("b.B.run()void", 5, 13);
  lines.Add("b.B.run()void", 0, 12);
  lines.Add("a.\"A\".go()void", 7, 1);
  CHECK(lines.LineOf("b.B.run()void", 5) == 13);
  CHECK_FALSE(lines.LineOf("b.B.run()void", 6));
  CHECK_FALSE(lines.LineOf("b.B.go()void", 5));
  CHECK(lines.ToJson() == R"({"a.\"A\".go()void":{"7":1},"b.B.run()void":{"0":12,"5":13}})");

  SourceLines again;
  REQUIRE(again.AddJson(lines.ToJson()));
  CHECK(again.ToJson() == lines.ToJson());
}

TEST_CASE("the order of adding makes no difference if lines differ") {
  SourceLines one, two, both, other_way;
  one.Add("m", 1, 10);
  one.Add("m", 2, 20);
  two.Add("m", 1, 9);
  two.Add("n", 1, 1);
  both.Add(one);
  both.Add(two);
  other_way.Add(two);
  other_way.Add(one);
  CHECK(both.ToJson() == R"({"m":{"1":9,"2":20},"n":{"1":1}})");
  CHECK(other_way.ToJson() == both.ToJson());
}

TEST_CASE("a text of another shape adds nothing at all") {
  for (const char* text :
       {"", "{", "[]", "12", "{\"m\":1}", "{\"m\":{\"x\":1}}", "{\"m\":{\"-1\":1}}",
        "{\"m\":{\"1\":-1}}", "{\"m\":{\"1\":1.5}}", "{\"m\":{\"1\":99999999999999999999}}",
        "{\"m\":{\"1\":1}} x", "{\"m\":{\"1\":1},}", "{\"m\":{\"99999999999\":1}}",
        "{\"m\":{\"1\":\"1\"}}"}) {
    INFO(text);
    SourceLines lines;
    CHECK_FALSE(lines.AddJson(text));
    CHECK(lines.empty());
  }
  SourceLines spaced;
  CHECK(spaced.AddJson(" { \"m\" : { \"1\" : 2 , \"3\":4 } , \"n\" : {} } "));
  CHECK(spaced.ToJson() == R"({"m":{"1":2,"3":4}})");
}

TEST_CASE("a profile brings its lines along") {
  Profile profile;
  CHECK(SourceLines::Of(profile).empty());
  profile.SetExtra("iprofagent", R"({"version":1,"lines":{"m":{"1":2}}})");
  profile.SetExtra("other", "{\"n\":{\"1\":2}}");
  CHECK(SourceLines::Of(profile).ToJson() == "{\"m\":{\"1\":2}}");
}

}  // namespace
}  // namespace iprof
