#include "writer/profile/io/agent_section.h"

#include <algorithm>
#include <catch2/catch.hpp>
#include <string>
#include <utility>
#include <vector>

#include "writer/profile/io/reader.h"
#include "writer/profile/io/writer.h"

namespace iprof {
namespace {

using Form = AgentSection::Form;

AgentSection Section(std::string_view json) {
  AgentSection section;
  CHECK(section.Add(kAgentKey, json));
  return section;
}

// "member: found, expected" of a malformed section.
std::string FaultOf(std::string_view json) {
  const AgentSection section = Section(json);
  if (section.form() != Form::kMalformed) return "not malformed";
  CHECK_FALSE(section.can_hold_parts());
  CHECK(section.unread() == json);
  CHECK(section.parts().empty());
  const AgentSection::Fault& fault = section.fault();
  return fault.member + ": " + fault.found + ", " + fault.expected;
}

TEST_CASE("a profile's parts come back, and others are kept") {
  Profile profile;
  CHECK(AgentSection::Of(profile).form() == Form::kNone);
  SetAgentPart(profile, kSamplingPart, R"({"signals":3})");
  SetAgentPart(profile, kImagePart, R"({"target":25,"filtered":true})");
  SetAgentPart(profile, kSamplingPart, R"({"signals":4})");
  REQUIRE(profile.extras().size() == 1);
  CHECK(
      profile.extras()[0] ==
      ExtraKey{"iprofagent",
               R"({"version":1,"image":{"target":25,"filtered":true},"sampling":{"signals":4}})"});
  const AgentSection section = AgentSection::Of(profile);
  CHECK(section.form() == Form::kReadable);
  CHECK(section.version() == 1);
  CHECK(section.Part(kSamplingPart) == R"({"signals":4})");
  CHECK_FALSE(section.Part(kLinesPart));
}

TEST_CASE("parts that we do not know stay, with the bytes that they had") {
  const AgentSection section =
      Section(R"( { "later" : { "a" : [1.50, "\u00e9"] } , "version" : 1 } )");
  CHECK(section.form() == Form::kReadable);
  CHECK(section.ToJson() == R"({"version":1,"later":{ "a" : [1.50, "\u00e9"] }})");
  CHECK(Section(section.ToJson()).ToJson() == section.ToJson());
}

TEST_CASE("a newer version is kept and not read") {
  const std::string newer = R"({"version":2,"lines":[1],"image":{"target":17,"filtered":false}})";
  const AgentSection section = Section(newer);
  CHECK(section.form() == Form::kNewer);
  CHECK(section.version() == 2);
  CHECK(section.parts().empty());
  CHECK(section.unread() == newer);
  CHECK_FALSE(section.can_hold_parts());

  Profile profile;
  profile.SetExtra("iprofagent", newer);
  SetAgentPart(profile, kImagePart, "{}");
  REQUIRE(profile.extras().size() == 1);
  CHECK(profile.extras()[0].json == newer);
}

TEST_CASE("errors in malformed sections say where") {
  const std::string version = ", a positive integer";
  CHECK(FaultOf("[1]") == ": no JSON object with each member once, an object with a version");
  CHECK(FaultOf("{}") == "version: no version" + version);
  CHECK(FaultOf(R"({"image":{}})") == "version: no version" + version);
  CHECK(FaultOf(R"({"version":0})") == "version: `0}`" + version);
  CHECK(FaultOf(R"({"version":-1})") == "version: `-1}`" + version);
  CHECK(FaultOf(R"({"version":1.5})") == "version: `1.5}`" + version);
  CHECK(FaultOf(R"({"version":"1"})") == "version: `\"1\"}`" + version);
  CHECK(FaultOf(R"({"version":99999999999999999999})") ==
        "version: `99999999999999999999}`" + version);
  CHECK(FaultOf(R"({"version":1,"version":1})") == "version: `1}`" + version);
  CHECK(FaultOf(R"({"version":1,"x":{},"x":{}})") ==
        "x: the member a second time, each member once");
  CHECK(FaultOf(R"({"version":1,"lines":[1]})") == "lines: [1], an object");
}

TEST_CASE("keys of older profiles are parts, the section's own part wins, in any order") {
  std::vector<std::pair<std::string, std::string>> keys{
      {"iprofImage", R"({"target":17,"filtered":false})"},
      {"iprofLines", R"({"m":{"1":7}})"},
      {"iprofSampling", R"({"signals":1})"},
      {"iprofagent", R"({"version":1,"sampling":{"signals":2}})"}};
  std::sort(keys.begin(), keys.end());
  do {
    AgentSection section;
    for (const auto& [key, json] : keys) CHECK(section.Add(key, json));
    CHECK(section.ToJson() ==
          R"({"version":1,"image":{"target":17,"filtered":false},"lines":{"m":{"1":7}},)"
          R"("sampling":{"signals":2}})");
  } while (std::next_permutation(keys.begin(), keys.end()));
}

TEST_CASE("other keys, and older keys that cannot be parts, are not taken") {
  AgentSection section;
  CHECK_FALSE(section.Add("iprofagen", "{}"));
  CHECK_FALSE(section.Add("iprofLines", "[1]"));
  CHECK(section.form() == Form::kNone);
  CHECK(section.parts().empty());

  // One level deeper, the reader would reject what we write.
  const auto nested = [](size_t depth) {
    return "{\"a\":" + std::string(depth - 1, '[') + std::string(depth - 1, ']') + "}";
  };
  CHECK_FALSE(section.Add("iprofImage", nested(256)));
  CHECK(section.Add("iprofImage", nested(255)));
  Profile profile;
  profile.SetExtra(kAgentKey, section.ToJson());
  const Result<std::string> text = WriteProfileText(profile);
  REQUIRE(text.ok());
  const Result<Profile> again = ReadProfileText(*text);
  INFO(again.status().message());
  CHECK(again.ok());
}

}  // namespace
}  // namespace iprof
