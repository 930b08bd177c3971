#include "cli/files/edges/divided_calls.h"

#include <fmt/core.h>

#include <algorithm>
#include <cmath>
#include <span>
#include <utility>

#include "cli/files/edges/profile_records.h"
#include "cli/terminal/terminal_text.h"
#include "writer/base/grouped.h"
#include "writer/profile/entry_copier.h"
#include "writer/profile/io/code_part.h"
#include "writer/profile/io/context_form.h"
#include "writer/profile/io/harvest_note.h"
#include "writer/profile/io/position_part.h"
#include "writer/profile/io/run_note.h"
#include "writer/records/assembly_report.h"
#include "writer/records/calls_by_caller.h"

namespace iprof::cli {
namespace {

// All but the calls, with the same indices.
void CopyWithoutCalls(const Profile& from, Profile& to) {
  EntryCopier copier(from, to, EntryCopier::Ids::kKeep);
  copier.DeclareAll();
  for (const Table table : kAllTables) {
    if (table == Table::kCalls) continue;
    for (const EntryIndex entry : EntriesOf(from, table)) copier.CopyEntry(table, entry);
  }
  for (const ExtraKey& extra : from.extras()) to.SetExtra(extra.key, extra.json);
  to.set_version(from.version());
}

// Which methods of a profile were counted, and are not estimated.
class CountedMethods {
 public:
  explicit CountedMethods(const Profile& profile)
      : profile_(profile), unmarked_(SurenessWithoutMark(profile)) {}

  bool Has(MethodIndex method) const {
    const Sureness sureness = profile_.SurenessOf(method);
    return (sureness.is_present() ? sureness : unmarked_).kind() <= Sureness::Kind::kBounded;
  }

 private:
  const Profile& profile_;
  const Sureness unmarked_;
};

int64_t CallsOfEstimatedCallers(const Profile& profile) {
  const CountedMethods counted(profile);
  int64_t calls = 0;
  for (const EntryIndex entry : EntriesOf(profile, Table::kCalls)) {
    const ContextIndex caller = profile.Caller(profile.EntryContext(Table::kCalls, entry));
    if (caller != kNoContext && !counted.Has(profile.InnermostFrame(caller).method))
      calls = SaturatingAdd(calls, profile.EntryCount(Table::kCalls, entry));
  }
  return calls;
}

}  // namespace

DividedCalls DivideCalls(const Profile& profile, const classpath::ClassPath& classes,
                         Callers callers) {
  const Profile pooled = WithoutCallers(profile);
  const ProfileRecords records(pooled, classes);
  CallsByCaller edges(records, records.types());
  CountedValues values(records.counters());
  const CountedMethods counted(pooled);
  MethodRecord record;
  for (size_t number = 0; number < records.size(); ++number) {
    ClassRecord scratch;
    const ClassRecord& c = records.Get(number, scratch);
    for (const CountedMethod& method : c.methods) {
      const MethodIndex index = records.MethodOf(method);
      if (method.counters == 0 || index == kNoMethod) continue;
      edges.NoteVersion(method, index, true);
      if (callers == Callers::kExact && !counted.Has(index)) continue;
      records.GetRecord(c, method, &record);
      values.Load(record, static_cast<size_t>(method.first));
      edges.AddCalls(c, method, record, values);
    }
  }
  for (const EntryIndex entry : EntriesOf(pooled, Table::kCalls)) {
    edges.NoteCalls(pooled.InnermostFrame(pooled.EntryContext(Table::kCalls, entry)).method,
                    static_cast<uint64_t>(pooled.EntryCount(Table::kCalls, entry)));
  }
  DividedCalls made;
  CopyWithoutCalls(pooled, made.profile);
  made.facts.figures = edges.Write(made.profile);
  // Those without calls may not have been counted, as with include=.
  std::erase_if(made.facts.figures.excess, [](const ExcessCalls& e) { return e.calls == 0; });
  NoteCodeHashes(made.profile);
  WritePositionNotes(made.profile);
  for (const ExcessCalls& each : made.facts.figures.excess)
    made.facts.excess.push_back(made.profile.DescribeMethod(each.method));
  made.facts.estimated = CallsOfEstimatedCallers(made.profile);
  made.facts.classes_without_file = records.classes_without_file();
  made.facts.methods_with_other_code = records.methods_with_other_code();
  return made;
}

void EdgeFacts::Print(Console& console, const std::string& prefix, size_t most_named) const {
  const auto print = [&](const std::string& line) {
    console.Print("{}{}\n", prefix, EscapeForTerminal(line));
  };
  std::string line = DescribeEdges(figures);
  if (!line.empty()) line.pop_back();  // the line feed
  if (!line.empty()) print(line);
  const size_t named =
      most_named == 0 ? excess.size() : std::min<size_t>(most_named, excess.size());
  for (size_t i = 0; i < named; ++i) {
    const ExcessCalls& each = figures.excess[i];
    print(fmt::format("  {}: {} counted, {} at {}", excess[i], Counted(each.calls, "call", "calls"),
                      Grouped(std::llround(each.at_sites)),
                      Counted(each.sites, "call site", "call sites")));
  }
  if (named < excess.size())
    print(fmt::format("  {} not named", Counted(excess.size() - named, "more is", "more are")));
  if (estimated > 0)
    print(fmt::format("{} by callers whose own counts are estimated",
                      Counted(estimated, "call is", "calls are")));
  if (classes_without_file > 0)
    print(fmt::format("{} no class file, so the calls in them are not known",
                      Counted(classes_without_file, "class has", "classes have")));
  if (methods_with_other_code > 0)
    print(fmt::format("{} other code in the class files, so the calls in them are not known",
                      Counted(methods_with_other_code, "method has", "methods have")));
}

void EdgeFacts::Print(JsonText& json, size_t most_named) const {
  json.Key("edges");
  json.StartObject();
  json.Field("entries", figures.written);
  json.Field("calls", figures.calls);
  json.Field("calls_with_caller", figures.explained);
  json.Field("calls_agreeing", figures.agree);
  json.Field("calls_estimated", estimated);
  json.Field("classes_without_file", classes_without_file);
  json.Field("methods_with_other_code", methods_with_other_code);
  json.Field("methods_with_excess", excess.size());
  const size_t named =
      most_named == 0 ? excess.size() : std::min<size_t>(most_named, excess.size());
  const std::span<const ExcessCalls> shown = std::span(figures.excess).first(named);
  size_t next = 0;
  json.Objects("excess", shown, [&](const ExcessCalls& each) {
    json.Field("method", excess[next++]);
    json.Field("calls", each.calls);
    json.Field("calls_at_sites", static_cast<int64_t>(each.at_sites));
    json.Field("sites", each.sites);
  });
  json.EndObject();
}

EdgeFacts CheckEdges(const Profile& profile, const classpath::ClassPath& classes) {
  double most_off = 0;  // at a call site
  for (const RunNote& run : RunList::Of(profile).Runs()) {
    if (run.exactness) most_off += static_cast<double>(run.exactness->largest_k);
  }
  DividedCalls divided = DivideCalls(profile, classes, Callers::kExact);
  const CountedMethods counted(divided.profile);
  EdgeFacts facts = std::move(divided.facts);
  const std::vector<ExcessCalls> all = std::exchange(facts.figures.excess, {});
  facts.excess.clear();
  for (const ExcessCalls& each : all) {
    if (!counted.Has(each.method)) continue;
    const double excess = each.at_sites - static_cast<double>(each.calls);
    if (excess <= most_off * static_cast<double>(each.sites)) continue;
    facts.figures.excess.push_back(each);
    facts.excess.push_back(divided.profile.DescribeMethod(each.method));
  }
  return facts;
}

bool IsExact(const Profile& profile) { return !HarvestNote::Of(profile); }

}  // namespace iprof::cli
