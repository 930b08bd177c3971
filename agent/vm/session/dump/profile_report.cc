#include "agent/vm/session/dump/profile_report.h"

#include <fmt/core.h>

#include <algorithm>
#include <cstdint>
#include <iterator>
#include <optional>
#include <string_view>
#include <utility>

#include "writer/base/glob.h"
#include "writer/base/grouped.h"
#include "writer/base/join_text.h"
#include "writer/ops/summary.h"
#include "writer/profile/image/sample_split.h"
#include "writer/profile/io/agent_section.h"
#include "writer/profile/io/estimate_note.h"
#include "writer/profile/io/event_part.h"
#include "writer/profile/io/run_note.h"
#include "writer/profile/io/sampling_sum.h"

namespace iprof::vm {
namespace {

// Whether HotSpot's counters were to be in the profile, and could not be read.
bool LacksHarvest(const Profile& profile, const Options& options) {
  return options.Harvests() && !AgentPart(profile, kHarvestPart);
}

// "1,234 samples (from 431 signals; some consumers ignore fewer than 500)"
// Those that a build is given, as in the advice behind it.
std::string DescribeSamples(const Profile& profile) {
  const int64_t total = SamplesForBuild(profile);
  const std::string samples = Counted(static_cast<uint64_t>(total), "sample", "samples");
  const AgentSection section = AgentSection::Of(profile);
  const int64_t signals = SignalsBehind(total, section.Part(kSamplingPart));
  if (signals == 0 || signals >= kFewSignals) return samples;
  const std::string from =
      signals == total
          ? std::string()
          : fmt::format("from {}; ", Counted(static_cast<uint64_t>(signals), "signal", "signals"));
  return fmt::format("{} ({}some consumers ignore fewer than {})", samples, from, kFewSignals);
}

std::string DescribeAllocations(const Profile& profile) {
  uint64_t samples = 0;
  const EventTables events = EventsOf(profile);
  for (const EventTables::Allocation& row : events.allocations())
    samples += static_cast<uint64_t>(row.samples);
  return Counted(samples, "sampled allocation", "sampled allocations");
}

std::string DescribeWaits(const Profile& profile) {
  uint64_t waits = 0;
  const EventTables events = EventsOf(profile);
  for (const EventTables::Wait& row : events.waits()) waits += static_cast<uint64_t>(row.waits);
  return Counted(waits, "wait for a lock", "waits for locks");
}

// "; 32 methods with 68.8 % of all calls are estimated, because they lost their probes"; empty: none is.
std::string DescribeEstimates(const Profile& profile, const AssemblyResult& assembly) {
  const AgentSection section = AgentSection::Of(profile);
  const auto json = section.Part(kEstimatesPart);
  const auto note = json ? EstimateNote::Parse(*json) : std::nullopt;
  if (!note || note->methods() == 0) return {};
  const bool is_one = note->methods() == 1;
  const bool are_replaced = assembly.methods_replaced > 0;
  std::string why;
  if (assembly.methods_estimated > 0 || !are_replaced)
    why = is_one ? "it lost its probes" : "they lost their probes";
  if (are_replaced) {
    why += why.empty() ? "" : " or ";
    why += is_one ? "compilers replaced calls of it" : "compilers replaced calls of them";
  }
  return fmt::format("; {} with {:.1f} % of all calls {} estimated, because {}",
                     Counted(note->methods(), "method", "methods"),
                     100 * note->ShareOf(profile.Total(Table::kCalls)), is_one ? "is" : "are", why);
}

std::string DescribeExactness(const Profile& profile, const Options& options,
                              const AssemblyResult* assembly, bool lacks_harvest) {
  if (options.source == CountSource::kMethodData && lacks_harvest)
    return "without HotSpot's counters";
  if (options.source == CountSource::kMethodData)
    return options.estimate ? "counts are HotSpot's, calls estimated" : "counts are HotSpot's";
  if (assembly == nullptr) return {};
  std::string text = "counts exact but for races between threads";
  text += DescribeEstimates(profile, *assembly);
  const RunExactness others{.within_k = static_cast<int64_t>(assembly->methods_bounded),
                            .unknown = static_cast<int64_t>(assembly->methods_unknown),
                            .largest_k = static_cast<int64_t>(assembly->largest_k)};
  if (const std::string off = others.DescribeOthers(false); !off.empty()) text += "; " + off;
  if (options.source == CountSource::kBoth)
    text += lacks_harvest ? "; without HotSpot's counters of other classes"
                          : "; those of classes outside include= are HotSpot's";
  return text;
}

bool MatchesAnyType(std::string_view pattern, const Profile& profile) {
  for (const TypeIndex type : TypesOf(profile)) {
    if (GlobMatches(pattern, profile.TypeName(type))) return true;
  }
  return false;
}

bool IsCounted(Table table) { return table != Table::kSamples; }

constexpr std::string_view kNamesHaveDots = "names have dots, not slashes";

}  // namespace

bool IsEmpty(const Profile& profile) {
  const EventTables events = EventsOf(profile);
  if (!events.allocations().empty() || !events.waits().empty()) return false;
  return std::all_of(std::begin(kAllTables), std::end(kAllTables),
                     [&](Table table) { return profile.entry_count(table) == 0; });
}

Status FindNothing(const Profile& profile, const Options& options,
                   const std::vector<std::string>& unmatched) {
  if (options.force == Overwrite::kAlways) return {};
  const bool is_nothing_counted = std::all_of(
      std::begin(kAllTables), std::end(kAllTables),
      [&](Table table) { return !IsCounted(table) || profile.entry_count(table) == 0; });
  if (is_nothing_counted && !unmatched.empty() && unmatched.size() == options.include.size()) {
    return {Code::kUsage,
            fmt::format("nothing was counted, because include={} matches no class that was loaded "
                        "({}; force=always writes it anyway)",
                        JoinText(unmatched, "+"), kNamesHaveDots)};
  }
  if (IsEmpty(profile))
    return {Code::kUsage, "nothing was recorded (force=always writes it anyway)"};
  return {};
}

std::string DescribeProfile(const Profile& profile, const Options& options,
                            const AssemblyResult* assembly) {
  std::vector<std::string> parts;
  const bool lacks_harvest = LacksHarvest(profile, options);
  const bool has_counts = options.source != CountSource::kMethodData || !lacks_harvest;
  if (options.calls && has_counts)
    parts.push_back(Counted(CountMethodsThatRan(profile), "method ran", "methods ran"));
  if (has_counts && (options.branches || options.receivers || options.instance_ofs)) {
    const size_t sites = profile.entry_count(Table::kConditionals) +
                         profile.entry_count(Table::kVirtualInvokes) +
                         profile.entry_count(Table::kInstanceOfs);
    parts.push_back(Counted(sites, "site", "sites"));
  }
  if (options.samples) parts.push_back(DescribeSamples(profile));
  if (options.alloc.bytes > 0) parts.push_back(DescribeAllocations(profile));
  if (options.lock.ns > 0) parts.push_back(DescribeWaits(profile));
  std::string text = !parts.empty() ? JoinText(parts, ", ")
                     : has_counts   ? "no methods, sites or samples were to be recorded"
                                    : "nothing";
  const std::string exactness = DescribeExactness(profile, options, assembly, lacks_harvest);
  return exactness.empty() ? text : text + "; " + exactness;
}

std::vector<std::string> UnmatchedPatterns(const Profile& all, const Options& options) {
  std::vector<std::string> unmatched;
  std::copy_if(options.include.begin(), options.include.end(), std::back_inserter(unmatched),
               [&](const std::string& pattern) { return !MatchesAnyType(pattern, all); });
  return unmatched;
}

std::vector<std::string> FindMissing(const Profile& profile, const Options& options,
                                     const std::vector<std::string>& unmatched) {
  std::vector<std::string> found;
  std::vector<std::string_view> empty;
  const auto look = [&](bool is_wanted, Table table, std::string_view name) {
    if (is_wanted && profile.entry_count(table) == 0) empty.push_back(name);
  };
  look(options.calls, Table::kCalls, "calls");
  look(options.branches, Table::kConditionals, "branches");
  look(options.receivers, Table::kVirtualInvokes, "receivers");
  look(options.monitors, Table::kMonitors, "monitors");
  look(options.instance_ofs, Table::kInstanceOfs, "instanceofs");
  look(options.samples, Table::kSamples, "samples");
  if (!empty.empty()) {
    found.push_back(
        fmt::format("the profile has no {}, which were to be recorded", JoinText(empty, ", no ")));
  }
  for (const std::string& pattern : unmatched) {
    found.push_back(
        fmt::format("include={} matches no class that was loaded ({})", pattern, kNamesHaveDots));
  }
  return found;
}

}  // namespace iprof::vm
