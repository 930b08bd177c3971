#include "agent/settings/option_contradictions.h"

#include <fmt/core.h>

#include "agent/sampling/core/trace_table.h"
#include "writer/base/option_text.h"

namespace iprof::vm {
namespace {

constexpr int64_t kMaxIntervalNs = 60'000'000'000;
constexpr int64_t kMaxPauseNs = 60'000'000'000;
constexpr int64_t kMinLockNs = 10'000;
constexpr int64_t kMaxLockNs = 60'000'000'000;
constexpr int64_t kMinSnapshotNs = 100'000'000;
constexpr int64_t kMaxSnapshotNs = 3'600'000'000'000;
constexpr int64_t kMinRawBytes = 1 << 20;
constexpr int64_t kMaxRawBytes = 1 << 30;
constexpr int64_t kLeastMemory = 64 << 10;
constexpr int64_t kMostAllocBytes = 1 << 30;

Status Bad(std::string message) { return Status(Code::kUsage, std::move(message)); }

// An option as the user knows it: a word of mode= may stand for it.
std::string Shown(std::string_view name, std::string_view mode, const WasGiven& was_given) {
  return was_given(name) || !was_given("mode") ? fmt::format("{}=", name)
                                               : fmt::format("mode={}", mode);
}

// "source=methoddata", or the mode that stands for it.
std::string ShownMethodData(const WasGiven& was_given) {
  return was_given("source") ? "source=methoddata" : "mode=methoddata";
}

// Contradictions with source=. `was_given` says which options the user wrote.
Status FindSourceContradiction(const Options& options, const WasGiven& was_given) {
  if (!options.Harvests()) return {};
  if (!options.calls && !options.branches && !options.receivers && !options.instance_ofs)
    return Bad(fmt::format("{} has no effect when nothing is to be counted",
                           Shown("source", "methoddata", was_given)));
  if (options.call_edges) {
    return Bad(fmt::format("contexts={} needs the executions of call sites, which {} does not have",
                           options.context_stacks ? "all" : "calls",
                           Shown("source", "methoddata", was_given)));
  }
  if (options.source == CountSource::kBoth) {
    if (options.include.empty())
      return Bad("source=both needs include=, for the classes that are counted exactly");
    if (options.WaitsForStart()) {
      return Bad(
          "source=both must count from the JVM's start, as HotSpot does, so it contradicts start=n "
          "and delay=");
    }
    if (!options.estimate) {
      return Bad(
          "estimate=n needs source=methoddata: with source=both, exact counts and HotSpot's would "
          "not be on one scale");
    }
    return {};
  }
  for (const std::string_view name : {"placement", "weights", "stripes", "selfcheck", "jdk"}) {
    if (was_given(name)) {
      return Bad(fmt::format("{}= is about the agent's own counters, and {} has none", name,
                             ShownMethodData(was_given)));
    }
  }
  if (was_given("monitors") && options.monitors)
    return Bad("monitors=y needs source=counters or source=both: HotSpot does not count locks");
  return {};
}

// An option that the user gave and that only matters if there is a raw file; empty: there is none.
std::string_view GivenForRaw(const Options& options, const WasGiven& was_given) {
  for (const std::string_view name : {"raw", "keep-raw", "raw-max"}) {
    const bool is_off = name == "keep-raw" && !options.keep_raw;
    if (was_given(name) && !is_off) return name;
  }
  return {};
}

// Contradictions among the options of the raw file.
Status FindRawContradiction(const Options& options, const WasGiven& was_given) {
  const std::string_view given = GivenForRaw(options, was_given);
  if (options.snapshot.ns == 0) {
    if (given.empty()) return {};
    return Bad(fmt::format("{}= is about the raw file, and with snapshot=0 there is none", given));
  }
  if (options.snapshot.ns < kMinSnapshotNs || options.snapshot.ns > kMaxSnapshotNs)
    return Bad("option 'snapshot' must be 0, or between 100ms and 1h");
  if (options.raw_max.bytes < kMinRawBytes || options.raw_max.bytes > kMaxRawBytes)
    return Bad("option 'raw-max' must be between 1m and 1g");
  if (!options.raw.empty() &&
      (options.raw == options.out || options.raw == options.log || options.raw == options.control))
    return Bad(std::string(kRawNamesOther));
  return {};
}

// Contradictions with count-until= and overhead=.
Status FindFreezeContradiction(const Options& options, const WasGiven& was_given) {
  const std::string name =
      options.count_until > 0 ? "count-until=" : Shown("overhead", "budget", was_given);
  if (!options.Freezes()) {
    return was_given("rearm") ? Bad("rearm= has no effect without count-until= or overhead=")
                              : Status();
  }
  if (options.source == CountSource::kMethodData) {
    return Bad(fmt::format("{} is about the agent's own counters, and {} has none", name,
                           ShownMethodData(was_given)));
  }
  if (!options.calls)
    return Bad(fmt::format("{} needs calls=y: calls tell what methods without probes do", name));
  if (options.self_check)
    return Bad(fmt::format("selfcheck=y needs exact counts, so it contradicts {}", name));
  return {};
}

// Options that are about something that is switched off.
Status FindUseless(const Options& options, const WasGiven& was_given) {
  struct Use {
    std::string_view name;
    bool has_effect;
    std::string_view needs;
  };
  const bool counts = options.calls || options.branches || options.receivers || options.monitors ||
                      options.instance_ofs;
  const Use uses[] = {
      {"interval", options.samples, "samples=y"},
      {"event", options.samples, "samples=y"},
      {"depth", options.samples, "samples=y"},
      {"threads", options.samples, "samples=y"},
      {"samples-memory", options.samples, "samples=y"},
      {"signal", options.samples, "samples=y"},
      {"precise", options.samples, "samples=y"},
      {"receivers-max-lost", options.receivers || options.instance_ofs,
       "receivers=y or instanceofs=y"},
      {"contexts", options.calls && options.branches, "calls=y and branches=y"},
      {"estimate", options.Harvests(), "source=methoddata"},
      {"include", counts, "a table that is counted"},
      {"exclude", counts, "a table that is counted"},
  };
  for (const Use& use : uses) {
    if (!use.has_effect && was_given(use.name))
      return Bad(fmt::format("{}= has no effect without {}", use.name, use.needs));
  }
  return {};
}

}  // namespace

Status FindContradiction(const Options& options, const WasGiven& was_given) {
  if (was_given("gzip") && !options.gzip && options.out.ends_with(".gz")) {
    return Bad(
        fmt::format("gzip=n contradicts out={}, whose name ends in .gz", ShownOption(options.out)));
  }
  if (options.merge && options.force == Overwrite::kNo) {
    return Bad("merge=y adds to an existing profile, and force=n forbids to change it");
  }
  if (options.instance_ofs && !HasTable(options.format, Table::kInstanceOfs)) {
    return Bad(fmt::format("instanceofs=y needs format={}: version {} has no table for it",
                           FormatVersionName(FirstVersionWith(Table::kInstanceOfs)),
                           FormatVersionName(options.format)));
  }
  if ((options.stripes & (options.stripes - 1)) != 0) {
    return Bad(fmt::format("option 'stripes' must be a power of two, not {}", options.stripes));
  }
  if (options.self_check && was_given("placement")) {
    return Bad("selfcheck=y compares both placements, so it contradicts placement=");
  }
  if (!options.weights.empty() && options.placement == instrument::PlacementPolicy::kDirect) {
    return Bad("weights= says where placement=tree counts, so it contradicts placement=direct");
  }
  if (Status status = FindSourceContradiction(options, was_given); !status.ok()) return status;
  if (Status status = FindRawContradiction(options, was_given); !status.ok()) return status;
  if (Status status = FindFreezeContradiction(options, was_given); !status.ok()) return status;
  if (Status status = FindUseless(options, was_given); !status.ok()) return status;
  const int64_t interval_ns = options.interval.fixed.ns;
  if (!options.interval.is_auto &&
      (interval_ns < sampling::kMinIntervalNs || interval_ns > kMaxIntervalNs)) {
    return Bad("option 'interval' must be auto, or between 100us and 60s");
  }
  constexpr auto kLeast = static_cast<int64_t>(sampling::TraceTable::kMinBytes);
  constexpr auto kMost = static_cast<int64_t>(sampling::TraceTable::kMaxBytes);
  if (was_given("memory") && options.memory.bytes < kLeastMemory) {
    return Bad("option 'memory' must be at least 64k (a number without a unit is in bytes)");
  }
  if (was_given("samples-memory") &&
      (options.samples_memory.bytes < kLeast || options.samples_memory.bytes > kMost)) {
    return Bad("option 'samples-memory' must be between 64k and 64g");
  }
  if (was_given("memory") && was_given("samples-memory") &&
      options.samples_memory.bytes > options.memory.bytes) {
    return Bad("samples-memory= is a part of memory=, so it cannot be larger");
  }
  if (options.alloc.bytes > kMostAllocBytes) {
    return Bad("option 'alloc' must be 0, or a size up to 1g");
  }
  if (options.lock.ns != 0 && (options.lock.ns < kMinLockNs || options.lock.ns > kMaxLockNs)) {
    return Bad("option 'lock' must be 0, or between 10us and 60s");
  }
  if (was_given("delay") && !options.start) {
    return Bad("delay= starts the recording by itself, which start=n rules out");
  }
  if (options.pause.ns < 1'000'000 || options.pause.ns > kMaxPauseNs) {
    return Bad("option 'pause' must be between 1ms and 60s");
  }
  if (options.duration.ns != 0 && options.duration.ns < 1'000'000) {
    return Bad("option 'duration' must be at least 1ms");
  }
  if (!options.control.empty() &&
      (options.control == options.out || options.control == options.log)) {
    return Bad("control names the same file as another option");
  }
  if (!options.log.empty() && options.log == options.out) {
    return Bad("log and out name the same file");
  }
  return Status();
}

}  // namespace iprof::vm
