// Class records and counters, written as bytes, must give exactly the same profile as the
// instrumenter that made them gives at the end of a program: with the same code, without class
// files and without the instrumenter.
#include <fcntl.h>
#include <unistd.h>

#include <catch2/catch.hpp>
#include <filesystem>
#include <optional>

#include "agent/classfile/testing/assembled_class.h"
#include "agent/instrument/test_instrumenter.h"
#include "writer/base/code_length.h"
#include "writer/profile/io/writer.h"
#include "writer/records/assembly_report.h"
#include "writer/records/class_record_bytes.h"
#include "writer/records/position_map.h"
#include "writer/records/raw/raw_profile.h"
#include "writer/records/raw/raw_reader.h"
#include "writer/records/raw/raw_writer.h"

namespace iprof::instrument {
namespace {

using classfile::Op;

constexpr uint32_t kSitesInChunk = 256;

// A caller of Math.max, of an interface and of a synchronized block, with its own loop.
Bytes Caller(std::string_view name, int step = 0xff) {
  AssembledClass c(name);
  const int max = c.MethodRef("java/lang/Math", "max", "(II)I");
  const int run = c.MethodRef("b/U", "run", "()V");
  std::vector<uint8_t> loop = CountdownCode();
  loop[6] = static_cast<uint8_t>(step);  // iinc 0,step
  return c.Add({.descriptor = "(I)I", .code = loop})
      .Add({.name = "calls",
            .descriptor = "(Lb/U;II)V",
            .code = Code({B(Op::aload_0), B(Op::invokevirtual), run >> 8, run & 0xff,
                          B(Op::iload_1), B(Op::iload_2), B(Op::invokestatic), max >> 8, max & 0xff,
                          B(Op::pop), B(Op::return_)})})
      .Add({.access = 0x0029, .name = "locks", .code = Code({B(Op::return_)})})
      .Add({.access = 0x0109, .name = "native"})
      .Bytes();
}

// Like the JDK's Math, whose methods compilers may replace.
Bytes Math() {
  return AssembledClass("java/lang/Math")
      .Add({.name = "max",
            .descriptor = "(II)I",
            .code = Code({B(Op::iload_0), B(Op::iload_1), B(Op::if_icmple), 0, 5, B(Op::iload_0),
                          B(Op::ireturn), B(Op::iload_1), B(Op::ireturn)}),
            .intrinsic_candidate = true})
      .Bytes();
}

// Counters of unloaded classes: they are read and set to zero.
class Memory final : public FreedCounters {
 public:
  explicit Memory(std::vector<uint64_t>& counters) : counters_(counters) {}
  bool Take(CounterRange range, std::vector<uint64_t>* values) override {
    for (uint32_t i = 0; i < range.count; ++i) {
      uint64_t& counter = counters_[static_cast<uint32_t>(range.first) + i];
      values->push_back(counter);
      counter = 0;
    }
    return true;
  }
  bool TakeSites(CounterRange sites, uint32_t first, UnloadedCounts* counts) override {
    for (uint32_t i = 0; i < sites.count; ++i)
      counts->sites.push_back({first + i, 1, {{"gone.Type", 400 + i}}});
    return true;
  }

 private:
  std::vector<uint64_t>& counters_;
};

struct Recording {
  std::vector<ClassRecord> classes;
  std::vector<uint64_t> counters;
  TypeCounts types;
};

// A program after its run: some classes have two versions, one was unloaded, one was changed by
// another agent.
struct Program {
  Instrumenter made;
  CounterSpace sites{kSitesInChunk};
  std::vector<uint64_t> counters = std::vector<uint64_t>(200);
  TypeCounts types;

  static InstrumenterOptions Options(PlacementPolicy placement) {
    InstrumenterOptions options = Placed(placement);
    options.sites = {.receivers = true, .monitors = true, .instance_ofs = true};
    return options;
  }

  explicit Program(PlacementPolicy placement) : made(Options(placement)) {
    sites.Configure(1, [] {});
    sites.SetReady(1);
    made.instrumenter.UseSites(sites, kSitesInChunk,
                               [](uint32_t chunk) { return "S" + std::to_string(chunk); });
    for (const Bytes& bytes : {Caller("a/T"), Caller("a/T", 0xfe), Math(), Caller("a/Changed")})
      REQUIRE_FALSE(made.Run(bytes).empty());
    const std::optional<ClassId> gone = Load(Caller("a/Gone"));
    REQUIRE(gone);
    for (size_t i = 0; i < counters.size(); ++i) counters[i] = 1000 + i * i % 61;
    Memory memory(counters);
    made.instrumenter.Release(*gone);
    for (uint64_t round = 0; round < 3; ++round) made.instrumenter.Unload(memory, round);
    for (uint32_t site = 0; site < sites.statistics().counters; ++site) {
      types.Add(site, "b.U", 7 + site);
      types.Add(site, "b.V", 3);
      if (site == 1) types.AddLost(site, 100);  // too many, so the site is left out
    }
  }

  std::optional<ClassId> Load(const Bytes& bytes) {
    std::optional<ClassId> held;
    Bytes result;
    made.instrumenter.Instrument(
        {{}, bytes},
        [&](size_t size) {
          result.resize(size);
          return result.data();
        },
        &held);
    return held;
  }

  static MethodOrigin OriginIn(const ClassRecord& klass, const CountedMethod& method) {
    if (klass.name != "a/Changed") return MethodOrigin::kSame;
    return method.name == "calls" ? MethodOrigin::kAdded : MethodOrigin::kChanged;
  }

  // What a file would contain: records that went through bytes, and counts.
  Recording Recorded() {
    const auto classes = made.instrumenter.Classes(counters, types, OriginIn);
    Recording recording;
    recording.counters.assign(classes->counters().begin(), classes->counters().end());
    recording.types.AddAll(classes->types());
    for (size_t i = 0; i < classes->size(); ++i) {
      ClassRecord scratch;
      Bytes bytes;
      EncodeClassRecord(classes->Get(i, scratch), &bytes);
      size_t consumed = 0;
      REQUIRE(DecodeClassRecord(bytes, &recording.classes.emplace_back(), &consumed) ==
              SealStatus::kRecord);
    }
    return recording;
  }
};

struct Made {
  std::string profile;
  std::string report;
};

Made Finish(Profile& profile, const AssemblyResult& result, double max_lost) {
  Result<std::string> text = WriteProfileText(profile);
  REQUIRE(text.ok());
  return {std::move(*text),
          DescribeCounts(result) + DescribeExactness(result) + DescribeLeftOut(result, max_lost)};
}

uint64_t LiveFrames(const MethodKey& key) { return key.text() == "a/T.f(I)I" ? 1 : 0; }

Made MadeByInstrumenter(Program& program) {
  Profile profile;
  profile.AddStandardTypes();
  const AddedCounts added = program.made.instrumenter.AddTo(program.counters, program.types,
                                                            LiveFrames, profile, Program::OriginIn);
  return Finish(profile, added.assembly, program.made.instrumenter.assembly_options().max_lost);
}

Made MadeFromRecording(const Recording& recording, const AssemblyOptions& options) {
  std::vector<const ClassRecord*> classes;
  for (auto record = recording.classes.rbegin(); record != recording.classes.rend(); ++record)
    classes.push_back(&*record);  // in another order than that of writing
  Profile profile;
  profile.AddStandardTypes();
  const AssemblyResult result =
      AssembleProfile(RecordedClasses(classes), {recording.counters, recording.types, LiveFrames},
                      options, profile);
  return Finish(profile, result, options.max_lost);
}

TEST_CASE("records and counters in bytes give the profile that the instrumenter gives") {
  for (const PlacementPolicy placement : {PlacementPolicy::kTree, PlacementPolicy::kDirect}) {
    Program program(placement);
    const Made expected = MadeByInstrumenter(program);
    const Made read =
        MadeFromRecording(program.Recorded(), program.made.instrumenter.assembly_options());
    CHECK(read.profile == expected.profile);
    CHECK(read.report == expected.report);
    // There must be something to compare.
    INFO(expected.profile << expected.report);
    for (const char* part : {"callCountProfiles", "conditionalProfiles", "virtualInvokeProfiles",
                             "monitorProfiles", "a.Gone", "gone.Type", "java.lang.Math"}) {
      CHECK(expected.profile.find(part) != std::string::npos);
    }
    for (const char* line :
         {"1 method's branches and receivers: another version", "1 method that another agent added",
          "2 methods' branches and receivers: another agent changed", "1 call or type check: "}) {
      CHECK(expected.report.find(line) != std::string::npos);
    }
    if (placement != PlacementPolicy::kDirect) continue;  // derived counts are less exact here
    CHECK(expected.report.find("intrinsics counted at their call sites: 1") != std::string::npos);
  }
}

// The counts of a class in the form in which they were taken when it was unloaded: numbered from 0.
UnloadedCounts TakenFrom(const KnownClasses& classes, const ClassRecord& record) {
  UnloadedCounts counts;
  uint32_t counter = 0;
  uint32_t site = 0;
  for (const CountedMethod& method : record.methods) {
    const auto first = static_cast<uint32_t>(method.first);
    for (uint32_t c = 0; c < method.counters; ++c, ++counter) {
      if (const uint64_t count = classes.counters()[first + c]; count > 0)
        counts.counters.emplace_back(counter, count);
    }
    for (uint32_t s = 0; s < method.sites; ++s, ++site) {
      const TypeCounts::Site* seen = classes.types().Find(method.first_site + s);
      if (seen == nullptr) continue;
      UnloadedCounts::Site& taken = counts.sites.emplace_back();
      taken.number = site;
      taken.lost = seen->lost;
      for (const auto& [type, count] : seen->types)
        taken.types.emplace_back(classes.types().TypeName(type), count);
    }
  }
  return counts;
}

// Writes a raw file, as the agent does, and makes its profile.
Made MadeFromRawFile(Program& program) {
  const std::string path = (std::filesystem::temp_directory_path() /
                            ("iprof_recorded_" + std::to_string(getpid()) + ".iraw"))
                               .string();
  const AssemblyOptions options = program.made.instrumenter.assembly_options();
  const auto writer =
      RawWriter::Create([&](int) { return path; },
                        {.agent_version = "test", .assembly = options, .image = false}, {});
  REQUIRE(writer.ok());
  const auto classes =
      program.made.instrumenter.Classes(program.counters, program.types, Program::OriginIn);
  for (uint32_t number = 0; number < classes->size(); ++number) {
    ClassRecord scratch;
    const ClassRecord& record = classes->Get(number, scratch);
    (*writer)->AddClass(number, record);
    if (record.name == "a/Gone") (*writer)->AddUnloaded(number, TakenFrom(*classes, record));
  }
  std::vector<uint64_t> pairs;
  for (const uint32_t site : program.types.Sites()) {
    const TypeCounts::Site& seen = *program.types.Find(site);
    const auto add = [&](std::string_view type, uint64_t count) {
      (*writer)->AddPair(static_cast<uint32_t>(pairs.size()), site, type);
      pairs.push_back(count);
    };
    for (const auto& [type, count] : seen.types) add(program.types.TypeName(type), count);
    if (seen.lost > 0) add("", seen.lost);
  }
  const std::pair<std::string_view, uint64_t> live{"a/T.f(I)I", 1};
  const RawPublication done = (*writer)->Publish({.time_ns = 1,
                                                  .counters = program.counters,
                                                  .pairs = pairs,
                                                  .live_frames = {&live, 1},
                                                  .at_rest = true});
  REQUIRE(done.status.ok());
  const int fd = open(path.c_str(), O_RDONLY | O_CLOEXEC);
  RawFdBytes bytes(fd);
  const Result<RawContents> contents = ReadRaw(bytes, path);
  close(fd);
  (*writer)->Remove();
  REQUIRE(contents.ok());
  RawProfile made = MakeRawProfile(*contents);
  made.profile.RemoveExtras();
  return Finish(made.profile, made.assembly, options.max_lost);
}

TEST_CASE("a raw file gives the profile that the instrumenter gives") {
  for (const PlacementPolicy placement : {PlacementPolicy::kTree, PlacementPolicy::kDirect}) {
    Program program(placement);
    const Made expected = MadeByInstrumenter(program);
    const Made read = MadeFromRawFile(program);
    CHECK(read.profile == expected.profile);
    CHECK(read.report == expected.report);
  }
}

TEST_CASE("a recorded class says where its running instructions stand in the class file") {
  Program program(PlacementPolicy::kDirect);
  const Recording recording = program.Recorded();
  size_t compared = 0;
  for (const ClassRecord& record : recording.classes) {
    if (record.name != "a/Gone") continue;
    for (const CountedMethod& method : record.methods) {
      if (!method.rewritten) continue;
      for (uint32_t running = 0; running < 60; ++running) {
        const auto map = std::span<const uint8_t>(record.positions).subspan(method.positions);
        ClassInstrumenter::RunningPosition position{method.name, method.descriptor, running,
                                                    CodeStamp::Of(RewrittenLength(map), false)};
        program.made.instrumenter.OriginalBcis(record.name, {&position, 1});
        if (running < RewrittenLength(map)) {
          CHECK(position.original == OriginalPosition(map, running));
          CHECK(position.original_length == CodeLengthIn(method.code_hash));
        }
        ++compared;
      }
    }
  }
  CHECK(compared == 3 * 60);
}

}  // namespace
}  // namespace iprof::instrument
