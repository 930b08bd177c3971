#include "cli/views/report/profile_facts.h"

#include <algorithm>
#include <map>
#include <optional>
#include <string_view>

#include "writer/base/utc_time.h"
#include "writer/names/type_names.h"
#include "writer/ops/hot_set.h"
#include "writer/ops/summary.h"
#include "writer/profile/image/image_note.h"
#include "writer/profile/image/sample_split.h"
#include "writer/profile/io/agent_section.h"
#include "writer/profile/io/estimate_note.h"
#include "writer/profile/io/harvest_note.h"
#include "writer/profile/io/run_note.h"
#include "writer/profile/io/sampling_sum.h"
#include "writer/profile/io/snapshot_note.h"

namespace iprof {
namespace {

std::vector<MethodUse> UsesOf(const Profile& profile) {
  std::vector<MethodUse> uses;
  std::vector<std::string_view> parameters;
  uses.reserve(profile.method_count());
  for (const MethodIndex method : MethodsOf(profile)) {
    const auto signature = profile.Signature(method);
    parameters.clear();
    for (const TypeIndex type : signature.subspan(std::min<size_t>(2, signature.size())))
      parameters.push_back(profile.TypeName(type));
    uses.emplace_back(profile.TypeName(signature[0]), profile.MethodName(method), parameters);
  }
  return uses;
}

void WriteRun(const RunNote& run, bool has_estimates, JsonBuilder& json) {
  json.Open('{')
      .FieldIfAny("agent", run.agent)
      .FieldIfAny("options", run.options)
      .FieldIfAny("jvm_vendor", run.jvm_vendor)
      .FieldIfAny("jvm_version", run.jvm_version)
      .FieldIfAny("jvm_build", run.jvm_build)
      .FieldIfAny("architecture", run.architecture)
      .FieldIfAny("program", run.program)
      .FieldIfAny("source", run.source)
      .FieldIfAny("tables", run.tables)
      .FieldIfAny("begin", run.begin);
  if (run.start_ms > 0) json.Field("start", UtcText(run.start_ms));
  if (run.end_ms > 0) json.Field("end", UtcText(run.end_ms));
  if (run.recorded_ms > 0) json.Field("recorded_ms", run.recorded_ms);
  if (run.exactness) {
    json.FieldIfAny("counts", run.exactness->Describe(has_estimates));
  }
  json.Key("losses").Open('[');
  for (const auto& [became, what] : DescribeLosses(run.losses))
    json.Open('[').String(became).String(what).Close(']');
  json.Close(']').Close('}');
}

// The sentence of a part's note, if the profile has it.
template <typename Note, typename... More>
std::string DescribePart(const AgentSection& section, std::string_view part, More... more) {
  const auto json = section.Part(part);
  const std::optional<Note> note = json ? Note::Parse(*json) : std::nullopt;
  return note ? note->Describe(more...) : std::string();
}

void WriteNotes(const Profile& profile, const AgentSection& section, bool snapshot_tells_counts,
                JsonBuilder& json) {
  json.Key("notes").Open('[');
  const auto note = [&](std::string_view title, const std::string& text) {
    if (!text.empty()) json.Open('[').String(title).String(text).Close(']');
  };
  note("Harvested", DescribePart<HarvestNote>(section, kHarvestPart));
  note("Recovered", DescribePart<SnapshotNote>(section, kSnapshotPart, snapshot_tells_counts));
  if (!HasWholeStacks(profile)) note("Stacks", std::string(kCutStacks));
  note("Estimated",
       DescribePart<EstimateNote>(section, kEstimatesPart, profile.Total(Table::kCalls)));
  json.Close(']');
}

void WriteSampling(const AgentSection& section, JsonBuilder& json) {
  const auto text = section.Part(kSamplingPart);
  const auto sampling = text ? SamplingSum::Parse(*text) : std::nullopt;
  if (!sampling) return;
  const auto [event, interval_ns] = sampling->Kind();
  const auto adapted = sampling->Adapted();
  json.Key("sampling").Open('{');
  json.Field("event", event)
      .Field("interval_ns", interval_ns)
      .Field("first_interval_ns", adapted ? adapted->first : interval_ns)
      .Field("last_interval_ns", adapted ? adapted->second : interval_ns)
      .Field("signals", sampling->Number("signals"))
      .Field("failed", sampling->Number("failed"))
      .Close('}');
}

void WriteHotSet(const HotSet& hot, JsonBuilder& json) {
  json.Key("hot").Open('{');
  json.Field("methods", static_cast<int64_t>(hot.methods))
      .Field("all_methods", static_cast<int64_t>(hot.all_methods))
      .Field("code_bytes", static_cast<int64_t>(hot.code_bytes))
      .Field("all_code_bytes", static_cast<int64_t>(hot.all_code_bytes))
      .Field("unknown_lengths", static_cast<int64_t>(hot.unknown_lengths))
      .Close('}');
}

void WritePart(const ImageShare::Part& part, JsonBuilder& json) {
  json.Int(part.weight).Int(part.usable_weight);
}

void WritePackages(const std::vector<PackageFitness>& packages, JsonBuilder& json) {
  json.Key("packages").Open('[');
  for (size_t p = 0; p < std::min(packages.size(), kMostPackages); ++p) {
    const PackageFitness& package = packages[p];
    json.Open('[').String(package.package).Share(package.weight);
    for (const Table table :
         {Table::kCalls, Table::kConditionals, Table::kVirtualInvokes, Table::kSamples})
      WritePart(package.share.Of(table), json);
    json.Close(']');
  }
  json.Close(']').Field("all_packages", static_cast<int64_t>(packages.size()));
}

}  // namespace

void WriteProfileFacts(const std::string& file, const Profile& profile, JsonBuilder& json) {
  const AgentSection section = AgentSection::Of(profile);
  json.Open('{')
      .Field("file", file)
      .Field("format", profile.version())
      .Field("types", static_cast<int64_t>(profile.type_count()))
      .Field("methods", static_cast<int64_t>(profile.method_count()))
      .Field("methods_that_ran", static_cast<int64_t>(CountMethodsThatRan(profile)));
  WriteHotSet(HotSetOf(profile), json);
  RunList runs;
  if (const auto text = section.Part(kProvenancePart)) runs.AddJson(*text);
  json.Key("runs").Open('[');
  const bool has_estimates = section.Part(kEstimatesPart).has_value();
  for (const RunNote& run : runs.Runs()) WriteRun(run, has_estimates, json);
  json.Close(']').Field("older_runs", static_cast<int64_t>(runs.older()));
  WriteNotes(profile, section, !runs.TellsExactness(), json);
  WriteSampling(section, json);
  const std::optional<ImageNote> image = ImageNote::Of(section);
  const ImageTarget target = image ? image->target : kNewestImageTarget;
  const std::vector<PackageFitness> packages = FitnessOfPackages(profile, target);
  json.Key("tables").Open('[');
  for (const Table table : kAllTables) {
    const TableSummary summary = SummarizeTable(profile, table);
    ImageShare::Part usable;
    for (const PackageFitness& package : packages) {
      const ImageShare::Part part = package.share.Of(table);
      usable.weight = SaturatingAdd(usable.weight, part.weight);
      usable.usable_weight = SaturatingAdd(usable.usable_weight, part.usable_weight);
    }
    json.Open('{')
        .Field("table", TableKey(table))
        .Field("entries", static_cast<int64_t>(summary.entries))
        .Field("methods", static_cast<int64_t>(summary.methods))
        .Field("total", summary.total)
        .Field("largest", summary.largest)
        .Key("usable")
        .Open('[');
    WritePart(usable, json);
    json.Close(']').Close('}');
  }
  json.Close(']');
  json.Key("image").Open('{').Field("jdk", JdkOf(target));
  json.Key("filtered").Bool(image && image->filtered).Close('}');
  WritePackages(packages, json);
  json.Close('}');
}

std::vector<PackageFitness> FitnessOfPackages(const Profile& profile, ImageTarget target) {
  const std::vector<MethodUse> uses = UsesOf(profile);
  std::map<std::string, PackageFitness> packages;
  std::vector<const MethodUse*> frames;
  for (const Table table : kAllTables) {
    if (table == Table::kMonitors) continue;
    for (const EntryIndex entry : EntriesOf(profile, table)) {
      const ContextIndex context = profile.EntryContext(table, entry);
      const MethodIndex innermost = profile.InnermostFrame(context).method;
      if (innermost == kNoMethod) continue;
      frames.clear();
      profile.ForEachFrame(context, [&](Frame frame) {
        if (frame.method != kNoMethod) frames.push_back(&uses[static_cast<size_t>(frame.method)]);
      });
      const std::string_view in = PackageOf(profile.TypeName(profile.DeclaringType(innermost)));
      std::string name(in.empty() ? "(default)" : in);
      PackageFitness& package = packages[name];
      package.package = std::move(name);
      package.share.Add(table, frames, profile.EntryTotal(table, entry), target);
    }
  }
  std::vector<PackageFitness> result;
  for (auto& [name, package] : packages) {
    for (const Table table :
         {Table::kCalls, Table::kConditionals, Table::kVirtualInvokes, Table::kSamples}) {
      const int64_t total = profile.Total(table);
      if (total == 0) continue;
      package.weight =
          std::max(package.weight, static_cast<double>(package.share.Of(table).weight) /
                                       static_cast<double>(total));
    }
    result.push_back(std::move(package));
  }
  std::stable_sort(
      result.begin(), result.end(),
      [](const PackageFitness& a, const PackageFitness& b) { return a.weight > b.weight; });
  return result;
}

}  // namespace iprof
