// `iprof show --method`: everything in a profile about a method, and what the consumer makes of it.
#include <algorithm>
#include <map>

#include "cli/json_text.h"
#include "cli/show.h"
#include "cli/show_entry_json.h"
#include "cli/table_names.h"
#include "cli/terminal_text.h"
#include "writer/ops/consumer_view.h"
#include "writer/ops/summary.h"

namespace iprof::cli {
namespace {

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

std::string BranchText(const BranchView& view) {
  if (!view.match.found) return "ignored";
  std::string out;
  for (const BranchView::Outcome& outcome : view.outcomes) {
    out += fmt::format("{}-> {}: {:.4f}%", out.empty() ? "" : ", ", outcome.bci,
                       outcome.probability * 100);
  }
  return out;
}

std::string ReceiverText(const Profile& profile, const ReceiverView& view) {
  if (!view.match.found) return "ignored";
  std::string out;
  for (const ReceiverView::Receiver& receiver : view.receivers) {
    out +=
        fmt::format("{}{}: {:.4f}%", out.empty() ? "" : ", ",
                    EscapeForTerminal(profile.TypeName(receiver.type)), receiver.probability * 100);
  }
  return out;
}

std::string ViewText(const Profile& profile, const ConsumerView& view, Table table,
                     MethodIndex method, Bci bci, std::span<const Frame> callers) {
  if (table == Table::kConditionals) return BranchText(view.Branch(method, bci, callers));
  if (table == Table::kCalls) return fmt::format("{} calls", view.Calls(method, callers).count);
  return ReceiverText(profile, view.Receivers(table, method, bci, callers));
}

void PrintPlace(Console& console, const Profile& profile, const ConsumerView& view, Table table,
                MethodIndex method, const Place& place) {
  console.Print("  {} at bci {}\n", ShortName(table), place.bci);
  for (const EntryIndex entry : place.entries) {
    const std::string callers = DescribeCallers(profile, profile.EntryContext(table, entry));
    console.Print("    count {}{}\n", profile.EntryTotal(table, entry),
                  callers.empty() ? "" : "  under " + EscapeForTerminal(callers));
    if (RecordKindOf(table) != RecordKind::kCount) {
      console.Print("      recorded: {}\n", DescribeOutcomes(profile, table, entry, SIZE_MAX));
    }
    if (place.entries.size() > 1 && table != Table::kSamples) {
      console.Print("      consumer there: {}\n", ViewText(profile, view, table, method, place.bci,
                                                           CallersOf(profile, table, entry)));
    }
  }
  if (table != Table::kSamples) {
    console.Print("    consumer: {}\n", ViewText(profile, view, table, method, place.bci, {}));
  }
}

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
    json.Key("successors");
    json.StartArray();
    for (const BranchView::Outcome& outcome : branch.outcomes) {
      json.StartObject();
      json.Field("bci", outcome.bci);
      json.ShareField("probability", outcome.probability);
      json.Field("count", outcome.count);
      json.EndObject();
    }
    json.EndArray();
  } else {
    const ReceiverView receivers = view.Receivers(table, method, bci, callers);
    print_match(receivers.match);
    json.Key("receivers");
    json.StartArray();
    for (const ReceiverView::Receiver& receiver : receivers.receivers) {
      json.StartObject();
      json.Field("type", profile.TypeName(receiver.type));
      json.ShareField("probability", receiver.probability);
      json.Field("count", receiver.count);
      json.EndObject();
    }
    json.EndArray();
  }
  json.EndObject();
}

void PrintPlace(JsonText& json, const Profile& profile, const ConsumerView& view, Table table,
                MethodIndex method, const Place& place) {
  json.StartObject();
  json.Field("bci", static_cast<int64_t>(place.bci));
  json.Key("entries");
  json.StartArray();
  for (const EntryIndex entry : place.entries) {
    json.StartObject();
    json.Key("record");
    PrintEntry(json, profile, table, entry);
    if (table != Table::kSamples) {
      json.Key("consumer");
      PrintView(json, profile, view, table, method, place.bci, CallersOf(profile, table, entry));
    }
    json.EndObject();
  }
  json.EndArray();
  if (table != Table::kSamples) {
    json.Key("consumer");
    PrintView(json, profile, view, table, method, place.bci, {});
  }
  json.EndObject();
}

}  // namespace

bool ShowMethodsText(Console& console, const Profile& profile, const ShowOptions& options) {
  const std::vector<MethodIndex> methods = FindMethods(profile, options.method);
  const ConsumerView view(profile);
  const MethodIndexer indexer(profile, options.tables);
  bool first = true;
  for (const MethodIndex method : methods) {
    if (console.broken_pipe()) break;
    if (!first) console.Write("\n");
    first = false;
    console.Heading(EscapeForTerminal(profile.DescribeMethod(method)));
    console.Print("  id {}\n", profile.MethodFileId(method));
    if (indexer.Selected(Table::kCalls)) {
      const CallView calls = view.Calls(method);
      if (calls.match.found) {
        console.Print("  consumer: called {} times\n", calls.count);
      } else {
        console.Write("  consumer: no call count\n");
      }
    }
    for (const Table table : options.tables) {
      for (const Place& place : indexer.PlacesOf(method, table)) {
        PrintPlace(console, profile, view, table, method, place);
      }
    }
    if (const SampleFigures samples = indexer.SamplesOf(method); samples.total != 0) {
      console.Print("  samples: {} in it, {} in it or below it\n", samples.self, samples.total);
    }
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
