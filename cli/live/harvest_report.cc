#include "cli/live/harvest_report.h"

#include <fmt/core.h>

#include <algorithm>

#include "cli/files/profile_files.h"
#include "cli/jvm/target_wait.h"
#include "cli/terminal/json_text.h"
#include "cli/terminal/terminal_text.h"
#include "writer/base/grouped.h"
#include "writer/ops/advice.h"
#include "writer/profile/image/sample_split.h"

namespace iprof::cli {
namespace {

// What reading cost, per 10,000 methods: it reads all that are loaded.
int64_t PerTenThousandMethods(const ReadFacts& read) {
  return read.read_us * 10'000 / static_cast<int64_t>(std::max<size_t>(read.methods, 1));
}

// While the agent counts, it counts in classes that are not hidden, too.
std::string AboutProbes(const hotspot::HarvestCounts& counts) {
  const bool is_one = counts.with_probes == 1;
  const std::string methods = Counted(counts.with_probes, "method has", "methods have");
  if (counts.hidden_with_probes == counts.with_probes) {
    return fmt::format(
        "{} only calls, because the agent counted in {} until it was stopped: the JVM cannot give "
        "lambdas their own code back",
        methods, is_one ? "it" : "them");
  }
  return fmt::format(
      "{} only calls, because the agent counts in {}: its own profile (iprof dump) has everything",
      methods, is_one ? "it" : "them");
}

}  // namespace

ReadFacts::ReadFacts(const ProcessHarvest& harvest)
    : classes(harvest.program->classes.size()),
      methods(harvest.program->methods.size()),
      counts(harvest.program->counts),
      read_us(harvest.read_us) {}

std::string HarvestReport::AboutSamples() const {
  if (profile == nullptr || SamplesForBuild(*profile) > 0) return {};
  if (sampled) {
    return fmt::format(
        "no samples: the program used too little CPU time in {}, so an image build may do worse "
        "than with samples; record longer (--samples), or while it is busy",
        jvm::InSeconds(*sampled));
  }
  return "no samples: an image build may do worse than with samples; add --samples 30s, start the "
         "program with mode=methoddata, or merge this profile with one of samples only (iprof "
         "merge)";
}

void HarvestReport::PrintText(Console& console) const {
  PrintFacts(console);
  if (profile != nullptr) PrintAdvice(console, output, *profile);
}

void HarvestReport::PrintFacts(Console& console) const {
  if (profile != nullptr) {
    console.Print("{}\n", DescribeWritten(output, *profile));
    if (fresh) {
      console.Print("{}; harvested {} later\n", EscapeForTerminal(fresh->said),
                    jvm::InSeconds(fresh->waited));
    }
    const int64_t samples = sampled ? SamplesForBuild(*profile) : 0;
    if (samples > 0)
      console.Print("{} in {}\n", Counted(samples, "sample", "samples"), jvm::InSeconds(*sampled));
    if (const std::string hint = AboutSamples(); !hint.empty()) console.Print("{}\n", hint);
  } else {
    const std::string age =
        core.empty() ? fmt::format(", running for {} s", note.jvm_age_s) : std::string();
    console.Print("{}: {}, JDK {}, {}{}\n",
                  core.empty() ? fmt::format("process {}", pid) : EscapeForTerminal(core),
                  EscapeForTerminal(program), EscapeForTerminal(jdk_version),
                  Counted(read->classes, "class", "classes"), age);
    console.Print("up to {} at each call site (-XX:TypeProfileWidth)\n",
                  Counted(note.type_width, "class", "classes"));
  }
  console.Print("{} counters, {} more ran without; {} failed a check\n",
                Counted(note.methods_with_data, "method has", "methods have"),
                Grouped(note.methods_without_data), Grouped(note.methods_failed));
  if (read && !fresh && read->counts.redefined_classes > 0) {
    console.Print(
        "{} changed while the program ran, so HotSpot has counted their methods from zero: if that "
        "was "
        "just now, let "
        "it work for a minute, and harvest again\n",
        Counted(static_cast<int64_t>(read->counts.redefined_classes), "class was", "classes were"));
  }
  if (read) {
    for (const std::string& example : read->counts.failed_examples)
      console.Print("  {}\n", EscapeForTerminal(example));
  }
  if (profile != nullptr) {
    if (is_filtered)
      console.Print("of these, the profile has what an image build can use (--no-image: all)\n");
    console.Print(
        "left out: {} with too many classes, or with classes without a name\n",
        Counted(note.sites_left_out, "call site or type check", "call sites and type checks"));
    if (read && read->counts.with_probes > 0) console.Warn(AboutProbes(read->counts));
  }
  console.Print("without a name in an image: {}, {}\n",
                Counted(note.lambdas_left_out, "lambda", "lambdas"),
                Counted(note.classes_left_out, "other generated class", "other generated classes"));
  if (note.trained) console.Print("the AOT cache's training run is part of these counts\n");
  if (note.methods_trained > 0) {
    console.Print("the counts of the AOT cache's training run were subtracted in {}\n",
                  Counted(note.methods_trained, "method", "methods"));
  }
  if (note.methods_trained_unknown > 0) {
    console.Warn(
        fmt::format("{} left out: the AOT cache brought counts for {} from its training run, and "
                    "its file cannot "
                    "be read or does not fit",
                    Counted(note.methods_trained_unknown, "method is", "methods are"),
                    note.methods_trained_unknown == 1 ? "it" : "them"));
  }
}

void HarvestReport::PrintJson(Console& console) const {
  JsonText json(console);
  json.StartObject();
  if (core.empty()) {
    json.Field("pid", static_cast<int64_t>(pid));
  } else {
    json.Field("core", core);
  }
  json.Field("program", program);
  json.Field("jdk", jdk_version);
  if (note.jvm_age_s >= 0) json.Field("age_s", note.jvm_age_s);
  json.Field("type_width", note.type_width);
  if (read) {
    json.Field("classes", read->classes);
    json.Field("methods_loaded", read->methods);
  }
  json.Field("methods_with_data", note.methods_with_data + note.methods_failed);
  json.Field("methods_without_data", note.methods_without_data);
  json.Field("failed", note.methods_failed);
  if (read) {
    json.Field("sites_without_rows", read->counts.sites_without_rows);
    json.Field("type_checks_unknown", read->counts.checks_unknown);
    json.Field("methods_with_probes", read->counts.with_probes);
    json.Field("classes_redefined", read->counts.redefined_classes);
  }
  json.Field("unnamed_lambdas", note.lambdas_left_out);
  json.Field("generated_classes", note.classes_left_out);
  json.Field("trained", note.trained);
  json.Field("methods_trained", note.methods_trained);
  json.Field("methods_trained_unknown", note.methods_trained_unknown);
  if (read) {
    // What reading cost, and all of it, with the estimate and the writing.
    json.Field("read_cpu_us", read->read_us);
    json.Field("read_cpu_us_per_10000_methods", PerTenThousandMethods(*read));
    json.Field("cpu_us", ProcessorTimeUs());
  }
  if (profile != nullptr) {
    json.Field("output", output);
    json.Field("types", profile->type_count());
    json.Field("methods", profile->method_count());
    json.Field("sites_left_out", note.sites_left_out);
    json.Field("samples", SamplesForBuild(*profile));
    if (sampled) json.Field("recorded_ms", static_cast<int64_t>(sampled->count()));
    if (fresh) {
      json.Field("refreshed", fresh->said);
      json.Field("fresh_ms", static_cast<int64_t>(fresh->waited.count()));
    }
    json.Field("estimator", note.estimator);
    json.Field("harvests", note.harvests);
    json.Field("advice", AdviseOn(*profile, {.file = output}).Line());
  }
  json.EndObject();
}

}  // namespace iprof::cli
