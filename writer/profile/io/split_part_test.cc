#include "writer/profile/io/split_part.h"

#include <catch2/catch.hpp>
#include <string>

#include "writer/profile/io/agent_section.h"
#include "writer/profile/io/reader.h"
#include "writer/profile/io/split_writer.h"

namespace iprof {
namespace {

// a.Main: main(1), step(2); a.Slow: run(3), sum(4).
constexpr const char* kNames =
    R"("types":[{"id":8,"name":"void"},{"id":10,"name":"a.Main"},{"id":11,"name":"a.Slow"}],"methods":[)"
    R"({"id":1,"name":"main","signature":[10,8]},{"id":2,"name":"step","signature":[10,8]},)"
    R"({"id":3,"name":"run","signature":[11,8]},{"id":4,"name":"sum","signature":[11,8]}])";

std::string TextWith(const std::string& samples, const std::string& section) {
  return std::string(R"({"version":"1.0.0",)") + kNames + R"(,"samplingProfiles":[)" + samples +
         R"(],"iprofagent":{"version":1)" + section + "}}";
}

std::string Sample(const std::string& context, int weight) {
  return R"({"ctx":")" + context + R"(","records":[)" + std::to_string(weight) + "]}";
}

Profile Read(const std::string& text) {
  Result<Profile> profile = ReadProfileText(text);
  if (!profile.ok()) FAIL(profile.status().message());
  return std::move(*profile);
}

std::string Written(const Profile& profile, const SplitPart& split) {
  StringSink sink;
  REQUIRE(WriteSplitProfile(profile, split, {}, sink).ok());
  return sink.text();
}

std::vector<std::pair<std::string, int64_t>> SamplesOf(const Profile& profile) {
  std::vector<std::pair<std::string, int64_t>> samples;
  for (const EntryIndex entry : EntriesOf(profile, Table::kSamples)) {
    samples.emplace_back(profile.FormatContext(profile.EntryContext(Table::kSamples, entry)),
                         profile.EntryCount(Table::kSamples, entry));
  }
  return samples;
}
using Samples = std::vector<std::pair<std::string, int64_t>>;

// Cuts the third stack behind its second frame.
SplitPart ExampleSplit(const Profile& profile) {
  SplitPart split;
  split.sites = 1;
  split.stacks.push_back({StacksOf(profile).at(1), {{0, 2}, {2, 4}}});
  return split;
}

const std::string kWhole = TextWith(
    Sample("2:9<1:5", 3) + "," + Sample("4:4<3:31<2:12<1:5", 40) + "," + Sample("2:12<1:5", 2), "");
const std::string kPieces =
    TextWith(Sample("2:9<1:5", 3) + "," + Sample("2:12<1:5", 42) + "," + Sample("4:4<3:31", 40),
             R"(,"split":{"sites":1,"whole":[["4:4<3:31<2:12<1:5",40,0,2,2,4]]})");

TEST_CASE("a split stack is written in pieces, which are added to equal stacks") {
  const Profile profile = Read(kWhole);
  CHECK(Written(profile, ExampleSplit(profile)) == kPieces);
  CHECK(Written(profile, {}) == kWhole);
}

TEST_CASE("a reader sees whole stacks; writing them again gives the same bytes") {
  const Profile profile = Read(kPieces);
  CHECK(SamplesOf(profile) == Samples{{"2:9<1:5", 3}, {"2:12<1:5", 2}, {"4:4<3:31<2:12<1:5", 40}});
  const SplitPart split = SplitPart::Of(profile);
  CHECK(split.sites == 1);
  CHECK(split.With(2).weight == 40);
  CHECK(split.added() == 40);  // each sample is in two pieces
  CHECK(Written(profile, split) == kPieces);
}

TEST_CASE("a piece without other samples leaves nothing behind") {
  const Profile profile =
      Read(TextWith(Sample("2:12<1:5", 40) + "," + Sample("4:4<3:31", 40),
                    R"(,"split":{"sites":1,"whole":[["4:4<3:31<2:12<1:5",40,0,2,2,4]]})"));
  CHECK(SamplesOf(profile) == Samples{{"4:4<3:31<2:12<1:5", 40}});
}

TEST_CASE("whole stacks are written without the part") {
  const Profile profile = Read(kPieces);
  const std::string text = Written(profile, {});
  CHECK(text.find("split") == std::string::npos);
  CHECK(SamplesOf(Read(text)) == SamplesOf(profile));
}

TEST_CASE("a part that another program made wrong is ignored, and removed") {
  for (const char* const whole : {R"(["4:4<3:31<2:12<1:5",41,0,2,2,4])",      // too heavy
                                  R"(["4:4<3:31<2:13<1:5",40,0,2,2,4])",      // no such piece
                                  R"(["77:4<3:31<2:12<1:5",40,0,2,2,4])"}) {  // no such method
    CAPTURE(whole);
    const Profile profile =
        Read(TextWith(Sample("2:12<1:5", 40) + "," + Sample("4:4<3:31", 40),
                      R"(,"split":{"sites":1,"whole":[)" + std::string(whole) + "]}"));
    CHECK(SamplesOf(profile) == Samples{{"2:12<1:5", 40}, {"4:4<3:31", 40}});
    CHECK(SplitPart::Of(profile).stacks.empty());
  }
}

// A profile whose file lacks DirectMethodHandleAccessor.invoke, through which a.Slow.run is called.
const std::string kReflective = TextWith(
    Sample("2:9<1:5", 3) + "," + Sample("3:0", 47),
    R"(,"split":{"sites":0,"complete":true,"types":[[40,"jdk.internal.reflect.DirectMethodHandleAccessor"]],)"
    R"("methods":[[12,"invoke",40,8]],"whole":[["3:8<12:6<1:5",40,-1,1],["3:9<*2",7,-1,1],["12:2<*1",6]]})");

TEST_CASE("whole stacks come back where the file has a part of them, or nothing") {
  const Profile profile = Read(kReflective);
  CHECK(SamplesOf(profile) ==
        Samples{{"2:9<1:5", 3}, {"3:8<12:6<1:5", 40}, {"3:9<12:6<1:5", 7}, {"12:2<1:5", 6}});
  SplitPart split = SplitPart::Of(profile);
  CHECK(split.complete == true);
  CHECK(split.With(1).stacks == 2);
  CHECK(split.With(0).weight == 6);
  CHECK(split.added() == 0);
  const TypeIndex method = *profile.FindType("jdk.internal.reflect.DirectMethodHandleAccessor");
  const TypeIndex signature[] = {method, *profile.FindType("void")};
  split.hidden_types = {method};
  split.hidden_methods = {*profile.FindMethod("invoke", signature)};
  CHECK(Written(profile, split) == kReflective);
}

TEST_CASE("a part that does not fit declares nothing") {
  std::string light = kReflective;
  light.replace(light.find("47"), 2, "46");
  const Profile profile = Read(light);
  CHECK(SamplesOf(profile) == Samples{{"2:9<1:5", 3}, {"3:0", 46}});
  CHECK(profile.method_count() == 4);
  CHECK_FALSE(profile.FindType("jdk.internal.reflect.DirectMethodHandleAccessor"));
}

TEST_CASE("a part can say that earlier builds cut some stacks") {
  std::string mixed = kReflective;
  mixed.replace(mixed.find("true"), 4, "false");
  const Profile profile = Read(mixed);
  CHECK(SplitPart::CompleteOf(profile) == false);
  CHECK(SamplesOf(profile).size() == 4);
  CHECK(SplitPart::CompleteOf(Read(kReflective)) == true);
  CHECK(SplitPart::CompleteOf(Read(kPieces)) == std::nullopt);
}

TEST_CASE("a part whose names contradict the file's is ignored") {
  for (const char* const names :
       {R"("types":[[10,"a.B"]])", R"("methods":[[4,"run",10,8]])",
        R"("methods":[[12,"run",77,8]])", R"("types":[[4611686018427387905,"a.B"]])"}) {
    CAPTURE(names);
    const Profile profile =
        Read(TextWith(Sample("2:12<1:5", 40), R"(,"split":{"sites":0,)" + std::string(names) +
                                                  R"(,"whole":[["4:4<3:31<2:12<1:5",40,2,4]]})"));
    CHECK(SamplesOf(profile) == Samples{{"2:12<1:5", 40}});
    CHECK(SplitPart::Of(profile).stacks.empty());
  }
}

TEST_CASE("few bytes cannot stand for more frames than kMostShared") {
  std::string deep = "1:1";
  for (int i = 1; i < 2'000; ++i) deep += "<1:1";
  std::string whole = "[\"" + deep + "\",1]";
  for (size_t i = 0; i <= kMostShared / 2'000; ++i) whole += R"(,["1:2<*2000",1])";
  CHECK_FALSE(IsSplitPart(R"({"sites":0,"whole":[)" + whole + "]}"));
}

TEST_CASE("the part's shape") {
  const auto with = [](const std::string& whole) {
    return R"({"sites":1,"whole":[)" + whole + "]}";
  };
  CHECK(IsSplitPart(with("")));
  CHECK(IsSplitPart(with(R"(["4:4<2:1",7,0,1])")));
  CHECK(IsSplitPart(with(R"(["4:4<2:1",7],["4:6<*1",7,-1,2])")));
  CHECK_FALSE(IsSplitPart(with(R"(["4:4<2:1",7],["4:6<*3",7,-1,2])")));
  CHECK_FALSE(IsSplitPart(with(R"(["4:4<2:1",7],["4:6<*1<2:1",7,-1,2])")));
  CHECK(IsSplitPart(
      R"({"sites":0,"complete":true,"types":[[4,"a.B"]],"methods":[[7,"run",4,4]],"whole":[]})"));
  for (const char* const wrong :
       {R"("complete":1)", R"("types":[["a.B"]])", R"("types":[[4,5]])",
        R"("methods":[[7,"run",4]])", R"("methods":[[7,8,4,4]])", R"("types":{})"}) {
    CAPTURE(wrong);
    CHECK_FALSE(IsSplitPart(R"({"sites":0,"whole":[],)" + std::string(wrong) + "}"));
  }
  CHECK(IsSplitPart(R"({ "new" : [] , "whole" : [ [ "4:4" , 1 , 0 , 1 ] ] , "sites" : 0 })"));
  for (const char* const wrong :
       {R"(["4:4<2:1",0,0,1])", R"(["4:4<2:1",7,0])", R"(["4:4<2:1",7,1,1])",
        R"(["4:4<2:1",7,0,3])", R"(["4:4<2:1",7,1,2,0,1])", R"(["4:4<2",7,0,1])", R"(["",7,0,1])",
        R"(["4:4<",7,0,1])", R"([4,7,0,1])", R"(7)", R"(["4:4<2:1",7,-2,1])", R"(["4:4<*1",7,0,1])",
        R"(["*1",7])"}) {
    CAPTURE(wrong);
    CHECK_FALSE(IsSplitPart(with(wrong)));
  }
  CHECK_FALSE(IsSplitPart(R"({"sites":1})"));
  CHECK_FALSE(IsSplitPart(R"({"whole":[]})"));
  CHECK_FALSE(IsSplitPart(R"([])"));
}

TEST_CASE("a section that cannot be read is kept, and its samples stay whole") {
  const std::string text = std::string(R"({"version":"1.0.0",)") + kNames +
                           R"(,"samplingProfiles":[)" + Sample("2:9<1:5", 3) + "," +
                           Sample("4:4<3:31<2:12<1:5", 40) + R"(],"iprofagent":{"version":2}})";
  const Profile profile = Read(text);
  CHECK(Written(profile, ExampleSplit(profile)) == text);
}

TEST_CASE("a profile of another program gets a section") {
  Profile profile = Read(kWhole);
  profile.RemoveExtras();
  CHECK(Written(profile, ExampleSplit(profile)) == kPieces);
}

TEST_CASE("what was split, for people") {
  const Profile profile = Read(kWhole);
  CHECK(SplitPart::Describe(ExampleSplit(profile).With(2), {3, 45}) ==
        "1 of 3 stacks, with 88.9 % of the weight");
}

TEST_CASE("stacks that are gone are not written, and those of another weight are") {
  const Profile profile = Read(kWhole);
  SplitPart split = ExampleSplit(profile);
  std::vector<SampledStack> stacks = StacksOf(profile);
  stacks[1].weight = 4;
  CHECK(WrittenStacks(stacks, split)[1].weight == 6);
  stacks.erase(stacks.begin() + 1);
  std::vector<SampledStack> written;
  for (const StackView& stack : WrittenStacks(stacks, split))
    written.push_back({{stack.frames.begin(), stack.frames.end()}, stack.weight});
  CHECK(written == stacks);
}

TEST_CASE("a seed of the reader's fuzz target has stacks that are cut and left out") {
  const std::string seeds = IPROF_TESTDATA "/writer_reader_fuzz_seeds/";
  const Result<Profile> profile = ReadProfileFile(seeds + "cut.json");
  REQUIRE(profile.ok());
  CHECK(SamplesOf(*profile).size() == 4);
  CHECK(SplitPart::Of(*profile).With(0).weight == 6);
}

TEST_CASE("a seed of the reader's fuzz target has stacks in pieces") {
  const std::string seeds = IPROF_TESTDATA "/writer_reader_fuzz_seeds/";
  const Result<Profile> profile = ReadProfileFile(seeds + "split.json");
  REQUIRE(profile.ok());
  CHECK(SamplesOf(*profile) == Samples{{"2:9<1:5", 3},
                                       {"2:12<1:5", 2},
                                       {"4:4<3:31<2:12<1:5", 40},
                                       {"4:9<3:31<3:40<2:12<1:5", 7}});
  CHECK(SplitPart::Of(*profile).stacks.size() == 2);
}

}  // namespace
}  // namespace iprof
