// The real pprof reads such files in cli/cli_pprof_test.py; here are the values themselves.
#include "cli/views/export/export_format.h"

#include <catch2/catch.hpp>
#include <map>

#include "writer/base/varint.h"
#include "writer/ops/ops_test_profiles.h"
#include "writer/profile/example_profiles.h"
#include "writer/profile/io/event_part.h"

namespace iprof {
namespace {

// A message as its fields: numbers, and the bytes of texts and messages.
struct Decoded {
  std::multimap<uint64_t, uint64_t> numbers;
  std::multimap<uint64_t, std::string> texts;

  uint64_t Number(uint64_t field) const {
    const auto at = numbers.find(field);
    return at == numbers.end() ? 0 : at->second;
  }
  std::vector<std::string> Texts(uint64_t field) const {
    std::vector<std::string> found;
    for (auto [at, end] = texts.equal_range(field); at != end; ++at) found.push_back(at->second);
    return found;
  }
};

std::span<const uint8_t> BytesOf(const std::string& text) {
  return {reinterpret_cast<const uint8_t*>(text.data()), text.size()};
}

Decoded Decode(const std::string& bytes) {
  Decoded message;
  VarintReader in(BytesOf(bytes));
  while (const uint64_t key = in.Next()) {  // 0 at the end
    if ((key & 7) == 0) {
      message.numbers.emplace(key >> 3, in.Next());
    } else {
      REQUIRE((key & 7) == 2);
      const auto text = in.Bytes(in.Next());
      message.texts.emplace(key >> 3, std::string(text.begin(), text.end()));
    }
  }
  return message;
}

std::vector<int64_t> Unpack(const std::string& bytes) {
  std::vector<int64_t> values;
  for (size_t at = 0; at < bytes.size();) {
    VarintReader in(BytesOf(bytes).subspan(at));
    values.push_back(static_cast<int64_t>(in.Next()));
    while ((static_cast<unsigned char>(bytes[at++]) & 0x80) != 0) {
    }
  }
  return values;
}

Decoded Pprof(const Profile& p) {
  StringSink sink;
  REQUIRE(WritePprof(p, {}, sink).ok());
  return Decode(sink.text());
}

using Values = std::vector<int64_t>;

std::vector<std::string> SampleTypes(const Decoded& profile) {
  const std::vector<std::string> strings = profile.Texts(6);
  std::vector<std::string> types;
  for (const std::string& bytes : profile.Texts(1)) {
    const Decoded type = Decode(bytes);
    types.push_back(strings.at(type.Number(1)) + "/" + strings.at(type.Number(2)));
  }
  return types;
}

TEST_CASE("pprof: samples, their time, and calls are values of one list of stacks") {
  const Profile p = ParseTables(
      R"(,"callCountProfiles":[{"ctx":"2:0<1:5","records":[9]}],)"
      R"("samplingProfiles":[{"ctx":"3:4<2:7<1:5","records":[3]},{"ctx":"2:9<1:5","records":[2]}],)"
      R"("iprofagent":{"version":1,"lines":{"a.Main.loop()void":{"9":12}},)"
      R"("provenance":{"runs":[)"
      R"({"program":"app.jar","start":"1970-01-01T00:00:02.000Z","recorded_ms":5},)"
      R"({"program":"app.jar","start":"1970-01-01T00:00:01.000Z","recorded_ms":6}]},)"
      R"("sampling":{"event":"cpu","intervalNs":10}})");
  const Decoded profile = Pprof(p);
  const std::vector<std::string> strings = profile.Texts(6);
  REQUIRE(!strings.empty());
  CHECK(strings.front().empty());
  CHECK(SampleTypes(profile) ==
        std::vector<std::string>{"samples/count", "cpu/nanoseconds", "calls/count"});
  CHECK(strings.at(profile.Number(14)) == "samples");
  CHECK(profile.Number(9) == 1'000'000'000);
  CHECK(profile.Number(10) == 11'000'000);
  CHECK(profile.Number(12) == 10);

  // Locations by id: "name:line".
  std::map<uint64_t, std::string> functions;
  for (const std::string& bytes : profile.Texts(5)) {
    const Decoded function = Decode(bytes);
    functions[function.Number(1)] = strings.at(function.Number(2));
    CHECK(strings.at(function.Number(3)).starts_with(strings.at(function.Number(2)) + "("));
  }
  std::map<int64_t, std::string> locations;
  for (const std::string& bytes : profile.Texts(4)) {
    const Decoded location = Decode(bytes);
    CHECK(location.Number(2) == 1);
    const Decoded line = Decode(location.Texts(4).at(0));
    locations[static_cast<int64_t>(location.Number(1))] =
        functions.at(line.Number(1)) + ":" + std::to_string(line.Number(2));
  }
  std::vector<std::pair<std::string, Values>> samples;
  for (const std::string& bytes : profile.Texts(2)) {
    const Decoded sample = Decode(bytes);
    std::string stack;
    for (const int64_t id : Unpack(sample.Texts(1).at(0))) stack += locations.at(id) + " ";
    samples.emplace_back(stack, Unpack(sample.Texts(2).at(0)));
  }
  CHECK(samples == std::vector<std::pair<std::string, Values>>{
                       {"a.Shape.area:0 a.Main.loop:0 a.Main.main:0 ", {3, 30, 0}},
                       {"a.Main.loop:12 a.Main.main:0 ", {2, 20, 0}},
                       {"a.Main.loop:0 a.Main.main:0 ", {0, 0, 9}}});
  const Decoded mapping = Decode(profile.Texts(3).at(0));
  CHECK(mapping.Number(1) == 1);
  CHECK(strings.at(mapping.Number(5)) == "app.jar");
  CHECK(mapping.Number(7) == 1);
}

TEST_CASE("pprof: what the profile does not have is no value") {
  const std::string samples = R"(,"samplingProfiles":[{"ctx":"1:4","records":[3]}])";
  const std::string calls = R"(,"callCountProfiles":[{"ctx":"1:0","records":[3]}])";
  using Types = std::vector<std::string>;
  CHECK(SampleTypes(Pprof(ParseTables(samples))) == Types{"samples/count"});
  CHECK(SampleTypes(Pprof(ParseTables(calls))) == Types{"calls/count"});
  CHECK(SampleTypes(Pprof(ParseTables(samples + calls))) == Types{"samples/count", "calls/count"});
  CHECK(SampleTypes(Pprof(ParseTables(""))) == Types{"calls/count"});
}

TEST_CASE("pprof: events have the values of Go's own profiles") {
  Profile p;
  SetEvents(p, MakeExampleEvents());
  const Decoded profile = Pprof(p);
  CHECK(SampleTypes(profile) == std::vector<std::string>{"alloc_objects/count", "alloc_space/bytes",
                                                         "inuse_objects/count", "inuse_space/bytes",
                                                         "contentions/count", "delay/nanoseconds"});
  const std::vector<std::string> strings = profile.Texts(6);
  CHECK(strings.at(profile.Number(14)) == "alloc_space");
  std::vector<Values> samples;
  std::vector<std::string> labels;
  for (const std::string& bytes : profile.Texts(2)) {
    const Decoded sample = Decode(bytes);
    samples.push_back(Unpack(sample.Texts(2).at(0)));
    for (const std::string& label : sample.Texts(3)) {
      const Decoded text = Decode(label);
      labels.push_back(strings.at(text.Number(1)) + "=" + strings.at(text.Number(2)));
    }
  }
  CHECK(samples == std::vector<Values>{{100'000, 3'000'000, 100'000, 3'000'000, 0, 0},
                                       {10, 1'000'000, 0, 0, 0, 0},
                                       {60, 6'000'000, 20, 2'000'000, 0, 0},
                                       {0, 0, 0, 0, 2, 5'000'000},
                                       {0, 0, 0, 0, 4, 20'000'000}});
  CHECK(labels == std::vector<std::string>{"thread=main", "class=a.Node", "thread=pool-*-thread-*",
                                           "class=byte[]", "thread=main", "class=byte[]",
                                           "thread=main", "class=a.Lock", "thread=pool-*-thread-*",
                                           "class=a.Lock"});
}

}  // namespace
}  // namespace iprof
