// `iprof show --method`: everything in a profile about a method, and what the consumer makes of it.
#include <algorithm>
#include <map>

#include "cli/files/show/show.h"
#include "cli/files/show/show_entry_json.h"
#include "cli/files/table_names.h"
#include "cli/terminal/json_text.h"
#include "cli/terminal/terminal_text.h"
#include "cli/terminal/text_layout.h"
#include "writer/ops/consumer_view.h"
#include "writer/ops/summary.h"
#include "writer/profile/branch_outcomes.h"

namespace iprof::cli {
namespace {

std::string Times(int64_t count) { return count == 1 ? "1 time" : Grouped(count) + " times"; }

// The entries of one position in a method, in every context.
struct Place {
  Bci bci;
  std::vector<EntryIndex> entries;
};

struct SampleFigures {
  int64_t self = 0;   // the method is innermost
  int64_t total = 0;  // the method is anywhere in the stack
};

// Maps methods to their entries. Built once, so that a pattern that matches all methods is
// not slow.
class MethodIndexer {
 public:
  MethodIndexer(const Profile& profile, const std::vector<Table>& tables) : tables_(tables) {
    for (const Table table : tables) {
      if (table == Table::kMonitors) continue;
      for (const EntryIndex entry : EntriesOf(profile, table)) {
        const Frame frame = profile.InnermostFrame(profile.EntryContext(table, entry));
        places_[{frame.method, table}][frame.bci].push_back(entry);
        if (table == Table::kSamples) AddSample(profile, entry, frame.method);
      }
    }
  }

  std::vector<Place> PlacesOf(MethodIndex method, Table table) const {
    std::vector<Place> places;
    const auto found = places_.find({method, table});
    if (found == places_.end()) return places;
    for (const auto& [bci, entries] : found->second) places.push_back({bci, entries});
    return places;
  }

  SampleFigures SamplesOf(MethodIndex method) const {
    const auto found = samples_.find(method);
    return found == samples_.end() ? SampleFigures{} : found->second;
  }

  bool Selected(Table table) const {
    return std::find(tables_.begin(), tables_.end(), table) != tables_.end();
  }

 private:
  void AddSample(const Profile& profile, EntryIndex entry, MethodIndex innermost) {
    const int64_t count = profile.EntryCount(Table::kSamples, entry);
    samples_[innermost].self = SaturatingAdd(samples_[innermost].self, count);
    std::vector<MethodIndex> methods;  // each once, also with recursion
    profile.ForEachFrame(profile.EntryContext(Table::kSamples, entry),
                         [&](Frame frame) { methods.push_back(frame.method); });
    std::sort(methods.begin(), methods.end());
    methods.erase(std::unique(methods.begin(), methods.end()), methods.end());
    for (const MethodIndex method : methods) {
      samples_[method].total = SaturatingAdd(samples_[method].total, count);
    }
  }

  const std::vector<Table>& tables_;
  std::map<std::pair<MethodIndex, Table>, std::map<Bci, std::vector<EntryIndex>>> places_;
  std::map<MethodIndex, SampleFigures> samples_;
};

std::vector<Frame> CallersOf(const Profile& profile, Table table, EntryIndex entry) {
  std::vector<Frame> frames = profile.Frames(profile.EntryContext(table, entry));
  frames.erase(frames.begin());
  return frames;
}

// --- Text.

std::string Percent(double share) { return fmt::format("{:.1f} %", 100 * share); }

class MethodText {
 public:
  MethodText(Console& console, const Profile& profile, const ShowOptions& options)
      : console_(console),
        profile_(profile),
        options_(options),
        names_(profile, options.whole_names),
        view_(profile),
        indexer_(profile, options.tables) {}

  void Print(MethodIndex method) {
    console_.Heading(
        CutTo(EscapeForTerminal(profile_.DescribeMethod(method)), options_.layout.Room(0)));
    Line(2, Facts(method));
    for (const Table table : options_.tables) {
      if (table == Table::kMonitors) continue;
      const std::vector<Place> places = indexer_.PlacesOf(method, table);
      if (table == Table::kCalls && !HasCallers(table, places)) continue;
      if (places.empty()) continue;
      Line(2, std::string(TitleOf(table)));
      for (const Place& place : places) PrintPlace(table, method, place);
    }
  }

 private:
  static std::string_view TitleOf(Table table) {
    switch (table) {
      case Table::kCalls:
        return "calls, by caller";
      case Table::kConditionals:
        return "branches";
      case Table::kVirtualInvokes:
        return "virtual calls";
      case Table::kSamples:
        return "samples";
      case Table::kInstanceOfs:
        return "type checks";
      case Table::kMonitors:
        break;
    }
    return {};
  }

  void Line(size_t indent, const std::string& text) {
    console_.Print("{:>{}}{}\n", "", indent, CutTo(text, options_.layout.Room(indent)));
  }

  // "line 20; called 9 times; in 2 samples, in 7 with what it calls"
  std::string Facts(MethodIndex method) const {
    std::string text;
    const auto add = [&](const std::string& fact) { text += (text.empty() ? "" : "; ") + fact; };
    if (const auto line = profile_.notes().LineOf(method, 0)) add(fmt::format("line {}", *line));
    if (indexer_.Selected(Table::kCalls)) {
      const CallView calls = view_.Calls(method);
      add(calls.match.found ? "called " + Times(calls.count) : std::string("no call is recorded"));
    }
    if (const Sureness sureness = profile_.SurenessOf(method); sureness.is_present())
      add("counts are " + sureness.Describe());
    if (const SampleFigures samples = indexer_.SamplesOf(method); samples.total != 0) {
      add(fmt::format("{} in it, {} in it or in what it calls",
                      Counted(samples.self, "sample", "samples"), Grouped(samples.total)));
    }
    return text;
  }

  bool HasCallers(Table table, const std::vector<Place>& places) const {
    for (const Place& place : places) {
      for (const EntryIndex entry : place.entries) {
        if (profile_.Caller(profile_.EntryContext(table, entry)) != kNoContext) return true;
      }
    }
    return false;
  }

  std::string PlaceText(Table table, Frame frame) const {
    std::string text = names_.PlaceIn(frame);
    if (text.starts_with("line")) text += fmt::format(" (bci {})", frame.bci);
    const std::string callee =
        table == Table::kVirtualInvokes ? names_.Callee(frame) : std::string();
    return callee.empty() ? text : text + ", a call of " + callee;
  }

  void PrintPlace(Table table, MethodIndex method, const Place& place) {
    int64_t total = 0;
    for (const EntryIndex entry : place.entries)
      total = SaturatingAdd(total, profile_.EntryTotal(table, entry));
    const Frame frame{method, place.bci};
    Line(4, table == Table::kSamples
                ? fmt::format("{}: {}", PlaceText(table, frame), Grouped(total))
                : fmt::format("{}: {}", PlaceText(table, frame), Times(total)));
    if (table == Table::kSamples) return;
    for (const EntryIndex entry : place.entries) PrintEntry(table, frame, entry);
    if (place.entries.size() > 1 && table != Table::kCalls)
      Line(6, "in all: " + Image(table, frame, {}));
  }

  void PrintEntry(Table table, Frame frame, EntryIndex entry) {
    const std::vector<Frame> callers = CallersOf(profile_, table, entry);
    size_t indent = 6;
    if (!callers.empty() || table == Table::kCalls) {
      std::string text = fmt::format("{} ", Grouped(profile_.EntryTotal(table, entry)));
      text += callers.empty() ? "from elsewhere" : "from";
      for (const Frame& caller : callers)
        text += (text.ends_with("from") ? " " : " < ") + names_.Position(caller);
      Line(indent, text);
      indent += 2;
    }
    if (RecordKindOf(table) == RecordKind::kCount) return;
    const std::vector<std::string> recorded = DescribeOutcomes(profile_, table, entry, names_);
    Line(indent,
         JoinOutcomes(recorded, options_.topn == 0 ? kWholeLines : options_.layout, indent));
    const std::string image = Image(table, frame, callers);
    if (image != Recorded(table, entry)) Line(indent, "an image build uses: " + image);
  }

  // What an image build uses at a place, and the same of what was recorded.
  std::string Image(Table table, Frame frame, std::span<const Frame> callers) const {
    std::vector<std::pair<double, std::string>> shares;
    if (table == Table::kConditionals) {
      const BranchView branch = view_.Branch(frame.method, frame.bci, callers);
      if (!branch.match.found) return "nothing of it";
      for (const BranchView::Outcome& outcome : branch.outcomes)
        shares.emplace_back(outcome.probability, Target(frame.method, outcome.bci));
    } else {
      const ReceiverView receivers = view_.Receivers(table, frame.method, frame.bci, callers);
      if (!receivers.match.found) return "nothing of it";
      for (const ReceiverView::Receiver& receiver : receivers.receivers)
        shares.emplace_back(receiver.probability, names_.Type(receiver.type));
    }
    return Joined(std::move(shares));
  }

  std::string Recorded(Table table, EntryIndex entry) const {
    std::vector<std::pair<double, std::string>> shares;
    const auto total = static_cast<double>(profile_.EntryTotal(table, entry));
    const auto share = [&](int64_t count) {
      return total == 0 ? 0 : static_cast<double>(count) / total;
    };
    if (table == Table::kConditionals) {
      const MethodIndex method =
          profile_.InnermostFrame(profile_.EntryContext(table, entry)).method;
      for (const Successor& s : OneTripleEach(profile_.EntrySuccessors(entry)))
        shares.emplace_back(share(s.count), Target(method, s.bci));
    } else {
      for (const TypeCount& t : profile_.EntryTypeCounts(table, entry))
        shares.emplace_back(share(t.count), names_.Type(t.type));
    }
    return Joined(std::move(shares));
  }

  std::string Target(MethodIndex method, int64_t bci) const {
    if (bci < 0 || bci > INT32_MAX) return "elsewhere";
    return fmt::format("{} (bci {})", names_.PlaceIn({method, static_cast<Bci>(bci)}), bci);
  }

  static std::string Joined(std::vector<std::pair<double, std::string>> shares) {
    std::sort(shares.begin(), shares.end(), [](const auto& a, const auto& b) {
      return a.first != b.first ? a.first > b.first : a.second < b.second;
    });
    std::string text;
    for (const auto& [share, name] : shares)
      text += (text.empty() ? "" : ", ") + Percent(share) + " " + name;
    return text;
  }

  Console& console_;
  const Profile& profile_;
  const ShowOptions& options_;
  const CodeNames names_;
  const ConsumerView view_;
  const MethodIndexer indexer_;
};

// --- JSON.

void PrintView(JsonText& json, const Profile& profile, const ConsumerView& view, Table table,
               MethodIndex method, Bci bci, std::span<const Frame> callers) {
  json.StartObject();
  const auto print_match = [&](const Match& match) {
    json.Field("found", match.found);
    json.Field("exact", match.exact);
    json.Field("callers_matched", match.callers_matched);
    json.Field("entries", match.entries);
  };
  if (table == Table::kCalls) {
    const CallView calls = view.Calls(method, callers);
    print_match(calls.match);
    json.Field("count", calls.count);
  } else if (table == Table::kConditionals) {
    const BranchView branch = view.Branch(method, bci, callers);
    print_match(branch.match);
    json.Objects("successors", branch.outcomes, [&](const BranchView::Outcome& outcome) {
      json.Field("bci", outcome.bci);
      json.ShareField("probability", outcome.probability);
      json.Field("count", outcome.count);
    });
  } else {
    const ReceiverView receivers = view.Receivers(table, method, bci, callers);
    print_match(receivers.match);
    json.Objects("receivers", receivers.receivers, [&](const ReceiverView::Receiver& receiver) {
      json.Field("type", profile.TypeName(receiver.type));
      json.ShareField("probability", receiver.probability);
      json.Field("count", receiver.count);
    });
  }
  json.EndObject();
}

void PrintPlace(JsonText& json, const Profile& profile, const ConsumerView& view, Table table,
                MethodIndex method, const Place& place) {
  json.StartObject();
  json.Field("bci", static_cast<int64_t>(place.bci));
  json.Objects("entries", place.entries, [&](const EntryIndex entry) {
    json.Key("record");
    PrintEntry(json, profile, table, entry);
    if (table != Table::kSamples) {
      json.Key("consumer");
      PrintView(json, profile, view, table, method, place.bci, CallersOf(profile, table, entry));
    }
  });
  if (table != Table::kSamples) {
    json.Key("consumer");
    PrintView(json, profile, view, table, method, place.bci, {});
  }
  json.EndObject();
}

}  // namespace

bool ShowMethodsText(Console& console, const Profile& profile, const ShowOptions& options) {
  const std::vector<MethodIndex> methods = FindMethods(profile, options.method);
  MethodText text(console, profile, options);
  bool first = true;
  for (const MethodIndex method : methods) {
    if (console.broken_pipe()) break;
    if (!first) console.Write("\n");
    first = false;
    text.Print(method);
  }
  return !methods.empty();
}

bool ShowMethodsJson(Console& console, const Profile& profile, const ShowOptions& options) {
  const std::vector<MethodIndex> methods = FindMethods(profile, options.method);
  const ConsumerView view(profile);
  const MethodIndexer indexer(profile, options.tables);
  JsonText json(console);
  json.StartObject();
  json.Field("file", options.file);
  json.Key("methods");
  json.StartArray();
  for (const MethodIndex method : methods) {
    json.StartObject();
    json.Field("method", profile.DescribeMethod(method));
    json.Field("id", profile.MethodFileId(method));
    const CallView calls = view.Calls(method);
    json.Field("called", calls.match.found);
    json.Field("calls", calls.count);
    if (const Sureness sureness = profile.SurenessOf(method); sureness.is_present())
      json.Field("sureness", sureness.Describe());
    const SampleFigures samples = indexer.SamplesOf(method);
    json.Field("samples_self", samples.self);
    json.Field("samples_total", samples.total);
    json.Key("tables");
    json.StartObject();
    for (const Table table : options.tables) {
      if (table == Table::kMonitors) continue;
      json.Key(TableKey(table));
      json.StartArray();
      for (const Place& place : indexer.PlacesOf(method, table)) {
        PrintPlace(json, profile, view, table, method, place);
      }
      json.EndArray();
    }
    json.EndObject();
    json.EndObject();
  }
  json.EndArray();
  json.EndObject();
  return !methods.empty();
}

}  // namespace iprof::cli
