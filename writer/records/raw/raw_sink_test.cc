// One source that writes into both sinks.
#include "writer/records/raw/raw_sink.h"

#include <catch2/catch.hpp>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <optional>
#include <string>

#include "writer/base/temporary_folder.h"
#include "writer/profile/io/agent_section.h"
#include "writer/profile/io/estimate_note.h"
#include "writer/profile/io/harvest_note.h"
#include "writer/profile/sample_threads.h"
#include "writer/records/method_record.h"
#include "writer/records/raw/profile_sink.h"
#include "writer/records/raw/raw_profile.h"
#include "writer/records/raw/raw_reader.h"
#include "writer/records/raw/test_program.h"

namespace iprof {
namespace {

ClassRecord MakeClass(std::string_view name, uint32_t first) {
  ClassRecord klass;
  klass.name = klass.Keep(name);
  CountedMethod method;
  method.name = "run";
  method.descriptor = "()V";
  method.counters = 1;
  method.first = CounterIndex{first};
  method.first_site = first;
  method.sites = 1;
  MethodRecord code;
  code.derivation.counter_count = 1;
  code.certificate.kind = Exactness::kExact;
  code.certificate.live_frames_matter = true;
  EncodeMethodRecord(code, &klass.records);
  klass.methods.push_back(method);
  klass.sites.push_back({0, 5, first, SiteKind::kReceiver});
  return klass;
}

// Probes count test.C and test.F, which is frozen; HotSpot counts test.H; and there are samples.
struct Source {
  const ClassRecord counted = MakeClass("test/C", 0);
  const ClassRecord frozen = MakeClass("test/F", 1);
  ClassRecord harvested = MakeClass("test/H", 0);
  const RecordedClasses all{{&counted, &frozen}};
  const RecordedClasses hotspots{{&harvested}};
  std::vector<uint64_t> counters = {5, 800};
  TypeCounts types;
  std::vector<uint64_t> harvested_counters = {30};
  TypeCounts harvested_types;
  std::vector<uint64_t> pairs = {4, 1};
  std::vector<uint64_t> weights = {3, 0};
  EstimatedMethods estimated{.calls = {{"test.F.run()void", {700, 5000}}, {"test.G.run()void", {}}},
                             .unnamed = 2};
  bool is_at_rest = true;
  bool harvests = true;

  Source() {
    harvested.methods[0].sureness = Sureness::EstimatedFrom(0);
    types.Add(0, "test.X", 4);
    types.AddLost(1, 1);
    harvested_types.AddLost(0, 30);  // so that the assembly leaves the site out
  }

  void Write(RecordSink& sink) {
    ProbeCounts counts{.classes = &all,
                       .types = &types,
                       .counters = counters,
                       .pairs = pairs,
                       .options = LoadingProgram::Header().assembly,
                       .estimated = estimated};
    const std::string method("test/C.run()V");
    const std::pair<std::string_view, uint64_t> live[] = {{method, 2}};
    counts.live_frames = live;
    if (RawWriter* const log = sink.log()) {
      counts.classes = nullptr;
      counts.types = nullptr;
      log->AddClass(0, counted);
      log->AddClass(1, frozen);
      log->AddPair(0, 0, "test.X");
      log->AddPair(1, 1, "");
    }
    sink.SetProbeCounts(std::move(counts));
    if (harvests) {
      sink.AddHarvest(hotspots, harvested_counters, harvested_types, {.max_lost = 0.5});
      HarvestNote note;
      note.sites_left_out = 4;
      sink.SetPart(kHarvestPart, note.ToJson());
    }
    sink.SetPart(kSamplingPart, "{\"signals\":3}");
    sink.AddMethod(0, {.type = "test.C", .name = "run", .descriptor = "()V"});
    sink.AddMethod(1, {.type = "test.Rare", .name = "run", .descriptor = "()V"});
    const RawStackFrame stack[] = {{0, 3, 12}};
    const RawStackFrame rare[] = {{1, 3, 12}};
    sink.AddStack(0, stack, false);
    sink.AddStack(1, rare, false);
    sink.SetWeights(weights);
    if (!is_at_rest) sink.NoteGoesOn();
  }
};

struct RawFile {
  TemporaryFolder folder;
  std::unique_ptr<RawWriter> file;
  explicit RawFile(const RawHeader& header, const RawLimits& limits = {}) {
    auto made =
        RawWriter::Create([&](int) { return std::string(folder / "a.iraw"); }, header, limits);
    REQUIRE(made.ok());
    file = std::move(*made);
  }
  RawContents Contents() const {
    std::ifstream in(file->path(), std::ios::binary);
    const std::vector<uint8_t> bytes(std::istreambuf_iterator<char>(in), {});
    RawMemoryBytes memory(bytes);
    auto contents = ReadRaw(memory, "a.iraw");
    REQUIRE(contents.ok());
    return std::move(*contents);
  }
};

bool HarvestIs(const RawProfile& made, uint64_t count) {
  return TextOf(made.profile).find("test.H.run()void:0 = " + std::to_string(count) + "\n") !=
         std::string::npos;
}

std::string MarkOf(const Profile& profile, std::string_view klass) {
  const TypeIndex signature[] = {*profile.FindType(klass), TypeIndex{8}};
  return profile.SurenessOf(profile.FindMethod("run", signature).value()).Describe();
}

RawHeader Header() {
  RawHeader header = LoadingProgram::Header();
  header.harvests = true;
  return header;
}

TEST_CASE("threads of samples go through a raw file") {
  const auto write = [](RecordSink& sink) {
    const std::string name = "b\xc3\xbc \xf0\x9f\x98\x80-*";
    sink.AddMethod(0, {.type = "test.C", .name = "run", .descriptor = "()V"});
    sink.AddMethod(1, {.type = kThreadType, .name = name, .descriptor = "()V"});
    sink.AddMethod(2, {.type = kThreadType, .name = "", .descriptor = "()V"});
    const RawStackFrame with_thread[] = {{0, 3, 12}, {1, 0, -1}};
    const RawStackFrame in_the_last_period[] = {{0, 3, 12}, {2, FrameBciOf(49'152), -1}};
    const RawStackFrame without[] = {{0, 3, 12}};
    sink.AddStack(0, with_thread, false);
    sink.AddStack(1, without, false);
    sink.AddStack(2, in_the_last_period, false);
    static const std::vector<uint64_t> weights = {3, 2, 5};
    sink.SetWeights(weights);
  };
  RawFile raw_file(Header());
  RawSink sink(*raw_file.file, 1);
  write(sink);
  REQUIRE(sink.Publish().status.ok());
  const RawProfile recovered = MakeRawProfile(raw_file.Contents());
  const auto threads = ThreadsOf(recovered.profile);
  REQUIRE(threads.size() == 2);
  CHECK((threads[0].name.empty() && threads[0].weight == 7));
  CHECK((threads[1].name == "b\xc3\xbc \xf0\x9f\x98\x80-*" && threads[1].weight == 3));
  const auto periods = PeriodsOf(recovered.profile);
  REQUIRE(periods.size() == 1);
  CHECK((periods[0].begin == 49'152 && periods[0].weight == 5));
}

TEST_CASE("what goes through a raw file gives the profile that is made at once") {
  Source source;
  Profile direct;
  direct.AddStandardTypes();
  ProfileSink at_once(direct);
  source.Write(at_once);
  RawFile raw_file(Header());
  RawSink sink(*raw_file.file, 1);
  source.Write(sink);
  REQUIRE(sink.Publish().status.ok());
  const RawProfile recovered = MakeRawProfile(raw_file.Contents());
  CHECK(TextOf(recovered.profile) == TextOf(direct));
  CHECK(TextOf(direct) ==
        "callCountProfiles test.C.run()void:0 = 5\n"
        "callCountProfiles test.F.run()void:0 = 800\n"
        "callCountProfiles test.H.run()void:0 = 30\n"
        "samplingProfiles test.C.run()void:3 = 3\n"
        "virtualInvokeProfiles test.C.run()void:5 = test.X:4\n");
  for (const Profile* const profile : {static_cast<const Profile*>(&direct), &recovered.profile}) {
    const AgentSection section = AgentSection::Of(*profile);
    const auto estimates = EstimateNote::Parse(section.Part(kEstimatesPart).value_or(""));
    REQUIRE(estimates);
    CHECK(estimates->calls.at("test.F.run()void") == 700);
    CHECK(HarvestNote::Of(*profile)->sites_left_out == 5);  // with that of the assembly
    CHECK_FALSE(profile->FindType("test.Rare"));
    // C may be one of the two methods with estimates that have no name.
    CHECK(MarkOf(*profile, "test.C") == "unknown");
    CHECK(MarkOf(*profile, "test.F") == "estimated from 4,096 executions");
    CHECK(MarkOf(*profile, "test.H") == "guessed");
  }
  for (const AssemblyResult* made : {at_once.counted(), &recovered.assembly}) {
    CHECK(made->estimated.unnamed == 2);
    CHECK(made->largest_k == 2);
    CHECK(made->methods_exact + made->methods_estimated + made->methods_bounded == 2);
    CHECK(made->methods_exact == 0);
  }
  CHECK(recovered.note.at_rest);
  CHECK_FALSE(recovered.note.HasLosses());
}

TEST_CASE("what was recorded in between makes a snapshot of a program that goes on") {
  Source source;
  source.is_at_rest = false;
  RawFile raw_file(Header());
  RawSink sink(*raw_file.file, 1);
  source.Write(sink);
  REQUIRE(sink.Publish().status.ok());
  CHECK_FALSE(raw_file.Contents().at_rest);
}

TEST_CASE("of each generation, the file has the last harvest") {
  Source source;
  RawFile raw_file(Header());
  for (const uint64_t count : {30U, 40U, 50U}) {
    source.harvested_counters[0] = count;
    RawSink sink(*raw_file.file, 1);
    source.Write(sink);
    REQUIRE(sink.Publish().status.ok());
    CHECK(HarvestIs(MakeRawProfile(raw_file.Contents()), count));
  }
}

TEST_CASE("a generation without a new harvest has the last one, and all else is new") {
  Source source;
  RawFile raw_file(Header());
  {
    RawSink sink(*raw_file.file, 1);
    source.Write(sink);
    REQUIRE(sink.Publish().status.ok());
  }
  CHECK(raw_file.file->has_harvest());
  source.harvests = false;
  std::unique_ptr<RawWriter> next;
  SECTION("in the same file") {
    for (const uint64_t count : {6U, 7U}) {  // into both copies of the arrays
      source.counters[0] = count;
      RawSink sink(*raw_file.file, 2);
      source.Write(sink);
      REQUIRE(sink.Publish().status.ok());
    }
  }
  SECTION("in a file that replaces it") {
    source.counters[0] = 7;
    auto made = raw_file.file->Rewrite();
    REQUIRE(made.ok());
    next = std::move(*made);
    RawSink sink(*next, 2);
    source.Write(sink);
    REQUIRE(sink.Publish().status.ok());
  }
  const RawContents contents = raw_file.Contents();
  const RawProfile made = MakeRawProfile(contents);
  CHECK(HarvestIs(made, 30));
  CHECK(TextOf(made.profile).find("test.C.run()void:0 = 7\n") != std::string::npos);
  REQUIRE(HarvestNote::Of(made.profile));
  CHECK(HarvestNote::Of(made.profile)->sites_left_out == 5);
  CHECK_FALSE(made.note.without_harvest);
  CHECK_FALSE(contents.losses.any());
  CHECK_FALSE(contents.at_rest);  // the harvest is of another moment
}

TEST_CASE(
    "a harvest that has outgrown the file leaves the last one, and one that has room again is "
    "new") {
  Source source;
  RawFile raw_file(Header(), {.most_bytes = kLeastRawBytes});
  const auto publish = [&](size_t counters, uint64_t first) {
    source.harvested_counters.assign(counters, 1);
    source.harvested_counters[0] = first;
    ++source.counters[0];
    RawSink sink(*raw_file.file, 1);
    source.Write(sink);
    REQUIRE(sink.Publish().status.ok());
    return raw_file.Contents();
  };
  publish(1, 30);
  for (int i = 0; i < 3; ++i) {
    const RawContents contents = publish(kLeastRawBytes, 40);
    CHECK(contents.losses.harvest == 1);
    const RawProfile made = MakeRawProfile(contents);
    CHECK(HarvestIs(made, 30));
    CHECK_FALSE(made.note.without_harvest);
    CHECK(TextOf(made.profile)
              .find("test.C.run()void:0 = " + std::to_string(source.counters[0]) + "\n") !=
          std::string::npos);
  }
  const RawContents contents = publish(1, 50);
  CHECK(contents.losses.harvest == 0);
  CHECK(contents.at_rest);
  CHECK(HarvestIs(MakeRawProfile(contents), 50));
}

TEST_CASE("a recording that begins again has nothing of the harvest before") {
  Source source;
  RawFile raw_file(Header());
  {
    RawSink sink(*raw_file.file, 1);
    source.Write(sink);
    REQUIRE(sink.Publish().status.ok());
  }
  const size_t bytes = raw_file.file->memory_bytes();
  raw_file.file->ForgetUnloaded();
  CHECK_FALSE(raw_file.file->has_harvest());
  CHECK(raw_file.file->memory_bytes() < bytes);
  RawSink sink(*raw_file.file, 2);
  REQUIRE(sink.Publish().status.ok());
  const RawProfile made = MakeRawProfile(raw_file.Contents());
  CHECK(TextOf(made.profile).find("test.H") == std::string::npos);
  CHECK_FALSE(HarvestNote::Of(made.profile));
  CHECK(made.note.without_harvest);
}

TEST_CASE("a harvest and names of estimates without room are counted, and all else stays") {
  Source source;
  source.harvested_counters.resize(kLeastRawBytes);
  for (int m = 0; m < 5'000; ++m)
    source.estimated.calls["test.F.a_method_with_a_long_name_" + std::to_string(m) + "()void"] = {
        1, 1};
  const uint64_t estimated = source.estimated.with_estimates();
  RawFile raw_file(Header(), {.most_bytes = kLeastRawBytes});
  RawSink sink(*raw_file.file, 1);
  source.Write(sink);
  REQUIRE(sink.Publish().status.ok());
  const RawContents contents = raw_file.Contents();
  CHECK(contents.losses.harvest == 1);
  CHECK(contents.harvest.empty());
  CHECK(contents.estimated.calls.empty());
  CHECK(contents.estimated.unnamed == estimated);
  const RawProfile made = MakeRawProfile(contents);
  CHECK(made.note.without_harvest);
  CHECK(made.note.lost_notes > 0);
  CHECK(TextOf(made.profile).find("test.F.run()void:0 = 800") != std::string::npos);
}

}  // namespace
}  // namespace iprof
