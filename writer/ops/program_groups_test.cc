#include "writer/ops/program_groups.h"

#include <algorithm>
#include <catch2/catch.hpp>
#include <string>
#include <utility>
#include <vector>

#include "writer/ops/ops_test_profiles.h"

namespace iprof {
namespace {

using Calls = std::vector<std::pair<std::string, int64_t>>;  // "a.B.m", count

// Methods are named "package.Class.method"; each has the signature ()void.
Profile Calling(const Calls& calls, const std::string& table = "callCountProfiles") {
  std::string types = R"([{"id":8,"name":"void"})";
  std::string methods;
  std::string entries;
  int id = 20;
  for (const auto& [name, count] : calls) {
    const size_t dot = name.rfind('.');
    const std::string number = std::to_string(id++);
    types += ",{\"id\":" + number + ",\"name\":\"" + name.substr(0, dot) + "\"}";
    const std::string comma = methods.empty() ? "" : ",";
    methods += comma + "{\"id\":" + number + ",\"name\":\"" + name.substr(dot + 1) +
               "\",\"signature\":[" + number + ",8]}";
    entries += comma + "{\"ctx\":\"" + number + ":0\",\"records\":[" + std::to_string(count) + "]}";
  }
  return Parse("{\"version\":\"1.0.0\",\"types\":" + types + "],\"methods\":[" + methods + "],\"" +
               table + "\":[" + entries + "]}");
}

std::vector<size_t> Firsts(const std::vector<Calls>& inputs) {
  ProgramGroups groups;
  for (size_t i = 0; i < inputs.size(); ++i) groups.Add(i, Calling(inputs[i]));
  return groups.Firsts();
}

using Numbers = std::vector<size_t>;

TEST_CASE("programs that share only the JDK's methods are two") {
  const Calls a{{"java.util.HashMap.get", 1'000'000}, {"a.Main.run", 10}};
  const Calls b{{"java.util.HashMap.get", 1'000'000}, {"b.Main.run", 10}};
  CHECK(Firsts({a, b}) == Numbers{0, 1});
  CHECK(Firsts({a, a}) == Numbers{0});
}

TEST_CASE("the methods in common make a share of 5 % of one of them") {
  const Calls a{{"a.Main.run", 100}};
  CHECK(Firsts({a, {{"a.Main.run", 4}, {"b.Main.run", 96}}}) == Numbers{0});  // all of a
  const Calls other{{"a.Main.run", 4}, {"c.Main.run", 96}};
  CHECK(Firsts({{{"a.Main.run", 4}, {"b.Main.run", 96}}, other}) == Numbers{0, 1});
  CHECK(Firsts({{{"a.Main.run", 5}, {"b.Main.run", 95}}, other}) == Numbers{0});
}

TEST_CASE("what belongs together through another input is one program, in any order") {
  const std::vector<Calls> inputs{
      {{"a.A.m", 1}}, {{"b.B.m", 1}}, {{"a.A.m", 1}, {"b.B.m", 1}}, {{"c.C.m", 1}}};
  std::vector<size_t> order{0, 1, 2, 3};
  do {
    ProgramGroups groups;
    for (const size_t at : order) groups.Add(at, Calling(inputs[at]));
    REQUIRE(groups.Firsts() == Numbers{0, 3});
  } while (std::next_permutation(order.begin(), order.end()));
}

TEST_CASE("without calls, samples tell; without own methods, nothing does") {
  ProgramGroups groups;
  groups.Add(0, Calling({{"a.A.m", 9}}));
  groups.Add(1, Calling({{"java.lang.String.length", 9}}));
  groups.Add(2, Calling({}));
  groups.Add(3, Calling({{"a.A.m", 1}}, "samplingProfiles"));
  CHECK(groups.Firsts() == Numbers{0});
  groups.Add(4, Calling({{"b.B.m", 1}}, "samplingProfiles"));
  CHECK(groups.Firsts() == Numbers{0, 4});
}

TEST_CASE("many programs take little memory: only some are told apart") {
  ProgramGroups groups;
  for (size_t i = 0; i < 100; ++i)
    groups.Add(i, Calling({{"p" + std::to_string(i) + ".Main.run", 1}}));
  CHECK(groups.Firsts().size() == ProgramGroups::kMostGroups);
}

}  // namespace
}  // namespace iprof
