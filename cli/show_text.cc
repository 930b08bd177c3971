// The overview of `iprof show` as text.
#include <algorithm>

#include "cli/show.h"
#include "cli/show_runs.h"
#include "cli/table_names.h"
#include "cli/terminal_text.h"
#include "writer/io/agent_section.h"
#include "writer/io/estimate_note.h"
#include "writer/io/harvest_note.h"
#include "writer/io/snapshot_note.h"
#include "writer/ops/summary.h"

namespace iprof::cli {
namespace {

constexpr size_t kOutcomesInOverview = 8;

double Percent(int64_t part, int64_t total) {
  return total == 0 ? 0 : 100 * static_cast<double>(part) / static_cast<double>(total);
}

std::string_view HottestTitle(Table table) {
  switch (table) {
    case Table::kCalls:
      return "hottest contexts of calls";
    case Table::kConditionals:
      return "hottest branches";
    case Table::kVirtualInvokes:
      return "hottest virtual call sites";
    case Table::kMonitors:
      return "monitors";
    case Table::kSamples:
      return "most frequent samples";
    case Table::kInstanceOfs:
      return "hottest instanceof sites";
  }
  return {};
}

void PrintHarvest(Console& console, const AgentSection& section) {
  const auto json = section.Part(kHarvestPart);
  const auto note = json ? HarvestNote::Parse(*json) : std::nullopt;
  if (note) console.Print("harvest:        {}\n", EscapeForTerminal(note->Describe()));
}

void PrintSnapshot(Console& console, const AgentSection& section) {
  const auto json = section.Part(kSnapshotPart);
  const auto note = json ? SnapshotNote::Parse(*json) : std::nullopt;
  if (note) console.Print("recovered from: {}\n", EscapeForTerminal(note->Describe()));
}

void PrintEstimates(Console& console, const AgentSection& section, const Profile& profile) {
  const auto json = section.Part(kEstimatesPart);
  const auto note = json ? EstimateNote::Parse(*json) : std::nullopt;
  if (note) console.Print("estimated:      {}\n", note->Describe(profile.Total(Table::kCalls)));
}

void PrintAgentSection(Console& console, const AgentSection& section, const Profile& profile) {
  switch (section.form()) {
    case AgentSection::Form::kNone:
    case AgentSection::Form::kReadable: {
      if (section.form() == AgentSection::Form::kNone && section.parts().empty()) return;
      std::string parts;
      for (const auto& [name, json] : section.parts()) parts += " " + EscapeForTerminal(name);
      console.Print("iprofagent:     {}:{}\n",
                    section.form() == AgentSection::Form::kNone
                        ? "older keys"
                        : fmt::format("version {}", section.version()),
                    parts);
      PrintProvenance(console, section);
      PrintHarvest(console, section);
      PrintSnapshot(console, section);
      PrintEstimates(console, section, profile);
      return;
    }
    case AgentSection::Form::kNewer:
      console.Print("iprofagent:     version {}, which this iprof cannot read\n",
                    section.version());
      return;
    case AgentSection::Form::kMalformed:
      console.Print("iprofagent:     malformed (see 'iprof check')\n");
      return;
  }
}

void PrintHeader(Console& console, const Profile& profile, const ShowOptions& options) {
  console.Print("file:           {}\nformat version: {}\ntypes:          {}\nmethods:        {}\n",
                EscapeForTerminal(options.file), EscapeForTerminal(profile.version()),
                profile.type_count(), profile.method_count());
  PrintAgentSection(console, AgentSection::Of(profile), profile);
  for (const ExtraKey& extra : profile.extras()) {
    if (AgentSection().Add(extra.key, extra.json)) continue;
    console.Print("unknown key:    {} ({} bytes)\n", EscapeForTerminal(extra.key),
                  extra.json.size());
  }
}

void PrintTotals(Console& console, const Profile& profile, const ShowOptions& options) {
  console.Write("\n");
  console.Heading(fmt::format("{:<12} {:>10} {:>10} {:>20} {:>20}", "table", "contexts", "methods",
                              "total", "largest"));
  for (const Table table : options.tables) {
    const TableSummary summary = SummarizeTable(profile, table);
    console.Print("{:<12} {:>10} {:>10} {:>20} {:>20}\n", ShortName(table), summary.entries,
                  summary.methods, summary.total, summary.largest);
  }
}

void PrintDepths(Console& console, const Profile& profile, const ShowOptions& options) {
  const DepthSummary depths = SummarizeDepths(profile, options.tables);
  size_t total = 0;
  for (const size_t entries : depths.entries_of_depth) total += entries;
  if (total == 0) return;
  console.Write("\n");
  console.Heading(fmt::format("context depth: median {}, 99% up to {}, deepest {}", depths.median,
                              depths.percentile_99, depths.deepest));
  for (size_t depth = 1; depth <= depths.deepest; ++depth) {
    const size_t entries = depths.entries_of_depth[depth];
    if (entries == 0) continue;
    console.Print("{:>6} {:>10} {:>6.2f}%\n", depth, entries,
                  Percent(static_cast<int64_t>(entries), static_cast<int64_t>(total)));
  }
}

void PrintHottestMethods(Console& console, const Profile& profile, Table table,
                         const ShowOptions& options) {
  const std::vector<HotMethod> methods = HottestMethods(profile, table);
  const int64_t total = profile.Total(table);
  console.Write("\n");
  console.Heading(table == Table::kCalls ? "hottest methods by calls"
                                         : "hottest methods by samples in them");
  size_t printed = 0;
  for (const HotMethod& method : methods) {
    if (!options.all && printed == options.topn) break;
    if (method.count < static_cast<int64_t>(options.cutoff)) break;
    console.Print("{:>20} {:>6.2f}%  {}\n", method.count, Percent(method.count, total),
                  EscapeForTerminal(profile.DescribeMethod(method.method)));
    ++printed;
  }
}

void PrintHottestEntries(Console& console, const Profile& profile, Table table,
                         const ShowOptions& options) {
  const std::vector<EntryIndex> entries = EntriesToList(profile, table, options);
  const int64_t total = profile.Total(table);
  console.Write("\n");
  console.Heading(HottestTitle(table));
  for (const EntryIndex entry : entries) {
    if (console.broken_pipe()) return;
    const int64_t count = profile.EntryTotal(table, entry);
    const ContextIndex context = profile.EntryContext(table, entry);
    const std::string name =
        table == Table::kMonitors ? "all monitors" : DescribeContext(profile, context);
    console.Print("{:>20} {:>6.2f}%  {}\n", count, Percent(count, total), EscapeForTerminal(name));
    if (RecordKindOf(table) == RecordKind::kCount) continue;
    const bool every = options.all || table == Table::kMonitors;
    const std::string outcomes =
        DescribeOutcomes(profile, table, entry, every ? SIZE_MAX : kOutcomesInOverview);
    console.Print("{:>30}{}\n", "", outcomes);
  }
}

void PrintDetailedSummary(Console& console, const Profile& profile, Table table) {
  const TableSummary summary = SummarizeTable(profile, table);
  console.Write("\n");
  console.Heading(fmt::format("detailed summary of {}:", ShortName(table)));
  console.Print("Total number of contexts: {}\nTotal count: {}\n", summary.entries, summary.total);
  for (const CutoffRow& row : DetailedSummary(profile, table, kDetailedShares)) {
    console.Print("{} contexts ({:.2f}%) with count >= {} account for {}% of the total counts.\n",
                  row.entries,
                  Percent(static_cast<int64_t>(row.entries), static_cast<int64_t>(summary.entries)),
                  row.min_count, fmt::format("{:.6g}", row.share * 100));
  }
}

}  // namespace

std::vector<EntryIndex> EntriesToList(const Profile& profile, Table table,
                                      const ShowOptions& options) {
  std::vector<EntryIndex> entries = HottestEntries(profile, table);
  std::erase_if(entries, [&](EntryIndex entry) {
    return profile.EntryTotal(table, entry) < static_cast<int64_t>(options.cutoff);
  });
  if (!options.all && entries.size() > options.topn) entries.resize(options.topn);
  return entries;
}

std::string DescribeOutcomes(const Profile& profile, Table table, EntryIndex entry, size_t most) {
  struct Outcome {
    std::string name;
    int64_t count;
  };
  std::vector<Outcome> outcomes;
  if (RecordKindOf(table) == RecordKind::kSuccessors) {
    // Further keys of a switch (bci -5) belong to the target with the same index.
    for (const Successor& s : profile.EntrySuccessors(entry)) {
      std::string name = fmt::format("-> {} (index {})", s.bci, s.index);
      if (s.bci == -5) name = fmt::format("-> further key of index {}", s.index);
      outcomes.push_back({std::move(name), s.count});
    }
  } else {
    for (const TypeCount& t : profile.EntryTypeCounts(table, entry)) {
      outcomes.push_back({EscapeForTerminal(profile.TypeName(t.type)), t.count});
    }
  }
  std::stable_sort(outcomes.begin(), outcomes.end(),
                   [](const Outcome& a, const Outcome& b) { return a.count > b.count; });
  const int64_t total = profile.EntryTotal(table, entry);
  std::string out;
  for (size_t i = 0; i < std::min(most, outcomes.size()); ++i) {
    if (!out.empty()) out += ", ";
    out += fmt::format("{}: {:.2f}%", outcomes[i].name, Percent(outcomes[i].count, total));
  }
  if (most < outcomes.size()) out += fmt::format(", and {} more", outcomes.size() - most);
  return out;
}

void ShowText(Console& console, const Profile& profile, const ShowOptions& options) {
  PrintHeader(console, profile, options);
  PrintTotals(console, profile, options);
  PrintDepths(console, profile, options);
  for (const Table table : options.tables) {
    if (profile.entry_count(table) == 0) continue;
    if (options.detailed) PrintDetailedSummary(console, profile, table);
  }
  if (options.topn == 0 && !options.all) return;
  for (const Table table : options.tables) {
    if (profile.entry_count(table) == 0) continue;
    if (table == Table::kCalls || table == Table::kSamples) {
      PrintHottestMethods(console, profile, table, options);
    }
    PrintHottestEntries(console, profile, table, options);
  }
}

}  // namespace iprof::cli
