// The overview of `iprof show` as JSON.
#include "cli/files/show/show.h"
#include "cli/files/show/show_entry_json.h"
#include "cli/files/show/show_runs.h"
#include "cli/files/table_names.h"
#include "cli/terminal/json_text.h"
#include "writer/ops/summary.h"
#include "writer/profile/io/agent_section.h"
#include "writer/profile/io/event_part.h"
#include "writer/profile/io/split_part.h"

namespace iprof::cli {
namespace {

void PrintDepths(JsonText& json, const Profile& profile, const ShowOptions& options) {
  const DepthSummary depths = SummarizeDepths(profile, options.tables);
  json.Key("context_depth");
  json.StartObject();
  json.Field("median", depths.median);
  json.Field("percentile_99", depths.percentile_99);
  json.Field("deepest", depths.deepest);
  json.Key("contexts_of_depth");
  json.StartObject();
  for (size_t depth = 1; depth <= depths.deepest; ++depth) {
    if (depths.entries_of_depth[depth] == 0) continue;
    json.Field(std::to_string(depth), depths.entries_of_depth[depth]);
  }
  json.EndObject();
  json.EndObject();
}

void PrintSureness(JsonText& json, const Profile& profile) {
  const std::vector<SurenessRow> rows = SummarizeSureness(profile);
  if (rows.empty()) return;
  json.Objects("sureness", rows, [&](const SurenessRow& row) {
    json.Field("sureness", NameOf(row.kind));
    json.Field("methods", row.methods);
    json.Field("calls", row.calls);
  });
}

void PrintHotSet(JsonText& json, const HotSet& hot) {
  json.Key("hot_set");
  json.StartObject();
  json.ShareField("share", kHotShare);
  json.Field("methods", hot.methods);
  json.Field("all_methods", hot.all_methods);
  json.Field("code_bytes", hot.code_bytes);
  json.Field("all_code_bytes", hot.all_code_bytes);
  json.Field("methods_of_unknown_length", hot.unknown_lengths);
  json.EndObject();
}

void PrintDetailedSummary(JsonText& json, const Profile& profile, Table table) {
  json.Objects("detailed_summary", DetailedSummary(profile, table, kDetailedShares),
               [&](const CutoffRow& row) {
                 json.ShareField("share", row.share);
                 json.Field("contexts", row.entries);
                 json.Field("min_count", row.min_count);
               });
}

// Of samples, only methods that the filter wants: whole stacks are kept.
void PrintHottestMethods(JsonText& json, const Profile& profile, Table table,
                         const ShowOptions& options) {
  json.Key("hottest_methods");
  json.StartArray();
  size_t printed = 0;
  for (const HotMethod& method : HottestMethods(profile, table)) {
    if (options.topn != 0 && printed == options.topn) break;
    if (method.count < static_cast<int64_t>(options.cutoff)) break;
    if (!options.filter.Wants(profile, method.method)) continue;
    json.StartObject();
    json.Field("method", profile.DescribeMethod(method.method));
    if (const auto line = profile.notes().LineOf(method.method, 0))
      json.Field("line", static_cast<int64_t>(*line));
    json.Field("count", method.count);
    json.Field("contexts", method.entries);
    json.EndObject();
    ++printed;
  }
  json.EndArray();
}

// The version is null if the section is malformed, or if the parts come from older keys.
void PrintAgentSection(JsonText& json, const AgentSection& section) {
  const bool has_version = section.form() == AgentSection::Form::kReadable ||
                           section.form() == AgentSection::Form::kNewer;
  if (section.form() == AgentSection::Form::kNone && section.parts().empty()) return;
  json.Key("iprofagent");
  json.StartObject();
  json.Key("version");
  has_version ? json.Int(section.version()) : json.Null();
  json.Key("parts");
  json.StartArray();
  for (const auto& [name, text] : section.parts()) json.String(name);
  json.EndArray();
  PrintProvenance(json, section);
  json.EndObject();
}

void PrintShare(JsonText& json, std::string_view name, SplitPart::Share share) {
  if (share.stacks == 0) return;
  json.Key(name);
  json.StartObject();
  json.Field("stacks", share.stacks);
  json.Field("weight", share.weight);
  json.EndObject();
}

void PrintSplit(JsonText& json, const SplitPart& split) {
  if (const SplitPart::Share share = split.With(2); share.stacks > 0) {
    json.Key("split");
    json.StartObject();
    json.Field("sites", split.sites);
    json.Field("stacks", share.stacks);
    json.Field("weight", share.weight);
    json.EndObject();
  }
  PrintShare(json, "cut", split.With(1));
  PrintShare(json, "left_out", split.With(0));
}

void PrintEvents(JsonText& json, const EventTables& events) {
  if (events.empty()) return;
  json.Key("events");
  json.StartObject();
  for (const EventValueFacts& facts : EventValues()) {
    if (HasValue(events, facts.value)) json.Field(facts.name, SumOf(events, facts.value));
  }
  json.EndObject();
}

}  // namespace

void ShowJson(Console& console, const Profile& profile, const ShowOptions& options) {
  JsonText json(console);
  json.StartObject();
  json.Field("file", options.file);
  json.Field("version", profile.version());
  json.Field("types", profile.type_count());
  json.Field("methods", profile.method_count());
  json.Field("methods_that_ran", CountMethodsThatRan(profile));
  PrintEvents(json, EventsOf(profile));
  PrintSureness(json, profile);
  PrintHotSet(json, options.hot);
  json.Key("unknown_keys");
  json.StartArray();
  for (const ExtraKey& extra : profile.extras()) {
    if (!AgentSection().Add(extra.key, extra.json)) json.String(extra.key);
  }
  json.EndArray();
  PrintAgentSection(json, AgentSection::Of(profile));
  PrintSplit(json, SplitPart::Of(profile));
  PrintDepths(json, profile, options);
  json.Key("tables");
  json.StartArray();
  for (const Table table : options.tables) {
    const TableSummary summary = SummarizeTable(profile, table);
    json.StartObject();
    json.Field("table", TableKey(table));
    json.Field("contexts", summary.entries);
    json.Field("methods", summary.methods);
    json.Field("total", summary.total);
    json.Field("largest", summary.largest);
    if (options.detailed) PrintDetailedSummary(json, profile, table);
    if (table != Table::kMonitors) PrintHottestMethods(json, profile, table, options);
    json.Key("hottest");
    json.StartArray();
    for (const EntryIndex entry : EntriesToList(profile, table, options)) {
      PrintEntry(json, profile, table, entry);
    }
    json.EndArray();
    json.EndObject();
  }
  json.EndArray();
  json.EndObject();
}

void PrintContext(JsonText& json, const Profile& profile, ContextIndex context) {
  json.StartArray();
  profile.ForEachFrame(context, [&](Frame frame) {
    if (frame.method == kNoMethod) return;
    json.StartObject();
    json.Field("method", profile.DescribeMethod(frame.method));
    json.Field("bci", static_cast<int64_t>(frame.bci));
    if (const auto line = profile.notes().LineOf(frame.method, frame.bci))
      json.Field("line", static_cast<int64_t>(*line));
    json.EndObject();
  });
  json.EndArray();
}

void PrintEntry(JsonText& json, const Profile& profile, Table table, EntryIndex entry) {
  json.StartObject();
  json.Key("context");
  PrintContext(json, profile, profile.EntryContext(table, entry));
  json.Field("count", profile.EntryTotal(table, entry));
  if (table == Table::kVirtualInvokes) {
    const Frame frame = profile.InnermostFrame(profile.EntryContext(table, entry));
    const std::string_view callee = profile.notes().CalleeOf(frame.method, frame.bci);
    if (!callee.empty()) json.Field("callee", callee);
  }
  if (table == Table::kVirtualInvokes || table == Table::kInstanceOfs) {
    const Frame frame = profile.InnermostFrame(profile.EntryContext(table, entry));
    const uint16_t rest = profile.notes().RestOf(frame.method, frame.bci);
    if (rest != 0) json.Field("rest_permille", static_cast<int64_t>(rest));
  }
  if (RecordKindOf(table) == RecordKind::kSuccessors) {
    json.Objects("successors", profile.EntrySuccessors(entry), [&](const Successor& s) {
      json.Field("bci", s.bci);
      json.Field("index", s.index);
      json.Field("count", s.count);
    });
  } else if (RecordKindOf(table) == RecordKind::kTypeCounts) {
    json.Objects("types", profile.EntryTypeCounts(table, entry), [&](const TypeCount& t) {
      json.Field("type", profile.TypeName(t.type));
      json.Field("count", t.count);
    });
  }
  json.EndObject();
}

}  // namespace iprof::cli
