#include "cli/files/fitness/fitness.h"

#include <fmt/core.h>

#include <algorithm>
#include <cstdint>
#include <map>
#include <set>
#include <string>
#include <tuple>
#include <utility>
#include <vector>

#include "cli/files/fitness/class_store.h"
#include "writer/names/generated_names.h"
#include "writer/names/type_names.h"
#include "writer/profile/branch_outcomes.h"
#include "writer/profile/code_hashes.h"
#include "writer/profile/model.h"
#include "writer/profile/sample_threads.h"

namespace iprof::fitness {
namespace {

// What was found about a frame or record.
struct Verdict {
  Misfit misfit = Misfit::kNone;
  std::string detail;
  MethodIndex method = kNoMethod;  // whose class or code it is about
  bool is_relevant = false;        // its method exists
  bool is_generated = false;       // in a class that a JVM makes, and not judged further
  bool is_run_time = false;        // of these: an image does not have the class
  bool is_unjudged = false;        // the class path has no such classes
  int64_t applicable = 0;          // of the record's weight
  size_t fitting_frames = 0;
  std::vector<TypeIndex> wrong_types = {};
};

// Whether single records of a profile fit the classes of a ClassStore.
class RecordCheck {
 public:
  RecordCheck(const Profile& profile, ClassStore& classes, const FitnessOptions& options)
      : profile_(profile), classes_(classes), options_(options), methods_(profile.method_count()) {}

  Verdict Check(Table table, EntryIndex entry);
  Verdict CheckMonitors(EntryIndex entry);
  // Whether the class path has the method, or it is not known.
  bool Exists(MethodIndex method) {
    const Misfit misfit = Method(method).verdict.misfit;
    return misfit != Misfit::kNoClass && misfit != Misfit::kBadClass && misfit != Misfit::kNoMethod;
  }
  bool Exists(std::string_view type) {
    const ProfileName name(type);
    return type.starts_with('[') || type == kThreadType ||
           ReadGeneratedName(name).kind != GeneratedKind::kNone || IsMadeAtRunTime(name) ||
           classes_.Find(type).state != ClassState::kMissing;
  }
  // Methods that were looked up and whose code could not be compared.
  size_t without_hash() const { return without_hash_; }

 private:
  // What is known of a method of the profile.
  struct Known {
    bool is_checked = false;
    Verdict verdict;
    LoadedMethod* loaded = nullptr;  // if it exists
  };

  Known& Method(MethodIndex method);
  Verdict CheckMethod(MethodIndex method, LoadedMethod** loaded);
  Verdict CheckGenerated(MethodIndex method, std::string_view type);
  Verdict ClassVerdict(MethodIndex method, const StoredClass& stored, std::string_view name) const;
  Verdict CheckPosition(Table table, EntryIndex entry, const Frame& frame);
  Verdict CheckCaller(Table table, const Frame& frame);
  bool IsFolded(EntryIndex entry, const Site& site) const;
  void CheckSuccessors(EntryIndex entry, const Site& site, Verdict* verdict) const;
  void CheckTypes(Table table, EntryIndex entry, const Site& site, Verdict* verdict);
  // What is wrong with objects of this class at the site; empty if nothing is.
  std::string TypeProblem(std::string_view type, const std::string& owner);

  const Profile& profile_;
  ClassStore& classes_;
  const FitnessOptions& options_;
  std::vector<Known> methods_;
  size_t without_hash_ = 0;
};

bool Fits(SiteKind kind, Table table) {
  switch (table) {
    case Table::kConditionals:
      return kind == SiteKind::kIf || kind == SiteKind::kSwitch;
    case Table::kVirtualInvokes:
      return kind == SiteKind::kReceiverCall;
    case Table::kInstanceOfs:
      return kind == SiteKind::kTypeCheck;
    case Table::kCalls:
    case Table::kMonitors:
    case Table::kSamples:
      break;
  }
  return kind != SiteKind::kNoInstruction;
}

std::string_view Wanted(Table table) {
  switch (table) {
    case Table::kConditionals:
      return "if or switch";
    case Table::kVirtualInvokes:
      return "call with a receiver";
    case Table::kInstanceOfs:
      return "type check";
    case Table::kCalls:
    case Table::kMonitors:
    case Table::kSamples:
      break;
  }
  return "instruction";
}

std::string Mismatch(Bci bci, std::string_view wanted, const Site& site) {
  if (site.kind == SiteKind::kNoInstruction) {
    return fmt::format("there is no instruction at {}", bci);
  }
  return fmt::format("at {} is no {}, but {}", bci, wanted, site.mnemonic);
}

bool IsCall(SiteKind kind) {
  return kind == SiteKind::kReceiverCall || kind == SiteKind::kOtherCall;
}

Verdict RecordCheck::ClassVerdict(MethodIndex method, const StoredClass& stored,
                                  std::string_view name) const {
  Verdict verdict;
  verdict.method = method;
  switch (stored.state) {
    case ClassState::kFound:
      break;
    case ClassState::kMissing:
      verdict.misfit = Misfit::kNoClass;
      verdict.detail = fmt::format("there is no class {}", name);
      break;
    case ClassState::kUnreadable:
      verdict.misfit = Misfit::kBadClass;
      verdict.detail = stored.problem;
      break;
    case ClassState::kNotAsked:
      verdict.is_unjudged = true;
      break;
  }
  return verdict;
}

Verdict RecordCheck::CheckGenerated(MethodIndex method, std::string_view type) {
  const GeneratedName name = ReadGeneratedName(ProfileName(type));
  Verdict verdict;
  if (!name.host.empty()) {
    verdict = ClassVerdict(method, classes_.Find(name.host), name.host);
    if (verdict.misfit != Misfit::kNone) return verdict;
  }
  verdict.method = method;
  verdict.is_generated = true;
  const bool is_proxy_of_one_run = name.kind == GeneratedKind::kUnstable && name.host.empty();
  if (name.kind == GeneratedKind::kOther || is_proxy_of_one_run) {
    verdict.is_run_time = true;
    return verdict;
  }
  const bool is_lambda =
      name.kind == GeneratedKind::kLambda || name.kind == GeneratedKind::kLambda23;
  const bool is_of_rule =
      !is_lambda || options_.profile_rule.value_or(options_.rule) == options_.rule;
  if (!NamesFit(name.kind, options_.rule) || !is_of_rule) {
    verdict.misfit = Misfit::kOtherName;
    verdict.detail = name.kind == GeneratedKind::kUnstable
                         ? "the name is that of one run"
                         : "an image build for that JDK gives another name";
  }
  return verdict;
}

Verdict RecordCheck::CheckMethod(MethodIndex method, LoadedMethod** loaded) {
  const std::string_view type = profile_.TypeName(profile_.DeclaringType(method));
  if (type == kThreadType) return {};
  if (ReadGeneratedName(ProfileName(type)).kind != GeneratedKind::kNone) {
    return CheckGenerated(method, type);
  }
  StoredClass& stored = classes_.Find(type);
  if (stored.state == ClassState::kMissing && IsMadeAtRunTime(ProfileName(type))) {
    Verdict made;
    made.method = method;
    made.is_generated = made.is_run_time = true;
    return made;
  }
  Verdict verdict = ClassVerdict(method, stored, type);
  if (stored.state != ClassState::kFound) return verdict;
  LoadedMethod* const found = stored.loaded->Find(MethodKeyOf(profile_, method));
  if (found == nullptr) {
    verdict.misfit = Misfit::kNoMethod;
    return verdict;
  }
  *loaded = found;
  verdict.is_relevant = true;
  const uint64_t hash = profile_.CodeHash(method);
  if (hash == 0) {
    if (found->has_code()) ++without_hash_;
  } else if (!IsSameCode(hash, found->CodeHash())) {
    verdict.misfit = Misfit::kOtherCode;
  }
  return verdict;
}

RecordCheck::Known& RecordCheck::Method(MethodIndex method) {
  Known& known = methods_[static_cast<size_t>(method)];
  if (!known.is_checked) {
    known.is_checked = true;
    known.verdict = CheckMethod(method, &known.loaded);
  }
  return known;
}

std::string RecordCheck::TypeProblem(std::string_view type, const std::string& owner) {
  const std::string name(type);
  // Objects of lambdas and proxies cannot be judged.
  if (ReadGeneratedName(ProfileName(type)).kind != GeneratedKind::kNone) return {};
  if (!name.starts_with('[')) {
    const StoredClass& stored = classes_.Find(name);
    switch (stored.state) {
      case ClassState::kMissing:
        if (IsMadeAtRunTime(ProfileName(type))) return {};
        return fmt::format("there is no class {}", name);
      case ClassState::kUnreadable:
        return stored.problem;
      case ClassState::kNotAsked:
        return {};
      case ClassState::kFound:
        if (!stored.loaded->has_objects())
          return fmt::format("{} is abstract or an interface, so no object has this class", name);
    }
  }
  if (owner.empty() || classes_.IsSubtype(name, owner) != Subtype::kNo) return {};
  return fmt::format("{} is no {}", name, owner);
}

// Whether a branch has more outcomes than its instruction has ways. An image build folds several branches into one switch
// and inlines, so its profiles have such branches, with successors in other methods. They have no hashes of code.
bool RecordCheck::IsFolded(EntryIndex entry, const Site& site) const {
  const Frame frame = profile_.InnermostFrame(profile_.EntryContext(Table::kConditionals, entry));
  if (profile_.CodeHash(frame.method) != 0) return false;
  std::vector<int64_t> outcomes = OutcomesOf(profile_.EntrySuccessors(entry));
  std::sort(outcomes.begin(), outcomes.end());
  const auto end = std::unique(outcomes.begin(), outcomes.end());
  const std::set<uint32_t> ways(site.targets.begin(), site.targets.end());
  return static_cast<size_t>(end - outcomes.begin()) > ways.size();
}

void RecordCheck::CheckSuccessors(EntryIndex entry, const Site& site, Verdict* verdict) const {
  const auto is_target = [&site](const Successor& successor) {
    return std::any_of(site.targets.begin(), site.targets.end(),
                       [&](uint32_t target) { return int64_t{target} == successor.bci; });
  };
  const auto successors = profile_.EntrySuccessors(entry);
  const auto wrong = std::find_if(successors.begin(), successors.end(), [&](const Successor& each) {
    return each.bci != kRepeatedSuccessorBci && !is_target(each);
  });
  if (wrong == successors.end()) return;
  if (site.kind == SiteKind::kIf && std::any_of(successors.begin(), successors.end(), is_target)) {
    return;
  }
  if (IsFolded(entry, site)) return;
  verdict->misfit = Misfit::kOtherSuccessors;
  verdict->applicable = 0;
  verdict->detail = fmt::format(
      "{} at {} does not go to {}", site.mnemonic,
      profile_.InnermostFrame(profile_.EntryContext(Table::kConditionals, entry)).bci, wrong->bci);
}

void RecordCheck::CheckTypes(Table table, EntryIndex entry, const Site& site, Verdict* verdict) {
  for (const TypeCount& count : profile_.EntryTypeCounts(table, entry)) {
    const std::string problem = TypeProblem(profile_.TypeName(count.type),
                                            table == Table::kVirtualInvokes ? site.owner : "");
    if (problem.empty()) continue;
    verdict->applicable -= std::min(verdict->applicable, count.count);
    verdict->wrong_types.push_back(count.type);
    if (verdict->misfit != Misfit::kNone) continue;
    verdict->misfit = Misfit::kOtherReceivers;
    verdict->detail = fmt::format(
        "at {}: {}", profile_.InnermostFrame(profile_.EntryContext(table, entry)).bci, problem);
  }
}

// The innermost frame of a record, whose method exists and has the same code, as far as that is
// known.
Verdict RecordCheck::CheckPosition(Table table, EntryIndex entry, const Frame& frame) {
  Known& known = Method(frame.method);
  Verdict verdict = known.verdict;
  verdict.applicable = profile_.EntryTotal(table, entry);
  if (verdict.misfit != Misfit::kNone) verdict.applicable = 0;
  // A call count has no position, and native methods have no positions.
  const bool needs_position =
      table != Table::kCalls &&
      (table != Table::kSamples || (known.loaded != nullptr && known.loaded->has_code()));
  if (known.loaded == nullptr || verdict.misfit != Misfit::kNone || !needs_position) {
    return verdict;
  }
  const Site site = known.loaded->SiteAt(frame.bci);
  if (!Fits(site.kind, table)) {
    verdict.misfit = Misfit::kOtherInstruction;
    verdict.applicable = 0;
    verdict.detail = Mismatch(frame.bci, Wanted(table), site);
  } else if (table == Table::kConditionals) {
    CheckSuccessors(entry, site, &verdict);
  } else if (table != Table::kSamples) {
    CheckTypes(table, entry, site, &verdict);
  }
  return verdict;
}

Verdict RecordCheck::CheckCaller(Table table, const Frame& frame) {
  Known& known = Method(frame.method);
  Verdict verdict = known.verdict;
  if (known.loaded == nullptr || verdict.misfit != Misfit::kNone) return verdict;
  const Site site = known.loaded->SiteAt(frame.bci);
  // A native method has no positions; only samples have such callers.
  if (IsCall(site.kind) || (table == Table::kSamples && !known.loaded->has_code())) return verdict;
  verdict.misfit = Misfit::kOtherInstruction;
  verdict.detail = Mismatch(frame.bci, "call", site);
  return verdict;
}

Verdict RecordCheck::CheckMonitors(EntryIndex entry) {
  Verdict verdict;
  verdict.applicable = profile_.EntryTotal(Table::kMonitors, entry);
  verdict.fitting_frames = 1;
  CheckTypes(Table::kMonitors, entry, Site(), &verdict);
  return verdict;
}

Verdict RecordCheck::Check(Table table, EntryIndex entry) {
  bool is_innermost = true;
  bool is_fitting = true;
  size_t fitting = 0;
  Verdict result;
  profile_.ForEachFrame(profile_.EntryContext(table, entry), [&](const Frame& frame) {
    if (is_innermost) {
      is_innermost = false;
      result = CheckPosition(table, entry, frame);
      fitting = result.misfit == Misfit::kNone || result.misfit == Misfit::kOtherReceivers ? 1 : 0;
      is_fitting = fitting != 0;
      return;
    }
    Verdict caller = CheckCaller(table, frame);
    const bool fits = caller.misfit == Misfit::kNone || caller.is_generated;
    is_fitting = is_fitting && fits;
    if (is_fitting) ++fitting;
    if (result.misfit != Misfit::kNone || result.is_generated || result.is_unjudged || fits) return;
    result.misfit = caller.misfit;
    result.detail = std::move(caller.detail);
    result.method = caller.method;
    result.applicable = 0;
  });
  result.fitting_frames = fitting;
  return result;
}

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
      if (verdict.is_run_time) fitness::Add(made_.run_time, weight);
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

double Fitness::Applicability() const {
  const auto weight = static_cast<double>(total.weight) + static_cast<double>(misnamed.weight);
  return weight <= 0 ? 0 : static_cast<double>(total.applicable) / weight;
}

void ForEachEntryFit(const Profile& profile, const classpath::ClassPath& classes,
                     const FitnessOptions& options, const EntryVisitor& visit) {
  ClassStore store(classes, options.has_application);
  RecordCheck check(profile, store, options);
  for (const Table table : kAllTables) {
    for (const EntryIndex entry : EntriesOf(profile, table)) {
      Verdict verdict =
          table == Table::kMonitors ? check.CheckMonitors(entry) : check.Check(table, entry);
      visit(table, entry, {verdict.misfit, verdict.fitting_frames, std::move(verdict.wrong_types)});
    }
  }
}

Existing FindExisting(const Profile& profile, const classpath::ClassPath& classes,
                      const FitnessOptions& options) {
  ClassStore store(classes, options.has_application);
  RecordCheck check(profile, store, options);
  Existing existing;
  for (const MethodIndex method : MethodsOf(profile))
    existing.methods.push_back(check.Exists(method));
  for (const TypeIndex type : TypesOf(profile))
    existing.types.push_back(check.Exists(profile.TypeName(type)));
  return existing;
}

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
