#include "cli/files/fit_check.h"

#include <fmt/core.h>

#include <algorithm>

#include "cli/classpath/class_path.h"
#include "cli/files/table_names.h"
#include "cli/terminal/terminal_text.h"
#include "cli/terminal/text_layout.h"
#include "writer/base/grouped.h"
#include "writer/names/jdk_classes.h"
#include "writer/profile/image/image_note.h"
#include "writer/profile/io/run_note.h"

namespace iprof::cli {
namespace {

using fitness::Fitness;
using fitness::FitShare;

double ShareOf(int64_t part, int64_t whole) {
  return whole == 0 ? 1 : static_cast<double>(part) / static_cast<double>(whole);
}

// Rounded down: 99.96 % is not 100.0 %.
std::string Percent(int64_t part, int64_t whole) {
  if (part >= whole) return "100.0 %";
  return fmt::format("{:.1f} %", std::min(99.9, std::max(0.0, 100 * ShareOf(part, whole) - 0.05)));
}

std::string RecordedVersion(const Profile& profile) {
  const std::vector<RunNote> runs = RunList::Of(profile).Runs();
  return runs.empty() ? std::string() : runs.back().jvm_version;
}

std::string Entries(size_t count) { return Counted(count, "entry", "entries"); }

void PrintNotes(Console& console, const std::string& prefix, const FitResult& result) {
  const Fitness& fit = result.fitness;
  const std::string& recorded = result.recorded_version;
  const std::string& compared = result.jdk_version;
  if (!recorded.empty() && !compared.empty() && recorded != compared) {
    console.Print("{}recorded on JDK {}, compared with JDK {}\n", prefix, recorded, compared);
  }
  if (fit.generated.entries != 0) {
    console.Print("{}{} in lambdas, proxies and other classes without a class file", prefix,
                  Entries(fit.generated.entries));
    if (fit.run_time.entries != 0) {
      console.Print(
          ", of which {} in classes that the program makes while it runs and an image does not "
          "have",
          fit.run_time.entries == 1 ? "1 is" : Grouped(fit.run_time.entries) + " are");
    }
    if (fit.misnamed.entries == 0) {
      console.Print(": their names fit JDK {}\n", result.names_jdk);
    } else {
      console.Print(": an image build for JDK {} does not know the names of {}\n", result.names_jdk,
                    Entries(fit.misnamed.entries));
    }
  }
  if (fit.unjudged.entries != 0) {
    console.Print("{}not judged: {} of classes of {} (add {})\n", prefix,
                  Entries(fit.unjudged.entries), compared.empty() ? "the JDK" : "the program",
                  compared.empty() ? "--jdk" : "--classpath");
  }
  if (fit.without_hash != 0) {
    console.Print("{}{} judged by positions only, because the profile has no hash of the code\n",
                  prefix, Counted(fit.without_hash, "method is", "methods are"));
  }
}

void PrintPackages(Console& console, const Fitness& fit) {
  if (fit.packages.empty()) return;
  console.Print("\n{:>9}  {:>10}  {:>20}  {}\n", "relevant", "applicable", "weight", "package");
  const size_t room = LayoutOf(console).Room(45);
  for (const fitness::PackageShare& package : fit.packages) {
    const FitShare& share = package.share;
    console.Print(
        "{:>9}  {:>10}  {:>20}  {}\n", Percent(share.relevant, share.weight),
        Percent(share.applicable, share.weight), share.weight,
        package.name.empty() ? "(default)" : CutTo(EscapeForTerminal(package.name), room));
  }
}

void PrintStale(Console& console, const Fitness& fit, size_t most) {
  if (fit.stale.empty()) return;
  console.Print("\nstale methods:\n");
  size_t left = most == 0 ? fit.stale.size() : most;
  for (const fitness::StaleMethod& stale : fit.stale) {
    if (left-- == 0) {
      console.Print("  {} more are not shown\n", fit.stale.size() - most);
      return;
    }
    const std::string detail = stale.detail.empty() ? "" : fmt::format(": {}", stale.detail);
    console.Print("{}\n", EscapeForTerminal(fmt::format("  {}: {}{} ({}, weight {})", stale.method,
                                                        fitness::Describe(stale.reason), detail,
                                                        Entries(stale.entries), stale.weight)));
  }
}

void PrintShare(JsonText& json, const FitShare& share) {
  json.Field("entries", share.entries);
  json.Field("weight", share.weight);
  json.Field("relevant_weight", share.relevant);
  json.Field("applicable_weight", share.applicable);
  json.ShareField("relevance", ShareOf(share.relevant, share.weight));
  json.ShareField("applicability", ShareOf(share.applicable, share.weight));
}

void PrintApart(JsonText& json, std::string_view key, const fitness::Apart& apart) {
  json.Key(key);
  json.StartObject();
  json.Field("entries", apart.entries);
  json.Field("weight", apart.weight);
  json.EndObject();
}

}  // namespace

FitFacts FactsOf(const Fitness& fit) {
  constexpr size_t kMost = 3;
  FitFacts facts;
  FitShare jdk;
  FitShare program;
  for (const fitness::PackageShare& package : fit.packages) {
    FitShare& share = IsJdkClass(package.name + ".X") ? jdk : program;
    share.weight = SaturatingAdd(share.weight, package.share.weight);
    share.relevant = SaturatingAdd(share.relevant, package.share.relevant);
    share.applicable = SaturatingAdd(share.applicable, package.share.applicable);
  }
  facts.applicable = ShareOf(fit.total.applicable, fit.total.weight);
  facts.program_relevant = ShareOf(program.relevant, program.weight);
  facts.jdk_applicable = ShareOf(jdk.applicable, jdk.weight);
  const double all =
      static_cast<double>(fit.total.weight) + static_cast<double>(fit.misnamed.weight);
  facts.misnamed = all <= 0 ? 0 : static_cast<double>(fit.misnamed.weight) / all;
  for (size_t at = 0; at < std::min(kMost, fit.stale.size()); ++at) {
    const fitness::StaleMethod& stale = fit.stale[at];
    facts.stale.emplace_back(fmt::format("{}: {}", stale.method, fitness::Describe(stale.reason)),
                             all <= 0 ? 0 : static_cast<double>(stale.weight) / all);
  }
  return facts;
}

Result<FitClasses> OpenFitClasses(const Profile& profile, const FitOptions& options) {
  FitClasses made;
  made.recorded_version = RecordedVersion(profile);
  const int recorded = FeatureRelease(made.recorded_version);
  auto classes = classpath::OpenClassPath(options.class_path, options.jdk_home,
                                          recorded != 0 ? recorded : JdkOf(kNewestImageTarget));
  if (!classes.ok()) return classes.status();
  made.classes.emplace(std::move(*classes));
  const auto note = ImageNote::Of(profile);
  made.names_jdk = JdkOf(options.target.value_or(note ? note->target : kNewestImageTarget));
  if (!options.jdk_home.empty()) {
    const auto version = classpath::JdkVersion(options.jdk_home);
    if (!version.ok()) return version.status();
    made.jdk_version = *version;
    if (!options.target) made.names_jdk = FeatureRelease(*version);
  }
  made.options = {.has_application = !options.class_path.empty(),
                  .rule = RuleForJdk(made.names_jdk)};
  if (note) made.options.profile_rule = RuleForJdk(JdkOf(note->target));
  return made;
}

Result<FitResult> CheckFit(const Profile& profile, const FitOptions& options) {
  const Result<FitClasses> opened = OpenFitClasses(profile, options);
  if (!opened.ok()) return opened.status();
  return FitResult{.fitness = fitness::CheckFitness(profile, *opened->classes, opened->options),
                   .names_jdk = opened->names_jdk,
                   .jdk_version = opened->jdk_version,
                   .recorded_version = opened->recorded_version};
}

void PrintFit(Console& console, const std::string& name, const FitResult& result,
              const FitPrinting& printing) {
  const FitShare& total = result.fitness.total;
  const std::string prefix = EscapeForTerminal(name) + ": ";
  if (total.entries == 0) {
    console.Print("{}no entry could be compared with the class path\n", prefix);
  } else {
    console.Print("{}{} relevant and {} applicable by weight, {} compared, {}\n", prefix,
                  Percent(total.relevant, total.weight), Percent(total.applicable, total.weight),
                  Entries(total.entries),
                  Counted(result.fitness.stale.size(), "stale method", "stale methods"));
  }
  if (printing.summary_only) return;
  PrintNotes(console, prefix, result);
  PrintPackages(console, result.fitness);
  PrintStale(console, result.fitness, printing.most_stale);
}

void PrintFit(JsonText& json, const FitResult& result, const FitPrinting& printing) {
  const Fitness& fit = result.fitness;
  json.Key("fit");
  json.StartObject();
  json.Field("names_jdk", static_cast<int64_t>(result.names_jdk));
  json.Field("recorded_jdk", result.recorded_version);
  json.Field("compared_jdk", result.jdk_version);
  PrintShare(json, fit.total);
  json.Field("methods_without_hash", fit.without_hash);
  PrintApart(json, "generated", fit.generated);
  PrintApart(json, "misnamed", fit.misnamed);
  PrintApart(json, "run_time", fit.run_time);
  PrintApart(json, "not_judged", fit.unjudged);
  json.Key("tables");
  json.StartObject();
  for (const Table table : kAllTables) {
    const FitShare& share = fit.tables[static_cast<size_t>(table)];
    if (share.entries == 0) continue;
    json.Key(TableKey(table));
    json.StartObject();
    PrintShare(json, share);
    json.EndObject();
  }
  json.EndObject();
  json.Key("packages");
  json.StartArray();
  for (const fitness::PackageShare& package : fit.packages) {
    if (printing.summary_only) break;
    json.StartObject();
    json.Field("package", package.name);
    PrintShare(json, package.share);
    json.EndObject();
  }
  json.EndArray();
  json.Field("stale_methods", fit.stale.size());
  json.Key("stale");
  json.StartArray();
  size_t printed = 0;
  for (const fitness::StaleMethod& stale : fit.stale) {
    if (printing.summary_only) break;
    if (printing.most_stale != 0 && printed++ == printing.most_stale) break;
    json.StartObject();
    json.Field("method", stale.method);
    json.Field("reason", fitness::NameOf(stale.reason));
    json.Field("detail", stale.detail);
    json.Field("entries", stale.entries);
    json.Field("weight", stale.weight);
    json.EndObject();
  }
  json.EndArray();
  json.EndObject();
}

}  // namespace iprof::cli
