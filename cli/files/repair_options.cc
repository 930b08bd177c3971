#include "cli/files/repair_options.h"

#include <fmt/core.h>

#include <vector>

#include "writer/base/grouped.h"
#include "writer/base/join_text.h"

namespace iprof::cli {
namespace {

using fitness::Misfit;

double ShareOf(int64_t part, int64_t whole) {
  return whole <= 0 ? 0 : static_cast<double>(part) / static_cast<double>(whole);
}

}  // namespace

void RepairOptions::AddTo(OptionList& options) {
  options
      .Add(
          "--classpath", fit_.class_path,
          "The program's class files: jars and folders, joined by ':'; 'FOLDER/*' is all jars of a "
          "folder. Without --edges, the profile is repaired for them: what no longer fits is "
          "dropped, and positions in changed methods are moved")
      .Takes("FILE");
  options.Add("--jdk", fit_.jdk_home, "The same for the classes of the JDK in this folder")
      .Takes("DIR");
  options
      .Add("--old-classpath", old_.class_path,
           "The jars and folders that were recorded: positions in changed methods are moved only "
           "with them")
      .Takes("FILE");
  options.Add("--old-jdk", old_.jdk_home, "The JDK that was recorded").Takes("DIR");
}

Status RepairOptions::FindContradiction() const {
  if (!old_.given() || fit_.given()) return {};
  return {Code::kUsage,
          "--old-classpath and --old-jdk need --classpath or --jdk, the classes to repair for"};
}

Result<fitness::RepairedProfile> RepairOptions::Repair(const Profile& profile) const {
  const Result<FitClasses> fit = OpenFitClasses(profile, fit_);
  if (!fit.ok()) return fit.status();
  Result<FitClasses> old = FitClasses();
  if (old_.given()) old = OpenFitClasses(profile, old_);
  if (!old.ok()) return old.status();
  fitness::RepairedProfile made = fitness::RepairProfile(
      profile, *fit->classes, old->classes ? &*old->classes : nullptr, fit->options);
  if (made.counts.weight > 0 && made.counts.dropped.weight == made.counts.weight)
    return Status(Code::kBadInput, "nothing in the profile fits these class files");
  return made;
}

std::string Describe(const fitness::RepairCounts& counts) {
  if (counts.nothing()) return "everything fits these class files";
  std::vector<std::string> parts;
  if (counts.moved > 0) parts.push_back(Counted(counts.moved, "position", "positions") + " moved");
  if (counts.dropped.entries > 0) {
    std::vector<std::string> reasons;
    for (size_t why = 0; why < counts.dropped_for.size(); ++why) {
      const fitness::Apart& apart = counts.dropped_for[why];
      if (apart.entries > 0) {
        reasons.push_back(fmt::format("{}: {}", fitness::Describe(static_cast<Misfit>(why)),
                                      Grouped(apart.entries)));
      }
    }
    parts.push_back(fmt::format("dropped: {} with {:.3g} % of the weight ({})",
                                Counted(counts.dropped.entries, "entry", "entries"),
                                100 * ShareOf(counts.dropped.weight, counts.weight),
                                JoinText(reasons, ", ")));
  }
  if (counts.types > 0)
    parts.push_back(Counted(counts.types, "class", "classes") + " dropped from lists of receivers");
  if (counts.stacks_cut > 0)
    parts.push_back(Counted(counts.stacks_cut, "sample", "samples") + " with a shorter stack");
  return JoinText(parts, "; ");
}

void PrintRepair(JsonText& json, const fitness::RepairCounts& counts) {
  json.Object("repair", [&] {
    json.Field("changed_methods", counts.changed_methods);
    json.Field("moved", counts.moved);
    json.Field("dropped_entries", counts.dropped.entries);
    json.Field("dropped_weight", counts.dropped.weight);
    json.Field("weight", counts.weight);
    json.Object("dropped_for", [&] {
      for (size_t why = 0; why < counts.dropped_for.size(); ++why) {
        if (counts.dropped_for[why].entries > 0)
          json.Field(fitness::NameOf(static_cast<Misfit>(why)), counts.dropped_for[why].entries);
      }
    });
    json.Field("dropped_classes", counts.types);
    json.Field("samples_cut", counts.stacks_cut);
  });
}

}  // namespace iprof::cli
