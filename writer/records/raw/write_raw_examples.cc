// Writes raw files of a test program to a folder: for tests of the tool, and as seeds of the fuzz target.
//   app.iraw     seven snapshots, with classes that were unloaded
//   other.iraw   three of another program, for an image build
//   small.iraw   one class, one snapshot
//   new.iraw     no snapshot yet
//   told.iraw    two of a program whose profile says of which run it is
//   harvest.iraw     what HotSpot counted, and estimates
//   every1.iraw …    samples, one every 1, 4 and 20 ms
//   sequence     records without seals, as raw_reader_fuzz.cc takes them
// And app.truth, what the first program had counted at its last snapshot.
#include <cstdio>
#include <filesystem>
#include <fstream>
#include <memory>
#include <string>
#include <utility>

#include "writer/base/sealed_bytes.h"
#include "writer/records/context_samples.h"
#include "writer/records/raw/raw_harvest.h"
#include "writer/records/raw/raw_records.h"
#include "writer/records/raw/test_program.h"

namespace {

using iprof::LoadingProgram;
using iprof::RawWriter;

// False if the file cannot be written.
bool Write(const std::string& path, LoadingProgram& program, int snapshots,
           iprof::RawHeader header = LoadingProgram::Header()) {
  std::filesystem::remove(path);
  const auto writer = RawWriter::Create([&](int) { return path; }, header, {});
  if (!writer.ok()) {
    std::fprintf(stderr, "%s\n", writer.status().message().c_str());
    return false;
  }
  for (int snapshot = 0; snapshot < snapshots; ++snapshot) {
    program.Load(1);
    program.Step();
    if (!program.Publish(**writer).status.ok()) return false;
  }
  return true;
}

// Samples alone, one every `interval_ms`.
bool WriteSamples(const std::string& path, uint64_t interval_ms, uint64_t samples) {
  std::filesystem::remove(path);
  const auto writer = RawWriter::Create([&](int) { return path; }, LoadingProgram::Header(), {});
  if (!writer.ok()) return false;
  const iprof::RunId run{.high = 7, .low = interval_ms};
  const std::string sampling = R"({"event":"cpu","intervalNs":)" +
                               std::to_string(interval_ms * 1'000'000) + R"(,"signals":)" +
                               std::to_string(samples) + R"(,"writtenWeight":)" +
                               std::to_string(samples) + R"(,"outcomes":{"good":[)" +
                               std::to_string(samples) + "," + std::to_string(samples) + "]}}";
  const std::string runs = R"({"runs":[{"run":")" + run.Text() + "\"}]}";
  const iprof::RawPart parts[] = {{"sampling", sampling}, {"provenance", runs}};
  const iprof::RawStackFrame frame{0, 3, 12};
  (*writer)->AddMethod(0, {.type = "a.B", .name = "run", .descriptor = "()V"});
  (*writer)->AddStack(0, {&frame, 1}, false);
  return (*writer)
      ->Publish({.run = run,
                 .time_ns = LoadingProgram::kStartNs,
                 .stacks = {&samples, 1},
                 .parts = parts})
      .status.ok();
}

// What is counted without probes, and estimates.
bool WriteHarvest(const std::string& path) {
  std::filesystem::remove(path);
  iprof::RawHeader header = LoadingProgram::Header();
  header.harvests = true;
  const auto writer = RawWriter::Create([&](int) { return path; }, header, {});
  if (!writer.ok()) return false;
  iprof::ClassRecord klass;
  klass.name = "a/B";
  iprof::CountedMethod method;
  method.name = "run";
  method.descriptor = "()V";
  method.counters = 1;
  method.sites = 1;
  iprof::MethodRecord code;
  code.derivation.counter_count = 1;
  iprof::EncodeMethodRecord(code, &klass.records);
  klass.methods.push_back(method);
  klass.sites.push_back({0, 5, 0, iprof::SiteKind::kReceiver});
  iprof::TypeCounts types;
  types.Add(0, "a.C", 3);
  const uint64_t counters[] = {3};
  iprof::RawHarvestBytes harvest;
  harvest.bytes = iprof::EncodeRawHarvest(iprof::RecordedClasses({&klass}), counters, types, {});
  iprof::RawGeneration generation;
  generation.time_ns = 1;
  generation.estimated.calls["a.B.run()void"] = {2, 4};
  generation.estimated.unnamed = 1;
  generation.harvest = std::make_shared<const iprof::RawHarvestBytes>(std::move(harvest));
  return (*writer)->Publish(generation).status.ok();
}

// A record as the fuzz target takes it: kind, length, content.
void AddRecord(iprof::RawRecordKind kind, std::span<const uint8_t> sealed, std::string* out) {
  const iprof::Sealed record = iprof::OpenSealed(sealed, iprof::kRawRecordVersion);
  const auto content = record.body.subspan(1);
  out->push_back(static_cast<char>(kind));
  out->push_back(static_cast<char>(content.size() % 256));
  out->push_back(static_cast<char>(content.size() / 256));
  out->append(content.begin(), content.end());
}

std::string Sequence() {
  using enum iprof::RawRecordKind;
  std::string out;
  const iprof::RawStackFrame frame{0, 3, 12};
  AddRecord(kType,
            iprof::EncodeRawType("a/B", "a.B",
                                 std::vector<std::pair<std::string, std::string>>{{"run", "()V"}}),
            &out);
  AddRecord(kPair, iprof::EncodeRawPair(1, 2, "a.B"), &out);
  AddRecord(kMethod,
            iprof::EncodeRawMethod(0, {.type = "a.B", .name = "run", .descriptor = "(I)[J"}), &out);
  AddRecord(kStack, iprof::EncodeRawStack(3, {&frame, 1}, true), &out);
  AddRecord(kPart, iprof::EncodeRawPart({"run", "{\"a\":[1]}"}), &out);
  iprof::ContextSamples contexts;
  contexts.methods = {{"a.B", "run", "()V"}, {"a.B", "main", "()V"}};
  contexts.types = {"a.B", "a.C"};
  contexts.sites = {{true, 0, 5, {{0, 30, {{1, 3}}}, {1, 30, {{1, 9}}}}},
                    {false, 0, 7, {{9, 30, {{1, 3}}}, {12, 30, {{1, 9}}}}}};
  AddRecord(kPart,
            iprof::EncodeRawPart({iprof::kContextSamplesPart, EncodeContextSamples(contexts)}),
            &out);
  AddRecord(kFirst, iprof::EncodeRawFirst(std::vector<uint32_t>{0, 3, 7}), &out);
  AddRecord(kUnloaded, iprof::EncodeRawUnloaded(0, {.counters = {{0, 5}, {3, 9}}, .sites = {}}),
            &out);
  AddRecord(kForgotten, iprof::EncodeRawForgotten(), &out);
  return out;
}

}  // namespace

int main(int argc, char** argv) {
  if (argc != 2) {
    std::fprintf(stderr, "usage: iprof_write_raw_examples FOLDER\n");
    return 2;
  }
  const std::string folder = std::string(argv[1]) + "/";
  std::filesystem::create_directories(folder);
  LoadingProgram app(1);
  LoadingProgram other(2);
  LoadingProgram small(3);
  LoadingProgram none(4);
  LoadingProgram told(5);
  told.Tell();
  iprof::RawHeader of_other = LoadingProgram::Header();
  of_other.image = true;
  const bool written =
      Write(folder + "app.iraw", app, 7) && Write(folder + "other.iraw", other, 3, of_other) &&
      Write(folder + "small.iraw", small, 1) && Write(folder + "new.iraw", none, 0) &&
      Write(folder + "told.iraw", told, 2) && WriteHarvest(folder + "harvest.iraw") &&
      WriteSamples(folder + "every1.iraw", 1, 70) &&
      WriteSamples(folder + "every4.iraw", 4, 2100) &&
      WriteSamples(folder + "every20.iraw", 20, 140);
  std::ofstream(folder + "sequence") << Sequence();
  std::ofstream(folder + "app.truth") << app.TruthText();
  return written ? 0 : 1;
}
