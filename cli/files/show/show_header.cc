// The header of `iprof show`: where the profile comes from, and what is in it.
#include "cli/files/event_option.h"
#include "cli/files/profile_files.h"
#include "cli/files/show/show.h"
#include "cli/files/show/show_runs.h"
#include "cli/files/table_names.h"
#include "cli/terminal/terminal_text.h"
#include "cli/terminal/text_layout.h"
#include "writer/base/join_text.h"
#include "writer/base/utc_time.h"
#include "writer/ops/summary.h"
#include "writer/profile/image/image_note.h"
#include "writer/profile/image/sample_split.h"
#include "writer/profile/io/agent_section.h"
#include "writer/profile/io/estimate_note.h"
#include "writer/profile/io/event_part.h"
#include "writer/profile/io/harvest_note.h"
#include "writer/profile/io/run_note.h"
#include "writer/profile/io/snapshot_note.h"
#include "writer/profile/io/split_part.h"

namespace iprof::cli {
namespace {

class Header {
 public:
  Header(Console& console, const Profile& profile, const ShowOptions& options)
      : console_(console), profile_(profile), options_(options) {}

  void Print() {
    const AgentSection section = AgentSection::Of(profile_);
    Line("file:", NameOfInput(options_.file) + ", format " + profile_.version());
    PrintState(section);
    PrintProvenance(console_, section, options_.layout);
    PrintNotes(section);
    PrintMethods();
    PrintSureness();
    PrintHotSet();
    if (!options_.filter.empty())
      Line("only:", options_.filter.Describe() + "; shares are of the whole profile");
    PrintTotals();
  }

 private:
  void Line(std::string_view title, const std::string& text) {
    console_.Write(
        Paragraph(fmt::format("{:<16}", title), EscapeForTerminal(text), options_.layout));
  }

  void PrintState(const AgentSection& section) {
    if (section.form() == AgentSection::Form::kNewer)
      Line("iprofagent:",
           fmt::format("version {}, which this iprof cannot read", section.version()));
    if (section.form() == AgentSection::Form::kMalformed)
      Line("iprofagent:", "malformed (see 'iprof check')");
  }

  void PrintNotes(const AgentSection& section) {
    const auto json_of = [&](std::string_view part) { return section.Part(part); };
    if (const auto json = json_of(kHarvestPart)) {
      if (const auto note = HarvestNote::Parse(*json)) Line("harvest:", note->Describe());
    }
    if (const auto json = json_of(kSnapshotPart)) {
      // A merge may have both.
      if (const auto note = SnapshotNote::Parse(*json))
        Line("recovered from:", note->Describe(!RunList::Of(profile_).TellsExactness()));
    }
    if (const auto json = json_of(kEstimatesPart)) {
      const auto note = EstimateNote::Parse(*json);
      if (note && note->methods() > 0)
        Line("estimated:", note->Describe(profile_.Total(Table::kCalls)));
    }
    PrintEvents();
    PrintStacks();
    if (const auto note = ImageNote::Of(section)) {
      const int jdk = JdkOf(note->target);
      Line("meant for:",
           note->filtered
               ? fmt::format("an image build for JDK {}; what it cannot use is left out", jdk)
               : fmt::format("an image build for JDK {}; may have what it cannot use", jdk));
    }
  }

  void PrintEvents() {
    const EventTables events = EventsOf(profile_);
    const auto sum = [&](EventValue value) {
      return ShownValue(FactsOf(value).unit, SumOf(events, value));
    };
    if (const auto& figures = events.allocation_figures()) {
      int64_t samples = 0;
      for (const EventTables::Allocation& row : events.allocations())
        samples = SaturatingAdd(samples, row.samples);
      Line("allocated:",
           fmt::format("{} in {} objects, estimated from {}{}", sum(EventValue::kAllocBytes),
                       sum(EventValue::kAllocObjects), Counted(samples, "sample", "samples"),
                       DistancesOf(figures->intervals, EventUnit::kBytes, "one every ")));
      Line("alive:", figures->swept_ms == 0
                         ? std::string("not known: there was no collection")
                         : fmt::format("{} in {} objects, after the last collection before {}",
                                       sum(EventValue::kLiveBytes), sum(EventValue::kLiveObjects),
                                       UtcTextForPeople(figures->swept_ms)));
    }
    if (const auto& figures = events.wait_figures())
      Line("waited:",
           fmt::format("{} for locks, in {}{}", sum(EventValue::kLockTime),
                       Counted(SumOf(events, EventValue::kLockCount), "wait", "waits"),
                       DistancesOf(figures->thresholds, EventUnit::kNanoseconds, "of at least ")));
  }
  // " (one every 524.3 kB)"; of a merge with several, " (one every 524.3 kB or 1.0 MB)"; nothing if that is not known
  static std::string DistancesOf(const std::set<int64_t>& numbers, EventUnit unit,
                                 std::string_view before) {
    std::vector<std::string> texts;
    for (const int64_t number : numbers) texts.push_back(ShownValue(unit, number));
    return texts.empty() ? std::string() : fmt::format(" ({}{})", before, JoinText(texts, " or "));
  }

  // What the file has instead of whole stacks.
  void PrintStacks() {
    const SplitPart split = SplitPart::Of(profile_);
    const SplitPart::Share all{profile_.entry_count(Table::kSamples),
                               profile_.Total(Table::kSamples)};
    if (const SplitPart::Share share = split.With(2); share.stacks > 0) {
      Line("split:",
           SplitPart::Describe(share, all) + fmt::format(", at {}, are in pieces in the file",
                                                         Counted(split.sites, "call", "calls")));
    }
    if (const SplitPart::Share share = split.With(1); share.stacks > 0)
      Line("cut:", SplitPart::Describe(share, all) + ", are cut for the image build");
    if (const SplitPart::Share share = split.With(0); share.stacks > 0)
      Line("not for builds:",
           SplitPart::Describe(share, all) + ", are left out for the image build");
    if (!HasWholeStacks(profile_)) Line("stacks:", std::string(kCutStacks));
  }

  void PrintMethods() {
    Line("methods:", fmt::format("{} ran; {}, in {}", Grouped(CountMethodsThatRan(profile_)),
                                 Counted(profile_.method_count(), "is declared", "are declared"),
                                 Counted(profile_.type_count(), "type", "types")));
  }

  void PrintSureness() {
    const auto all = static_cast<double>(profile_.Total(Table::kCalls));
    std::string text;
    for (const SurenessRow& row : SummarizeSureness(profile_)) {
      text += fmt::format("{}{} {} ({:.1f} % of calls)", text.empty() ? "" : ", ",
                          Counted(row.methods, "method", "methods"), NameOf(row.kind),
                          100 * static_cast<double>(row.calls) / all);
    }
    if (!text.empty()) Line("how sure:", text);
  }

  void PrintHotSet() {
    const HotSet& hot = options_.hot;
    if (hot.all_methods == 0) return;
    std::string text =
        fmt::format("{} of {} have {:.1f} % of calls and branches", Grouped(hot.methods),
                    Counted(hot.all_methods, "method", "methods"), 100 * kHotShare);
    if (hot.all_code_bytes > 0) {
      text += fmt::format(" and {:.1f} % of the code ({} of {} bytes)", 100 * hot.CodeShare(),
                          Grouped(hot.code_bytes), Grouped(hot.all_code_bytes));
      if (hot.unknown_lengths > 0)
        text += fmt::format(", without {} of unknown length",
                            Counted(hot.unknown_lengths, "method", "methods"));
    }
    Line("hot set:", text + "; a build makes the others small");
  }

  void PrintTotals() {
    console_.Write("\n");
    console_.Heading(
        fmt::format("{:<12} {:>10} {:>10} {:>22}", "table", "entries", "methods", "total"));
    for (const Table table : options_.tables) {
      const TableSummary summary = SummarizeTable(profile_, table);
      console_.Print("{:<12} {:>10} {:>10} {:>22}\n", ShortName(table), Grouped(summary.entries),
                     Grouped(summary.methods), Grouped(summary.total));
    }
  }

  Console& console_;
  const Profile& profile_;
  const ShowOptions& options_;
};

}  // namespace

void ShowHeader(Console& console, const Profile& profile, const ShowOptions& options) {
  Header(console, profile, options).Print();
}

}  // namespace iprof::cli
