#include "writer/records/raw/raw_profile.h"

#include <fcntl.h>
#include <unistd.h>
#include <catch2/catch.hpp>
#include <filesystem>

#include "writer/profile/image/image_note.h"
#include "writer/profile/io/agent_section.h"
#include "writer/profile/io/code_part.h"
#include "writer/profile/io/run_note.h"
#include "writer/profile/io/writer.h"
#include "writer/records/assembly_report.h"
#include "writer/records/raw/run_counts.h"
#include "writer/records/raw/test_program.h"

namespace iprof {
namespace {

class OneFile {
 public:
  explicit OneFile(const RawHeader& header = LoadingProgram::Header())
      : path_((std::filesystem::temp_directory_path() /
               ("iprof_raw_profile_" + std::to_string(getpid()) + ".iraw"))
                  .string()) {
    auto created = RawWriter::Create([this](int) { return path_; }, header, {});
    REQUIRE(created.ok());
    writer_ = std::move(*created);
  }
  ~OneFile() { writer_->Remove(); }
  RawWriter& writer() { return *writer_; }
  RawProfile Recover() const {
    const int fd = open(path_.c_str(), O_RDONLY | O_CLOEXEC);
    RawFdBytes bytes(fd);
    const Result<RawContents> contents = ReadRaw(bytes, path_);
    close(fd);
    REQUIRE(contents.ok());
    return MakeRawProfile(*contents);
  }

 private:
  const std::string path_;
  std::unique_ptr<RawWriter> writer_;
};

TEST_CASE("a loaded class that did not run has no counts of an unloaded one") {
  OneFile file;
  const std::string_view names[] = {"test/Loaded", "test/Unloaded"};
  for (const uint32_t number : {0U, 1U}) {
    ClassRecord klass;
    klass.name = names[number];
    CountedMethod method;
    method.name = "m";
    method.descriptor = "()V";
    method.counters = 1;
    method.first = CounterIndex{number};
    MethodRecord code;
    code.derivation.counter_count = 1;
    EncodeMethodRecord(code, &klass.records);
    klass.methods.push_back(method);
    file.writer().AddClass(number, klass);
  }
  file.writer().AddUnloaded(1, {.counters = {{0, 9}}, .sites = {}});
  const uint64_t counters[] = {0, 0};
  REQUIRE(file.writer().Publish({.time_ns = 1, .counters = counters}).status.ok());
  const RawProfile made = file.Recover();
  CHECK(TextOf(made.profile).find("test.Loaded") == std::string::npos);
  CHECK(TextOf(made.profile).find("test.Unloaded.m()void:0 = 9\n") != std::string::npos);
}

TEST_CASE("a profile has what the agent said: types, parts, lines") {
  OneFile file;
  file.writer().AddType(
      "test/D", "test.D",
      std::vector<std::pair<std::string, std::string>>{{"run", "()V"}, {"odd", "nonsense"}});
  file.writer().AddType("", "[[Ltest.D;", {});
  file.writer().AddPart({"run", "{\"jvm\":\"17\"}"});
  file.writer().AddPart({"run", "{\"jvm\":\"21\"}"});
  file.writer().AddPart({"kept", "{}"});
  file.writer().AddPart({"version", "{}"});
  file.writer().AddPart({"bad", "{"});
  file.writer().AddMethod(0, {.type = "test.D", .name = "run", .descriptor = "()V"});
  const RawStackFrame frames[] = {{0, 4, 17}, {0, 9, -1}};
  file.writer().AddStack(0, frames, true);
  const uint64_t weights[] = {5};
  const RawPart changing{"sampling", "{\"good\":5}"};
  REQUIRE(file.writer()
              .Publish({.time_ns = LoadingProgram::kStartNs + 61'500'000'000,
                        .stacks = weights,
                        .parts = {&changing, 1}})
              .status.ok());
  const RawProfile made = file.Recover();
  const Profile& profile = made.profile;
  CHECK(TextOf(profile) == "samplingProfiles test.D.run()void:4 test.D.run()void:9 = 5\n");
  CHECK(profile.FindType("[[Ltest.D;"));
  CHECK(profile.method_count() == 1);
  const AgentSection section = AgentSection::Of(profile);
  CHECK(section.Part("run") == "{\"jvm\":\"21\"}");
  CHECK(section.Part("kept") == "{}");
  CHECK(section.Part("sampling") == "{\"good\":5}");
  CHECK_FALSE(section.Part("bad"));
  CHECK_FALSE(section.Part("version"));
  CHECK(profile.notes().LineOf(MethodIndex{0}, 4) == 17);
  CHECK_FALSE(profile.notes().LineOf(MethodIndex{0}, 9));
  CHECK(section.Part(kPositionsPart));
  const auto note = SnapshotNote::Parse(*section.Part(kSnapshotPart));
  REQUIRE(note);
  CHECK(*note == made.note);
  CHECK(note->generation == 1);
  CHECK(note->time == "2023-11-14T22:14:21.500Z");
  CHECK(note->recorded_ms == 0);  // no run says how long it took
}

TEST_CASE("runs are completed with what is known of the counts, and methods have hashes of code") {
  OneFile file;
  LoadingProgram program(1);
  program.Load(3);
  program.Run(100);
  program.AddTo(file.writer());
  RunNote run;
  run.program = "app.jar";
  run.start_ms = LoadingProgram::kStartNs / 1'000'000;
  RunList runs;
  runs.Add(run);
  const std::string json = runs.ToJson();
  file.writer().AddPart({"provenance", json});
  const bool at_rest = GENERATE(false, true);
  REQUIRE(file.writer()
              .Publish({.time_ns = LoadingProgram::kStartNs + 5'000'000'000,
                        .counters = program.counters(),
                        .at_rest = at_rest})
              .status.ok());
  const RawProfile made = file.Recover();
  const std::vector<RunNote> found = RunList::Of(made.profile).Runs();
  REQUIRE(found.size() == 1);
  CHECK(found[0].program == "app.jar");
  CHECK(found[0].end_ms - found[0].start_ms == 5000);
  CHECK(found[0].recorded_ms == 5000);
  CHECK(made.note.recorded_ms == 5000);
  REQUIRE(found[0].exactness);
  CHECK(found[0].exactness->exact == (at_rest ? 3 : 0));
  CHECK(found[0].exactness->within_k == (at_rest ? 0 : 3));
  CHECK(found[0].exactness->KnowsK() == at_rest);
  CHECK(AgentPart(made.profile, kCodePart));
}

TEST_CASE("a snapshot that was taken while threads were counting states no bound") {
  OneFile file;
  LoadingProgram program(1);
  program.Load(3);
  program.Run(100);
  program.AddTo(file.writer());
  RunList runs;
  RunNote run;
  run.program = "app.jar";
  runs.Add(run);
  const std::string json = runs.ToJson();
  file.writer().AddPart({"provenance", json});
  const bool at_rest = GENERATE(false, true);
  const std::pair<std::string_view, uint64_t> live{"test/C0.m0(I)I", 501};
  REQUIRE(file.writer()
              .Publish({.time_ns = 1,
                        .counters = program.counters(),
                        .live_frames = {&live, 1},
                        .at_rest = at_rest})
              .status.ok());
  const RawProfile made = file.Recover();
  CHECK(made.assembly.largest_k == 501);
  const std::vector<RunNote> found = RunList::Of(made.profile).Runs();
  REQUIRE(found.size() == 1);
  REQUIRE(found[0].exactness);
  CHECK(found[0].exactness->KnowsK() == at_rest);
  CHECK(*found[0].exactness ==
        (at_rest ? RunExactness{.exact = 2, .within_k = 1, .unknown = 0, .largest_k = 501}
                 : RunExactness{.exact = 0, .within_k = 3, .unknown = 0, .largest_k = 0}));
}

TEST_CASE("a file that lacks what HotSpot counts does not claim it") {
  struct Expected {
    std::string source;
    std::string tables;
    std::string recovered_source;
    std::string recovered_tables;
  };
  const Expected expected = GENERATE(
      Expected{"methoddata", "calls+branches+receivers+samples", "", "samples"},
      Expected{"methoddata", "calls+branches", "", ""},
      Expected{"both", "calls+branches+samples", "counters", "calls+branches+samples"},
      Expected{"counters", "calls+branches+samples", "counters", "calls+branches+samples"});
  RawHeader header = LoadingProgram::Header();
  header.harvests = expected.source != "counters";
  OneFile file(header);
  RunNote run;
  run.source = expected.source;
  run.tables = expected.tables;
  RunList runs;
  runs.Add(run);
  const std::string json = runs.ToJson();
  file.writer().AddPart({"provenance", json});
  REQUIRE(file.writer().Publish({.time_ns = 1}).status.ok());
  const RawProfile made = file.Recover();
  const RunNote found = RunList::Of(made.profile).Runs().at(0);
  CHECK(found.source == expected.recovered_source);
  CHECK(found.tables == expected.recovered_tables);
  CHECK(found.exactness.has_value() == (expected.source != "methoddata"));
  CHECK(made.note.Describe() ==
        (header.harvests ? "snapshot 1 of 1970-01-01T00:00:00.000Z; lost: HotSpot's own counts"
                         : "snapshot 1 of 1970-01-01T00:00:00.000Z"));
}

TEST_CASE("each snapshot says of which run it is, also if the profile does not") {
  OneFile file;
  for (const RunId run : {RunId{1, 2}, RunId{3, 4}}) {  // there was a reset
    REQUIRE(file.writer().Publish({.run = run, .time_ns = 1}).status.ok());
    const RawProfile made = file.Recover();
    CHECK(made.run == run);
    CHECK(RunList::Of(made.profile).empty());
  }
}

TEST_CASE("pauses are not part of what was recorded") {
  OneFile file;
  RunNote run;
  run.start_ms = LoadingProgram::kStartNs / 1'000'000;
  run.recorded_ms = 2'700;
  RunList runs;
  runs.Add(run);
  const std::string json = runs.ToJson();
  file.writer().AddPart({"provenance", json});
  REQUIRE(file.writer().Publish({.time_ns = LoadingProgram::kStartNs + 6'600'000'000}).status.ok());
  const RawProfile made = file.Recover();
  CHECK(made.note.recorded_ms == 2'700);
  CHECK(RunList::Of(made.profile).Runs().at(0).recorded_ms == 2'700);
}

TEST_CASE("a file that claims endless recordings does not overflow their sum") {
  OneFile file;
  RunList runs;
  for (int i = 0; i < 20; ++i) {
    RunNote run;
    run.start_ms = 1'000 + i;
    run.recorded_ms = INT64_MAX;
    runs.Add(run);
  }
  const std::string json = runs.ToJson();
  file.writer().AddPart({"provenance", json});
  REQUIRE(file.writer().Publish({.time_ns = 1}).status.ok());
  CHECK(file.Recover().note.recorded_ms == INT64_MAX);
}

TEST_CASE("counts are within k, unless nothing was counted in between") {
  OneFile file;
  LoadingProgram program(1);
  program.Load(3);
  program.Run(100);
  REQUIRE(program.Publish(file.writer()).status.ok());
  CHECK(file.Recover().note.methods_exact == 0);
  CHECK(file.Recover().note.methods_within_k == 3);
  CHECK_FALSE(file.Recover().note.at_rest);
  // Now the recording is stopped, and a frame is known to be live.
  const std::pair<std::string_view, uint64_t> live{"test/C0.m0(I)I", 2};
  REQUIRE(file.writer()
              .Publish({.time_ns = 1,
                        .counters = program.counters(),
                        .live_frames = {&live, 1},
                        .at_rest = true})
              .status.ok());
  const RawProfile rest = file.Recover();
  CHECK(rest.note.at_rest);
  CHECK(rest.note.methods_exact == 2);
  CHECK(rest.note.methods_within_k == 1);
  CHECK(rest.assembly.largest_k == 2);
  CHECK(rest.note.recorded_ms == 0);
}

TEST_CASE("what the image build cannot use is left out, if the recording says so") {
  RawHeader header = LoadingProgram::Header();
  header.image = true;
  header.target_jdk = 25;
  header.harvests = true;
  OneFile file(header);
  REQUIRE(file.writer().Publish({.time_ns = 1}).status.ok());
  const RawProfile made = file.Recover();
  CHECK(ImageNote::Of(made.profile) == ImageNote{ImageTarget::k25, true});
  CHECK(made.note.without_harvest);
}

TEST_CASE("an empty recording gives an empty profile") {
  OneFile file;
  REQUIRE(file.writer().Publish({.time_ns = 1}).status.ok());
  const RawProfile made = file.Recover();
  CHECK(TextOf(made.profile).empty());
  CHECK_FALSE(made.note.HasLosses());
  CHECK(WriteProfileText(made.profile).ok());
}

TEST_CASE("the counts of many unloaded classes stay apart") {
  OneFile file;
  LoadingProgram program(2);
  for (int round = 0; round < 50; ++round) {
    program.Load(3);
    program.Run(3);  // many methods have no counts at all
    program.Unload(0);
  }
  program.Load(2);
  program.Run(10);
  REQUIRE(program.Publish(file.writer()).status.ok());
  CHECK(TextOf(file.Recover().profile) == program.TruthText());
}

TEST_CASE("estimated methods are not called exact") {
  RunNote run;
  AssemblyResult assembly;
  assembly.methods_exact = 5;
  assembly.methods_unknown = 1;
  assembly.NoteEstimated(3);
  CHECK(assembly.methods_exact == 2);
  AddCounts(assembly, &run);
  CHECK(run.exactness->exact == 2);
  CHECK(run.exactness->unknown == 4);
  CHECK(DescribeExactness(assembly) ==
        "exact, but for races between threads: 2 of 6 methods that ran; 1 may be off by an unknown "
        "number, "
        "because exceptions ended calls or calls had not ended; 3 are estimated, because they lost "
        "their probes\n");
}

TEST_CASE("methods that compilers replaced are estimated, and the profile names them") {
  RunNote run;
  AssemblyResult assembly;
  assembly.methods_exact = 4;
  assembly.methods_replaced = 2;
  assembly.replaced_calls = {{"a.Math.max()void", 584}, {"a.Math.min()void", 1}};
  AddCounts(assembly, &run);
  CHECK(run.exactness == RunExactness{.exact = 4, .within_k = 0, .unknown = 2, .largest_k = 0});
  CHECK(DescribeExactness(assembly) ==
        "exact, but for races between threads: 4 of 6 methods that ran; 2 are estimated, because "
        "compilers replaced calls of them (intrinsics), and what these call may be called more "
        "often\n");
  Profile profile;
  profile.AddStandardTypes();
  const TypeIndex signature[] = {profile.AddType("a.B"), TypeIndex{8}};
  const MethodIndex frozen = profile.AddMethod("run", signature);
  const MethodIndex other = profile.AddMethod("other", signature);
  assembly.estimated.calls = {{"a.Math.min()void", {2, 9}}, {"a.B.run()void", {7, 100}}};
  NoteEstimates(assembly, profile);
  CHECK(AgentPart(profile, kEstimatesPart) ==
        R"({"calls":{"a.B.run()void":7,"a.Math.max()void":584,"a.Math.min()void":3}})");
  CHECK(profile.SurenessOf(frozen) == Sureness::EstimatedFrom(100));
  CHECK(profile.SurenessOf(other) == Sureness());
  Profile exact;
  NoteEstimates(AssemblyResult(), exact);
  CHECK_FALSE(AgentPart(exact, kEstimatesPart));
}

TEST_CASE("each method that ran counts once, also if more are estimated than were exact") {
  RunNote run;
  AssemblyResult assembly;
  assembly.methods_exact = 2;
  assembly.methods_bounded = 5;
  assembly.largest_k = 1;
  assembly.NoteEstimated(4);
  AddCounts(assembly, &run);
  CHECK(run.exactness == RunExactness{.exact = 0, .within_k = 5, .unknown = 2, .largest_k = 1});
  CHECK(DescribeExactness(assembly) ==
        "exact, but for races between threads: 0 of 7 methods that ran; 5 may be off by up to 1, "
        "because exceptions ended calls or calls had not ended; 2 are estimated, because they "
        "lost their probes\n");
}

TEST_CASE("weights of a raw file become those of a profile where the interval adapted") {
  OneFile file;
  file.writer().AddMethod(0, {.type = "test.D", .name = "run", .descriptor = "()V"});
  const RawStackFrame busy[] = {{0, 4, -1}};
  const RawStackFrame rare[] = {{0, 9, -1}};
  file.writer().AddStack(0, busy, true);
  file.writer().AddStack(1, rare, true);
  const uint64_t weights[] = {400, 1};
  const RawPart adapted{"sampling",
                        R"({"event":"cpu","intervalNs":4000000,"firstIntervalNs":1000000,)"
                        R"("lastIntervalNs":1000000,"signals":100,"outcomes":{}})"};
  REQUIRE(file.writer()
              .Publish({.time_ns = LoadingProgram::kStartNs + 61'500'000'000,
                        .stacks = weights,
                        .parts = {&adapted, 1}})
              .status.ok());
  CHECK(TextOf(file.Recover().profile) == "samplingProfiles test.D.run()void:4 = 100\n");
}

}  // namespace
}  // namespace iprof
