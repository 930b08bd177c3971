#include "writer/ops/check_agent_section.h"

#include <fmt/core.h>

#include <catch2/catch.hpp>
#include <string>
#include <utility>

#include "writer/ops/check.h"
#include "writer/profile/io/part_rules.h"

namespace iprof {
namespace {

std::string FindingsOn(const std::string& section) {
  std::string text;
  CheckAgentSection(
      section, [&](Rule rule, std::string_view member, std::string found, std::string expected) {
        text += std::string(InfoOf(rule).name) + " " + std::string(member) + ": found " +
                std::move(found) + ", expected " + std::move(expected);
      });
  return text;
}

TEST_CASE("a sound section, and one with parts that we do not know, have no findings") {
  CHECK(FindingsOn(R"({"version":1})") == "");
  CHECK(FindingsOn(R"({"version":1,"image":{"target":25,"filtered":true},"later":{"x":[1]},)"
                   R"("lines":{"m":{"0":1}},"sampling":{}})") == "");
}

TEST_CASE("a malformed section is an error, a newer version is doubtful") {
  CHECK(
      FindingsOn("17") ==
      "iprofagent : found no JSON object with each member once, expected an object with a version");
  CHECK(FindingsOn(R"({"lines":{}})") ==
        "iprofagent version: found no version, expected a positive integer");
  CHECK(FindingsOn(R"({"version":1,"image":7})") ==
        "iprofagent image: found 7, expected an object");
  CHECK(FindingsOn(R"({"version":1,"lines":{"m":1}})") ==
        "iprofagent lines: found an object of another shape, expected methods with a line for each "
        "position");
  CHECK(FindingsOn(R"({"version":3,"lines":7})") ==
        "iprofagent-version version: found 3, expected 1; a section of another version is kept but "
        "not read");
}

TEST_CASE("every part with a rule has its shape checked") {
  for (const PartRule& rule : PartRules()) {
    INFO(rule.part);
    const std::string found =
        FindingsOn(fmt::format(R"({{"version":1,"{}":{{"":[[]],"runs":7}}}})", rule.part));
    CHECK(found == fmt::format("iprofagent {}: found an object of another shape, expected {}",
                               rule.part, rule.shape));
  }
}

TEST_CASE("the file's image target is read from either key") {
  const auto target_of = [](const std::string& keys) {
    const auto counts = CheckProfileText(
        R"({"version":"1.0.0","types":[],"methods":[])" + keys + "}", {}, [](auto&) {});
    REQUIRE(counts.ok());
    return counts->image.note ? JdkOf(counts->image.note->target) : 0;
  };
  CHECK(target_of("") == 0);
  CHECK(target_of(R"(,"iprofImage":{"target":17,"filtered":true})") == 17);
  const std::string section =
      R"(,"iprofagent":{"version":1,"image":{"target":21,"filtered":true}})";
  CHECK(target_of(section) == 21);
  CHECK(target_of(R"(,"iprofImage":{"target":17,"filtered":true})" + section) == 21);
  CHECK(target_of(section + R"(,"iprofImage":{"target":17,"filtered":true})") == 21);
  CHECK(target_of(R"(,"iprofagent":{"version":2,"image":{"target":21,"filtered":true}})") == 0);
}

}  // namespace
}  // namespace iprof
