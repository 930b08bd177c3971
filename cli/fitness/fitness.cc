#include "cli/fitness/fitness.h"

#include <algorithm>
#include <map>
#include <tuple>
#include <utility>

#include "cli/fitness/class_store.h"
#include "cli/fitness/record_check.h"

namespace iprof::fitness {
namespace {

struct MisfitInfo {
  Misfit misfit;
  std::string_view name;
  std::string_view text;
};
constexpr MisfitInfo kMisfits[] = {
    {Misfit::kNone, "none", "fits"},
    {Misfit::kNoClass, "no-class", "the class does not exist"},
    {Misfit::kBadClass, "bad-class", "the class file cannot be read"},
    {Misfit::kNoMethod, "no-method", "the class has no such method"},
    {Misfit::kOtherCode, "other-code", "the code differs"},
    {Misfit::kOtherInstruction, "other-instruction", "the position has another instruction"},
    {Misfit::kOtherSuccessors, "other-successors", "the branch goes elsewhere"},
    {Misfit::kOtherReceivers, "other-receivers", "there can be no objects of a class"},
    {Misfit::kOtherName, "other-name", "the build does not know the name"},
};

const MisfitInfo& InfoOf(Misfit misfit) { return kMisfits[static_cast<size_t>(misfit)]; }

std::string_view PackageOf(std::string_view class_name) {
  class_name = class_name.substr(0, class_name.find('/'));  // of a hidden class
  const size_t dot = class_name.rfind('.');
  return dot == std::string_view::npos ? std::string_view() : class_name.substr(0, dot);
}

void Add(FitShare& share, const Verdict& verdict, int64_t weight) {
  ++share.entries;
  share.weight = SaturatingAdd(share.weight, weight);
  if (verdict.is_relevant) share.relevant = SaturatingAdd(share.relevant, weight);
  share.applicable = SaturatingAdd(share.applicable, verdict.applicable);
}

void Add(Apart& apart, int64_t weight) {
  ++apart.entries;
  apart.weight = SaturatingAdd(apart.weight, weight);
}

class Sum {
 public:
  explicit Sum(const Profile& profile) : profile_(profile) {}

  void Add(Table table, EntryIndex entry, const Verdict& verdict) {
    const int64_t weight = profile_.EntryTotal(table, entry);
    if (verdict.is_unjudged) return fitness::Add(made_.unjudged, weight);
    if (verdict.is_generated) {
      fitness::Add(made_.generated, weight);
      if (verdict.misfit == Misfit::kNone) return;
      fitness::Add(made_.misnamed, weight);
      return AddStale(verdict, weight);
    }
    const Frame frame = profile_.InnermostFrame(profile_.EntryContext(table, entry));
    fitness::Add(made_.total, verdict, weight);
    fitness::Add(made_.tables[static_cast<size_t>(table)], verdict, weight);
    fitness::Add(packages_[PackageOf(profile_.TypeName(profile_.DeclaringType(frame.method)))],
                 verdict, weight);
    if (verdict.misfit != Misfit::kNone) AddStale(verdict, weight - verdict.applicable);
  }

  Fitness Finish(size_t without_hash) {
    for (const auto& [name, share] : packages_) {
      made_.packages.push_back({std::string(name), share});
    }
    for (auto& [key, stale] : stale_) made_.stale.push_back(std::move(stale));
    std::stable_sort(made_.packages.begin(), made_.packages.end(),
                     [](const PackageShare& a, const PackageShare& b) {
                       return a.share.weight > b.share.weight;
                     });
    std::sort(
        made_.stale.begin(), made_.stale.end(), [](const StaleMethod& a, const StaleMethod& b) {
          return std::tie(b.weight, a.method, a.reason) < std::tie(a.weight, b.method, b.reason);
        });
    made_.without_hash = without_hash;
    return std::move(made_);
  }

 private:
  void AddStale(const Verdict& verdict, int64_t weight) {
    StaleMethod& stale = stale_[{verdict.method, verdict.misfit}];
    if (stale.entries == 0) {
      stale.method = profile_.DescribeMethod(verdict.method);
      stale.reason = verdict.misfit;
      stale.detail = verdict.detail;
    }
    ++stale.entries;
    stale.weight = SaturatingAdd(stale.weight, weight);
  }

  const Profile& profile_;
  Fitness made_;
  std::map<std::string_view, FitShare> packages_;  // names are the profile's
  std::map<std::pair<MethodIndex, Misfit>, StaleMethod> stale_;
};

}  // namespace

std::string_view Describe(Misfit misfit) { return InfoOf(misfit).text; }
std::string_view NameOf(Misfit misfit) { return InfoOf(misfit).name; }

Fitness CheckFitness(const Profile& profile, const classpath::ClassPath& classes,
                     const FitnessOptions& options) {
  ClassStore store(classes, options.has_application);
  RecordCheck check(profile, store, options);
  Sum sum(profile);
  for (const Table table : kAllTables) {
    if (table == Table::kMonitors) continue;
    for (const EntryIndex entry : EntriesOf(profile, table)) {
      sum.Add(table, entry, check.Check(table, entry));
    }
  }
  return sum.Finish(check.without_hash());
}

}  // namespace iprof::fitness
