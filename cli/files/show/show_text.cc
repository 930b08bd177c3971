// The overview of `iprof show` as text.
#include <algorithm>
#include <cmath>
#include <set>

#include "cli/files/show/show.h"
#include "cli/files/table_names.h"
#include "cli/terminal/terminal_text.h"
#include "cli/terminal/text_layout.h"
#include "writer/ops/summary.h"
#include "writer/profile/branch_outcomes.h"
#include "writer/profile/io/agent_section.h"

namespace iprof::cli {
namespace {

constexpr size_t kFramesOfStack = 8;
// Of each row: count and share.
constexpr size_t kFigures = 28;

class Overview {
 public:
  Overview(Console& console, const Profile& profile, const ShowOptions& options)
      : console_(console),
        profile_(profile),
        options_(options),
        names_(profile, options.whole_names) {}

  void Print() {
    for (const Table table : options_.tables) {
      if (profile_.entry_count(table) == 0) continue;
      switch (table) {
        case Table::kCalls:
          PrintCalledMethods();
          break;
        case Table::kSamples:
          PrintSampledMethods();
          PrintStacks();
          break;
        case Table::kMonitors:
          PrintLocks();
          break;
        case Table::kConditionals:
          PrintSites(table, "Hot branches, and where they went");
          break;
        case Table::kVirtualInvokes:
          PrintSites(table, "Hot virtual calls, and the classes of their receivers");
          break;
        case Table::kInstanceOfs:
          PrintSites(table, "Hot type checks, and the classes of the objects");
          break;
      }
    }
  }

 private:
  void Heading(std::string_view title) {
    console_.Write("\n");
    console_.Heading(title);
  }

  // "   1,234,567  12.3 %  text"
  void Row(Table table, int64_t count, const std::string& text) {
    console_.Print("{:>18} {:>8}  {}\n", Grouped(count), PercentOf(count, options_.TotalOf(table)),
                   CutTo(text, options_.layout.Room(kFigures + 1)));
  }

  void More(size_t size, size_t listed) {
    if (listed < size)
      console_.Print("{:>{}}… {} more\n", "", kFigures + 1, Grouped(size - listed));
  }

  template <typename Count>
  size_t AboveCutoff(size_t size, Count count_of) const {
    size_t above = 0;
    while (above < size && count_of(above) >= static_cast<int64_t>(options_.cutoff)) ++above;
    return above;
  }

  void PrintCalledMethods() {
    const std::vector<HotMethod> methods = HottestMethods(profile_, Table::kCalls);
    const size_t above = AboveCutoff(methods.size(), [&](size_t m) { return methods[m].count; });
    Heading("Hot methods by calls");
    const size_t listed = Listed(options_, above);
    for (size_t m = 0; m < listed && !console_.broken_pipe(); ++m)
      Row(Table::kCalls, methods[m].count, names_.MethodAndLine(methods[m].method));
    More(above, listed);
  }

  void PrintSampledMethods() {
    std::vector<HotMethod> methods = HottestMethods(profile_, Table::kSamples);
    std::erase_if(methods,
                  [&](const HotMethod& m) { return !options_.filter.Wants(profile_, m.method); });
    const size_t above = AboveCutoff(methods.size(), [&](size_t m) { return methods[m].count; });
    Heading("Hot methods by samples in them");
    const size_t listed = Listed(options_, above);
    for (size_t m = 0; m < listed && !console_.broken_pipe(); ++m)
      Row(Table::kSamples, methods[m].count, names_.MethodAndLine(methods[m].method));
    More(above, listed);
  }

  std::string DescribeSite(Table table, Frame frame) const {
    const std::string callee =
        table == Table::kVirtualInvokes ? names_.Callee(frame) : std::string();
    return names_.Position(frame) + (callee.empty() ? "" : " calls " + callee);
  }

  void PrintSites(Table table, std::string_view title) {
    const std::vector<EntryIndex> entries = HottestEntries(profile_, table);
    const size_t above = AboveCutoff(
        entries.size(), [&](size_t e) { return profile_.EntryTotal(table, entries[e]); });
    Heading(title);
    const size_t listed = Listed(options_, above);
    for (size_t e = 0; e < listed && !console_.broken_pipe(); ++e) {
      const ContextIndex context = profile_.EntryContext(table, entries[e]);
      Row(table, profile_.EntryTotal(table, entries[e]),
          DescribeSite(table, profile_.InnermostFrame(context)));
      // Profiles of instrumented images have entries for some callers only.
      if (profile_.Caller(context) != kNoContext)
        Indented("called at " + names_.Context(profile_.Caller(context)));
      Indented(JoinOutcomes(DescribeOutcomes(profile_, table, entries[e], names_), options_.layout,
                            kFigures + 3));
    }
    More(above, listed);
  }

  void Indented(const std::string& text) {
    console_.Print("{:>{}}{}\n", "", kFigures + 3, CutTo(text, options_.layout.Room(kFigures + 3)));
  }

  void PrintLocks() {
    for (const EntryIndex entry : EntriesOf(profile_, Table::kMonitors)) {
      std::vector<TypeCount> counts(profile_.EntryTypeCounts(Table::kMonitors, entry).begin(),
                                    profile_.EntryTypeCounts(Table::kMonitors, entry).end());
      std::stable_sort(counts.begin(), counts.end(),
                       [](const TypeCount& a, const TypeCount& b) { return a.count > b.count; });
      const size_t above = AboveCutoff(counts.size(), [&](size_t c) { return counts[c].count; });
      Heading("Locks taken, by the class of the object");
      const size_t listed = Listed(options_, above);
      for (size_t c = 0; c < listed && !console_.broken_pipe(); ++c)
        Row(Table::kMonitors, counts[c].count, names_.Type(counts[c].type));
      More(above, listed);
    }
  }

  void PrintStacks() {
    const std::vector<HotStack> stacks =
        options_.whole_names ? StacksByPosition() : HottestStacks(profile_);
    const size_t above = AboveCutoff(stacks.size(), [&](size_t s) { return stacks[s].count; });
    Heading("Frequent stacks, the innermost method first");
    const size_t listed = Listed(options_, above);
    for (size_t s = 0; s < listed && !console_.broken_pipe(); ++s) PrintStack(stacks[s]);
    More(above, listed);
  }

  std::vector<HotStack> StacksByPosition() const {
    std::vector<HotStack> stacks;
    for (const EntryIndex entry : HottestEntries(profile_, Table::kSamples))
      stacks.push_back({profile_.EntryCount(Table::kSamples, entry), {entry}});
    return stacks;
  }

  void PrintStack(const HotStack& stack) {
    const ContextIndex context = profile_.EntryContext(Table::kSamples, stack.entries[0]);
    const size_t depth = profile_.Depth(context);
    const bool is_whole = options_.whole_names || depth <= kFramesOfStack + 1;
    const std::vector<std::string> frames =
        FramesOf(stack.entries, is_whole ? depth : kFramesOfStack);
    for (size_t f = 0; f < frames.size(); ++f) {
      if (f == 0) {
        Row(Table::kSamples, stack.count, frames[f]);
      } else {
        console_.Print("{:>{}}{}\n", "", kFigures + 1,
                       CutTo(frames[f], options_.layout.Room(kFigures + 1)));
      }
    }
    if (!is_whole)
      console_.Print("{:>{}}… {} more frames\n", "", kFigures + 1, depth - kFramesOfStack);
  }

  // The innermost frames of stacks with the same methods: "Cart.total line 25", or "Cart.total at 3 positions".
  std::vector<std::string> FramesOf(const std::vector<EntryIndex>& entries, size_t most) const {
    std::vector<ContextIndex> at;
    for (const EntryIndex entry : entries)
      at.push_back(profile_.EntryContext(Table::kSamples, entry));
    std::vector<std::string> texts;
    while (texts.size() < most && at[0] != kNoContext) {
      std::set<std::string> places;
      for (const ContextIndex context : at)
        places.insert(names_.Position(profile_.InnermostFrame(context)));
      const Frame frame = profile_.InnermostFrame(at[0]);
      texts.push_back(places.size() == 1
                          ? *places.begin()
                          : fmt::format("{} at {} positions", names_.Method(frame.method),
                                        Grouped(places.size())));
      for (ContextIndex& context : at) context = profile_.Caller(context);
    }
    return texts;
  }

  Console& console_;
  const Profile& profile_;
  const ShowOptions& options_;
  const CodeNames names_;
};

void PrintDepths(Console& console, const Profile& profile, const ShowOptions& options) {
  const DepthSummary depths = SummarizeDepths(profile, options.tables);
  size_t total = 0;
  for (const size_t entries : depths.entries_of_depth) total += entries;
  if (total == 0) return;
  console.Write("\n");
  console.Heading(fmt::format("Frames of an entry: median {}, 99% up to {}, most {}", depths.median,
                              depths.percentile_99, depths.deepest));
  console.Print("{:>8} {:>12} {:>8}\n", "frames", "entries", "share");
  for (size_t depth = 1; depth <= depths.deepest; ++depth) {
    const auto entries = static_cast<int64_t>(depths.entries_of_depth[depth]);
    if (entries == 0) continue;
    console.Print("{:>8} {:>12} {:>8}\n", depth, Grouped(entries),
                  PercentOf(entries, static_cast<int64_t>(total)));
  }
}

void PrintExtraKeys(Console& console, const Profile& profile, const ShowOptions& options) {
  std::string parts;
  const AgentSection section = AgentSection::Of(profile);
  for (const auto& [name, json] : section.parts()) {
    parts += fmt::format("{}{} ({})", parts.empty() ? "" : ", ", EscapeForTerminal(name),
                         Counted(json.size(), "byte", "bytes"));
  }
  std::string others;
  for (const ExtraKey& extra : profile.extras()) {
    if (AgentSection().Add(extra.key, extra.json)) continue;
    others += fmt::format("{}{} ({})", others.empty() ? "" : ", ", EscapeForTerminal(extra.key),
                          Counted(extra.json.size(), "byte", "bytes"));
  }
  if (parts.empty() && others.empty()) return;
  console.Write("\n");
  console.Heading("Extra keys of the file");
  if (!parts.empty()) console.Write(Paragraph("  iprofagent:   ", parts, options.layout));
  if (!others.empty()) console.Write(Paragraph("  unknown:      ", others, options.layout));
}

void PrintStats(Console& console, const Profile& profile, const ShowOptions& options) {
  console.Write("\n");
  console.Heading("Largest count of one entry");
  for (const Table table : options.tables) {
    const TableSummary summary = SummarizeTable(profile, table);
    if (summary.entries > 0)
      console.Print("  {:<12} {:>22}\n", ShortName(table), Grouped(summary.largest));
  }
  PrintDepths(console, profile, options);
  PrintExtraKeys(console, profile, options);
}

void PrintDetailedSummary(Console& console, const Profile& profile, Table table) {
  const TableSummary summary = SummarizeTable(profile, table);
  console.Write("\n");
  console.Heading(fmt::format("How few entries make most of the counts of {}", ShortName(table)));
  console.Print("Total number of contexts: {}\nTotal count: {}\n", summary.entries, summary.total);
  for (const CutoffRow& row : DetailedSummary(profile, table, kDetailedShares)) {
    console.Print(
        "{} contexts ({}) with count >= {} account for {}% of the total counts.\n", row.entries,
        PercentOf(static_cast<int64_t>(row.entries), static_cast<int64_t>(summary.entries)),
        row.min_count, fmt::format("{:.6g}", row.share * 100));
  }
}

}  // namespace

size_t Listed(const ShowOptions& options, size_t size) {
  return options.topn == 0 ? size : std::min(size, options.topn);
}

std::vector<EntryIndex> EntriesToList(const Profile& profile, Table table,
                                      const ShowOptions& options) {
  std::vector<EntryIndex> entries = HottestEntries(profile, table);
  std::erase_if(entries, [&](EntryIndex entry) {
    return profile.EntryTotal(table, entry) < static_cast<int64_t>(options.cutoff);
  });
  entries.resize(Listed(options, entries.size()));
  return entries;
}

namespace {

// Per mille of all objects at a site: those of classes that the entry does not list.
uint16_t RestOf(const Profile& profile, Table table, EntryIndex entry) {
  if (RecordKindOf(table) != RecordKind::kTypeCounts) return 0;
  const Frame frame = profile.InnermostFrame(profile.EntryContext(table, entry));
  return profile.notes().RestOf(frame.method, frame.bci);
}

// All objects at the site.
int64_t WithRest(int64_t listed, uint16_t rest) {
  constexpr int kWhole = PositionNotes::kWhole;
  if (rest == 0) return listed;
  const int known = std::max(1, kWhole - rest);
  return std::llround(static_cast<double>(listed) * kWhole / known);
}

}  // namespace

std::vector<std::string> DescribeOutcomes(const Profile& profile, Table table, EntryIndex entry,
                                          const CodeNames& names) {
  struct Outcome {
    std::string name;
    int64_t count;
  };
  std::vector<Outcome> outcomes;
  if (RecordKindOf(table) == RecordKind::kSuccessors) {
    const MethodIndex method = profile.InnermostFrame(profile.EntryContext(table, entry)).method;
    const auto successors = OneTripleEach(profile.EntrySuccessors(entry));
    for (const Successor& s : successors) {
      const bool has_bci = s.bci >= 0 && s.bci <= INT32_MAX;
      std::string place = has_bci ? names.PlaceIn({method, static_cast<Bci>(s.bci)}) : "elsewhere";
      // Several targets may be on one line.
      for (const Successor& other : successors) {
        if (has_bci && other.bci != s.bci && other.bci >= 0 && place.starts_with("line") &&
            names.PlaceIn({method, static_cast<Bci>(other.bci)}) == place) {
          place += fmt::format(" (bci {})", s.bci);
          break;
        }
      }
      outcomes.push_back({"to " + place, s.count});
    }
  } else {
    for (const TypeCount& t : profile.EntryTypeCounts(table, entry))
      outcomes.push_back({names.Type(t.type), t.count});
  }
  std::stable_sort(outcomes.begin(), outcomes.end(),
                   [](const Outcome& a, const Outcome& b) { return a.count > b.count; });
  const int64_t listed = profile.EntryTotal(table, entry);
  const uint16_t rest = RestOf(profile, table, entry);
  const int64_t total = WithRest(listed, rest);
  std::vector<std::string> texts;
  for (const Outcome& outcome : outcomes) {
    if (outcome.count == 0 && total > 0) break;
    const bool is_only = outcome.count == total && total > 0;
    texts.push_back((is_only ? "always" : PercentOf(outcome.count, total)) + " " + outcome.name);
  }
  if (rest > 0)
    texts.push_back(fmt::format("{:.1f} % other classes", 100.0 * rest / PositionNotes::kWhole));
  return texts;
}

std::string JoinOutcomes(const std::vector<std::string>& outcomes, const Layout& layout,
                         size_t indent) {
  std::string text;
  for (size_t o = 0; o < outcomes.size(); ++o) {
    const auto more = [&](size_t left) {
      return left == 0 ? std::string() : fmt::format(", … {} more", left);
    };
    const size_t left = outcomes.size() - o - 1;
    const std::string joined = text + (text.empty() ? "" : ", ") + outcomes[o];
    if (WidthOf(joined) + WidthOf(more(left)) <= layout.Left(indent)) {
      text = joined;
      continue;
    }
    if (o > 0) return text + more(left + 1);
    return CutTo(joined, layout.Room(indent + WidthOf(more(left)))) + more(left);
  }
  return text;
}

void ShowText(Console& console, const Profile& profile, const ShowOptions& options) {
  ShowHeader(console, profile, options);
  for (const Table table : options.tables) {
    if (options.detailed && profile.entry_count(table) > 0)
      PrintDetailedSummary(console, profile, table);
  }
  if (options.stats) PrintStats(console, profile, options);
  Overview(console, profile, options).Print();
}

}  // namespace iprof::cli
