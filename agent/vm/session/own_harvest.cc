#include "agent/vm/session/own_harvest.h"

#include <fmt/core.h>
#include <unistd.h>

#include <algorithm>
#include <memory>
#include <optional>
#include <utility>
#include <vector>

#include "agent/harvest/harvest.h"
#include "agent/harvest/harvest_facts.h"
#include "agent/harvest/harvest_profile.h"
#include "agent/harvest/possible_estimate.h"
#include "agent/hotspot/bounded_memory.h"
#include "agent/hotspot/file_memory.h"
#include "agent/hotspot/metadata_layout.h"
#include "agent/hotspot/process_memory.h"
#include "agent/hotspot/unchanged_memory.h"
#include "agent/settings/container_memory.h"
#include "agent/vm/jvmti/own_jvm.h"
#include "agent/vm/jvmti/vm_flags.h"
#include "writer/base/glob.h"
#include "writer/base/grouped.h"
#include "writer/base/join_text.h"
#include "writer/base/small_file.h"
#include "writer/profile/io/agent_section.h"

namespace iprof::vm {
namespace {

using hotspot::BoundedMemory;
using hotspot::HarvestedClass;
using hotspot::HarvestedProgram;

using Clock = std::chrono::steady_clock;

constexpr size_t kMostPatternBytes = 1000;  // of the note
constexpr size_t kMostMaps = size_t{64} << 20;

Status IsEnding() { return {Code::kUsage, "is ending"}; }

int64_t OwnAgeSeconds() {
  return hotspot::AgeSeconds(ReadSmallFile("/proc/self/stat").value_or(""));
}

// The classes that are counted exactly, for the note: "a.* without a.b.*".
std::string ExactClasses(const Options& options) {
  std::string text = JoinText(options.include, "+");
  if (!options.exclude.empty()) text += " without " + JoinText(options.exclude, "+");
  if (text.size() > kMostPatternBytes) text = text.substr(0, kMostPatternBytes) + "...";
  return text;
}

bool IsSelected(const Options& options, std::string_view internal_name) {
  std::string name(internal_name);
  std::replace(name.begin(), name.end(), '/', '.');
  if (!options.include.empty() && !MatchesAny(options.include, name)) return false;
  return !MatchesAny(options.exclude, name);
}

// Whether the class's counts are taken from HotSpot.
bool Takes(const HarvestOrder& order, const HarvestedClass& klass) {
  if (order.options.source == CountSource::kMethodData)
    return IsSelected(order.options, klass.stable_name);
  return !order.is_counted || !order.is_counted(klass.stable_name);
}

// Whether an estimate needs what the profile has inside methods with exact counts.
bool HasExactSites(const HarvestOrder& order) {
  const Options& options = order.options;
  return options.source == CountSource::kBoth && options.calls && options.estimate &&
         order.is_counted && order.to_class_file;
}

hotspot::CodeChoice NeededCode(const HarvestOrder& order, const ExactCounts* exact,
                               const BoundedMemory& memory) {
  if (exact == nullptr || !HasExactSites(order)) return {};
  return {.keeps =
              [exact](const HarvestedClass& klass, const hotspot::HarvestedMethod& method) {
                return exact->NeedsCodeOf(klass, method);
              },
          .limit = &memory};
}

// What this process has mapped, also where the file was removed, if it may do that.
std::unique_ptr<hotspot::Memory> OpenMapped(const hotspot::MappedPart& part) {
  return hotspot::FileMemory::Open(
      part.is_deleted ? fmt::format("/proc/self/map_files/{:x}-{:x}", part.at, part.at + part.size)
                      : part.path);
}

Result<std::unique_ptr<HarvestedProgram>> Read(JavaVM* vm, const HarvestOrder& order,
                                               Clock::time_point end, const ExactCounts* exact) {
  const auto layout = hotspot::MetadataLayout::Read(OwnJvm(vm).structs());
  if (!layout.ok()) return layout.status();
  const hotspot::ProcessMemory process(getpid());
  if (!process.Check(layout->loaders).ok()) {
    return Status(
        Code::kIo,
        "may not read its own memory: a seccomp filter forbids process_vm_readv, and "
        "/proc/self/mem cannot be read: allow one of them in the container, or run 'iprof "
        "harvest' on its host");
  }
  const BoundedMemory memory(process, end, order.most_bytes, order.has_ended);
  const hotspot::UnchangedMemory unchanged(
      hotspot::MappedParts(ReadSmallFile("/proc/self/maps", kMostMaps).value_or("")),
      [](const hotspot::MappedPart& part) { return OpenMapped(part); });
  auto program = hotspot::HarvestProgram(memory, *layout, VmFlags(vm), order.target_jdk,
                                         NeededCode(order, exact, memory), &unchanged);
  switch (memory.exceeded()) {
    case BoundedMemory::Limit::kNone:
      return program;
    case BoundedMemory::Limit::kTime:
      return Status(Code::kIo,
                    fmt::format("could not be read within {} seconds", kMostHarvestTime.count()));
    case BoundedMemory::Limit::kUnwanted:
      return IsEnding();
    case BoundedMemory::Limit::kBytes:
      return Status(Code::kIo, fmt::format("has more counters and code than the agent may hold "
                                           "(memory=; {} MiB are left)",
                                           order.most_bytes >> 20));
  }
  return program;
}

std::string Describe(const HarvestedProgram& program, const HarvestNote& note) {
  const hotspot::HarvestCounts& counts = program.counts;
  std::string text =
      fmt::format("HotSpot's own counters: {} with, {} more ran without; {} failed a check\n",
                  Counted(note.methods_with_data, "method", "methods"),
                  Grouped(note.methods_without_data), Grouped(note.methods_failed));
  for (const std::string& example : counts.failed_examples) text += fmt::format("  {}\n", example);
  text += fmt::format(
      "  left out: {} with too many classes, or with classes without a name; {} and {} without a "
      "stable name\n",
      Counted(note.sites_left_out, "call site or type check", "call sites and type checks"),
      Counted(note.lambdas_left_out, "lambda", "lambdas"),
      Counted(note.classes_left_out, "other generated class", "other generated classes"));
  if (note.methods_trained > 0) {
    text += fmt::format("  the counts of the AOT cache's training run were subtracted in {}\n",
                        Counted(note.methods_trained, "method", "methods"));
  }
  if (note.methods_trained_unknown > 0) {
    text += fmt::format("  left out: {} with counts of that run, because its file cannot be read\n",
                        Counted(note.methods_trained_unknown, "method", "methods"));
  }
  if (const std::string refusal = hotspot::DescribeRefusal(note); !refusal.empty())
    text += fmt::format("  {}\n", refusal);
  if (!program.without_compiled_counts.empty()) {
    text += fmt::format(
        "  branches and receivers are those of interpreted code only: compiled code counts none "
        "({})\n",
        program.without_compiled_counts);
  }
  if (counts.without_code > 0) {
    text += fmt::format(
        "  memory= has no room for the code of up to {}: what they call is as HotSpot counted it\n",
        Counted(static_cast<int64_t>(counts.without_code), "counted method", "counted methods"));
  }
  return text;
}

// Returns how many of the methods that the agent counted itself ran.
int64_t FillIn(const HarvestOrder& order, ExactCounts& exact, Clock::time_point end,
               HarvestedProgram& program) {
  const uint64_t methods = order.options.calls ? exact.FillCalls(program) : 0;
  if (HasExactSites(order)) {
    exact.FillSites(
        order.to_class_file,
        [&] { return (order.has_ended && order.has_ended()) || Clock::now() >= end; }, program);
    std::vector<hotspot::HarvestedCode>().swap(program.codes);
  }
  return static_cast<int64_t>(methods);
}

}  // namespace

uint64_t MostHarvestBytes(const Options& options, uint64_t used_bytes) {
  MemoryFacts facts{.container = ContainerMemory()};
  if (options.memory.bytes > 0) facts.memory = static_cast<uint64_t>(options.memory.bytes);
  const uint64_t most = ShareMemory(facts).rest;
  return most - std::min(most, used_bytes);
}

Result<std::string> WriteOwnHarvest(JavaVM* vm, const HarvestOrder& order, const Profile* counted,
                                    RecordSink& sink) {
  const Options& options = order.options;
  const Clock::time_point end = Clock::now() + kMostHarvestTime;
  const auto has_ended = [&] { return order.has_ended && order.has_ended(); };
  std::optional<ExactCounts> exact;
  if (counted != nullptr) exact.emplace(*counted, order.is_counted);
  auto harvested = Read(vm, order, end, exact ? &*exact : nullptr);
  if (!harvested.ok()) return harvested.status();
  HarvestedProgram& program = **harvested;
  HarvestNote note = hotspot::NoteOf(program, OwnAgeSeconds());
  note.cpu_ms = hotspot::CpuMs(ReadSmallFile("/proc/self/stat").value_or(""));
  if (options.source == CountSource::kBoth) {
    note.source = kBothSources;
    note.exact_classes = ExactClasses(options);
    if (exact) note.exact_methods = FillIn(order, *exact, end, program);
    if (has_ended()) return IsEnding();
  }
  std::vector<hotspot::MethodScale> scales;
  if (options.estimate) {
    auto estimated = hotspot::EstimatePossible(program, note);
    if (!estimated.ok()) return estimated.status();
    scales = std::move(*estimated);
  } else {
    scales = hotspot::RawScales(program);
  }
  const hotspot::HarvestParts parts{
      .calls = options.calls,
      .branches = options.branches,
      .receivers = options.receivers,
      .type_checks = options.instance_ofs,
      .max_lost = order.max_lost,
      .takes = [&](const HarvestedClass& klass) { return Takes(order, klass); }};
  const hotspot::HarvestRecords records(program, scales, parts);
  sink.AddHarvest(records.classes(), records.counters(), records.types(), records.options());
  note.sites_left_out += static_cast<int64_t>(records.checks_left_out());
  sink.SetPart(kHarvestPart, note.ToJson());
  // A profile knows what its assembly left out.
  const auto known = sink.profile() == nullptr ? std::nullopt : HarvestNote::Of(*sink.profile());
  return Describe(program, known.value_or(note));
}

}  // namespace iprof::vm
