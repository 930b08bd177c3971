#include "cli/fitness/record_check.h"

#include <fmt/format.h>

#include <algorithm>
#include <set>

#include "writer/model/branch_outcomes.h"
#include "writer/model/code_hashes.h"
#include "writer/names/generated_names.h"

namespace iprof::fitness {
namespace {

bool Fits(SiteKind kind, Table table) {
  switch (table) {
    case Table::kConditionals:
      return kind == SiteKind::kIf || kind == SiteKind::kSwitch;
    case Table::kVirtualInvokes:
      return kind == SiteKind::kReceiverCall;
    case Table::kInstanceOfs:
      return kind == SiteKind::kTypeCheck;
    default:
      return kind != SiteKind::kNoInstruction;
  }
}

std::string_view Wanted(Table table) {
  switch (table) {
    case Table::kConditionals:
      return "if or switch";
    case Table::kVirtualInvokes:
      return "call with a receiver";
    case Table::kInstanceOfs:
      return "type check";
    default:
      return "instruction";
  }
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

}  // namespace

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
  if (name.kind == GeneratedKind::kOther) return verdict;
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
  if (ReadGeneratedName(ProfileName(type)).kind != GeneratedKind::kNone) {
    return CheckGenerated(method, type);
  }
  StoredClass& stored = classes_.Find(type);
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

Verdict RecordCheck::Check(Table table, EntryIndex entry) {
  bool is_innermost = true;
  Verdict result;
  profile_.ForEachFrame(profile_.EntryContext(table, entry), [&](const Frame& frame) {
    if (is_innermost) {
      is_innermost = false;
      result = CheckPosition(table, entry, frame);
      return;
    }
    if (result.misfit != Misfit::kNone || result.is_generated || result.is_unjudged) return;
    Verdict caller = CheckCaller(table, frame);
    if (caller.misfit == Misfit::kNone || caller.is_generated) return;
    result.misfit = caller.misfit;
    result.detail = std::move(caller.detail);
    result.method = caller.method;
    result.applicable = 0;
  });
  return result;
}

}  // namespace iprof::fitness
