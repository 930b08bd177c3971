#include "agent/instrument/method_instrumenter.h"

#include <algorithm>
#include <optional>

#include "agent/classfile/code_tables.h"
#include "agent/instrument/intrinsic_calls.h"
#include "agent/instrument/kept_shapes.h"
#include "agent/instrument/table/code_hash.h"

namespace iprof::instrument {
namespace {

using classfile::MethodCode;
using classfile::MethodEditor;
using classfile::Reason;

constexpr uint32_t kMostCode = 65535;

CountingWishes WishesOf(const InstrumenterOptions& options) {
  return {options.calls, options.branches, options.sites, options.placement, options.self_check};
}

}  // namespace

void InstrumentSpaces::GiveBack(const CountedMethod& method, uint32_t counters_taken,
                                size_t sites_taken) {
  if (counters_taken > 0) counters.Release({method.first, counters_taken});
  if (sites_taken > 0)
    sites->Release({CounterIndex{method.first_site}, static_cast<uint32_t>(sites_taken)});
}

MethodOutcome MethodInstrumenter::Instrument(uint32_t number, const CountedMethod* before) {
  const classfile::MemberInfo& member = file_.methods()[number];
  Attempts attempts{.number = number, .before = before};
  CountedMethod& method = attempts.method;
  MethodOutcome& outcome = attempts.outcome;
  method.name = counted_.Keep(file_.NameOf(member));
  method.descriptor = counted_.Keep(file_.DescriptorOf(member));
  method.access = member.access;
  method.intrinsic_candidate = IsIntrinsicCandidate(file_, member);
  callees_.Begin(method);
  Reason reason = member.code_offset == 0 ? Reason::kNoCode : Reason::kCodeTooLong;
  if (before != nullptr && !before->rewritten) reason = Reason::kNoCode;
  outcome.effort.inherited = inherited();
  if (before != nullptr) outcome.effort = before->effort;
  if (reason != Reason::kNoCode) {
    do {
      reason = Try(attempts);
      // Without counters, the lightest effort would count nothing.
    } while (before == nullptr && MakeLighter(reason, attempts.room, &outcome.effort) &&
             (outcome.effort.step != Effort::Step::kCallsOnly || NeedsCounters(method)));
  }
  if (reason == Reason::kOk) {
    method.effort = outcome.effort;
    method.rewritten = method.counters > 0 || method.sites > 0;
    outcome.nothing_to_count = !method.rewritten;
  } else {
    method.sites = 0;
    method.counters = 0;
  }
  outcome.reason = reason;
  counted_.methods.push_back(method);
  return outcome;
}

// One attempt, with the effort in the outcome.
Reason MethodInstrumenter::Try(Attempts& attempts) {
  CountedMethod& method = attempts.method;
  const CountedMethod* const before = attempts.before;
  MethodCode code;
  Reason reason = rewriter_.Open(attempts.number, &code);
  if (reason != Reason::kOk) return reason;
  const auto code_size = static_cast<uint32_t>(code.code().size());
  if (HasKeptShape({method.name, method.descriptor, method.access, code_size},
                   setting_.options.black_holes)) {
    return Reason::kNoCode;
  }
  method.code_hash = CodeHash(code, symbolic_);

  reason = Plan(code, attempts);
  const uint32_t most = LimitOf(code_size) - code_size;
  attempts.room = most - std::min(most, planner_.padding());
  if (reason != Reason::kOk) return reason;
  if (before != nullptr) {
    method.first = before->first;
    method.first_site = before->first_site;
    if (before->sites != planner_.sites().size()) planner_.DropSites();
  } else if (planner_.LeastBytes() > most) {
    return Reason::kCrossesHugeMethodLimit;  // found out before counters are spent on it
  } else if (!Allocate(attempts)) {
    return Reason::kNoCode;  // a lighter plan would need counters too
  }
  const uint32_t counters = planner_.probes().counter_count();
  if (counters == 0 && planner_.sites().empty()) return Reason::kOk;

  MethodEditor editor = rewriter_.Edit(code);
  if (!Emit(method, editor)) {
    attempts.outcome.out_of_reach = true;
    if (before == nullptr) setting_.spaces.GiveBack(method, counters, planner_.sites().size());
    return Reason::kNoCode;
  }
  method.positions = static_cast<uint32_t>(counted_.positions.size());
  const bool watches = attempts.watch && EmitWatches(method, editor);
  reason = rewriter_.Apply(editor);
  if (reason != Reason::kOk && before == nullptr)
    setting_.spaces.GiveBack(method, counters, planner_.sites().size());
  if (reason != Reason::kOk && watches) {  // counts come before stacks
    attempts.watch = false;
    return Try(attempts);
  }
  if (reason == Reason::kOk && before != nullptr && watches) NoteWatched(method);
  if (reason != Reason::kOk || before != nullptr) return reason;
  Note(code, attempts);
  return Reason::kOk;
}

Reason MethodInstrumenter::Plan(MethodCode& code, const Attempts& attempts) {
  const auto code_size = static_cast<uint32_t>(code.code().size());
  return planner_.Plan(code, rewriter_, arena_, WishesOf(setting_.options),
                       {.effort = attempts.outcome.effort,
                        .counters = NeedsCounters(attempts.method),
                        .sites = setting_.spaces.sites != nullptr,
                        .room = LimitOf(code_size) - code_size,
                        .striped = setting_.options.stripes > 1,
                        .fits_in_c1 = LimitOf(code_size) < kMostCode,
                        .force_inline = IsForceInlined(file_, file_.methods()[attempts.number]),
                        .callees = &callees_,
                        .names = {counted_.name, attempts.method.name, attempts.method.descriptor},
                        .weights = setting_.options.weights});
}

uint32_t MethodInstrumenter::LimitOf(uint32_t code_size) const {
  const uint32_t limit = setting_.options.huge_method_limit;
  return code_size <= limit ? limit : kMostCode;
}

// Calls and branches need counters, and so do the calls of methods that lock their class.
bool MethodInstrumenter::NeedsCounters(const CountedMethod& method) const {
  const InstrumenterOptions& options = setting_.options;
  return options.calls || options.branches ||
         (options.sites.monitors && method.IsStaticSynchronized());
}

// Allocates the plan's counters and sites. Returns false if there are no counters. If there are no
// sites, drops the plan's sites.
bool MethodInstrumenter::Allocate(Attempts& attempts) {
  CountedMethod& method = attempts.method;
  Refusal why{};
  const uint32_t counters = planner_.probes().counter_count();
  if (counters > 0) {
    const auto range = setting_.spaces.counters.Allocate(counters, &why);
    if (!range) {
      attempts.outcome.counters_refused = why;
      return false;
    }
    method.first = range->first;
  }
  const auto sites = static_cast<uint32_t>(planner_.sites().size());
  if (sites > 0) {
    const auto range = setting_.spaces.sites->Allocate(sites);
    if (!range) {
      attempts.outcome.sites_refused = true;
      planner_.DropSites();
    } else {
      method.first_site = static_cast<uint32_t>(range->first);
    }
  }
  method.sites = static_cast<uint32_t>(planner_.sites().size());
  return true;
}

// Inserts the plan's probes. Returns false if the class has no access to their chunks.
bool MethodInstrumenter::Emit(const CountedMethod& method, MethodEditor& editor) const {
  if (planner_.probes().counter_count() > 0 && !EmitCounters(method, editor)) return false;
  return planner_.sites().empty() || EmitSites(method, editor);
}

bool MethodInstrumenter::EmitCounters(const CountedMethod& method, MethodEditor& editor) const {
  const uint32_t chunk = ChunkOf(method.first);
  CounterHolder holder{.class_name = "", .striped = setting_.options.stripes > 1};
  std::optional<std::string> name;
  if (inherited()) {
    holder.inherited_chunk = chunk;
  } else {
    name =
        access_ == nullptr ? setting_.spaces.counter_holder(chunk) : access_->CounterHolder(chunk);
    if (!name) return false;
    holder.class_name = *name;
  }
  EmitProbes(planner_.probes(), holder, planner_.counter_form(), method.first, editor);
  return true;
}

bool MethodInstrumenter::EmitSites(const CountedMethod& method, MethodEditor& editor) const {
  const uint32_t chunk = method.first_site / setting_.spaces.sites_in_chunk;
  const uint32_t first = method.first_site % setting_.spaces.sites_in_chunk;
  if (inherited()) {
    EmitSiteProbes(planner_.sites(), {"", chunk}, planner_.site_form(), first, editor);
    return true;
  }
  const auto name =
      access_ == nullptr ? setting_.spaces.site_holder(chunk) : access_->SiteHolder(chunk);
  if (!name) return false;
  EmitSiteProbes(planner_.sites(), {*name}, planner_.site_form(), first, editor);
  return true;
}

// Inserts the probes that take stacks. Returns false if there are none.
bool MethodInstrumenter::EmitWatches(const CountedMethod& method, MethodEditor& editor) const {
  constexpr uint32_t kMostInMethod = 32;  // C1 inlines each (register_budget.h)
  WatchedSites* const watched = setting_.spaces.watched.load();
  // In other loaders nothing leads to the class that takes stacks.
  if (watched == nullptr || (access_ != nullptr && !inherited())) return false;
  const MethodCode& code = editor.code();
  const ContextSites::OfMethod chosen =
      watched->chosen().Of({counted_.name, method.name, method.descriptor}, method.code_hash);
  classfile::UninitializedObjects uninitialized;
  if (chosen.sites.empty() || uninitialized.Compute(code, arena_) != Reason::kOk) return false;
  uint32_t emitted = 0;
  for (uint32_t i = 0; i < chosen.sites.size() && emitted < kMostInMethod; ++i) {
    const ContextSite& site = chosen.sites[i];
    const classfile::Insn insn = code.IndexAt(static_cast<uint32_t>(site.bci));
    if (insn == MethodCode::kNone || !CanBeWatched(code, insn, site.is_call, uninitialized))
      continue;
    watched->Note(chosen.first + i, Watched(code, insn));
    EmitWatch(insn, chosen.first + i, inherited(), editor);
    ++emitted;
  }
  return emitted > 0;
}

// The record of its class has the positions of the first version.
void MethodInstrumenter::NoteWatched(const CountedMethod& method) {
  setting_.spaces.watched.load()->NotePositions(
      counted_.KeyOf(method), method.code_hash,
      std::span<const uint8_t>(counted_.positions).subspan(method.positions));
}

// Adds a method that was instrumented for the first time to the class's record.
void MethodInstrumenter::Note(const MethodCode& code, Attempts& attempts) {
  CountedMethod& method = attempts.method;
  const uint32_t number = attempts.number;
  method.counters = planner_.probes().counter_count();
  if (method.counters > 0) NoteRecord(attempts);
  for (uint32_t i = 0; i < planner_.sites().size(); ++i) {
    const FoundSite& site = planner_.sites()[i];
    const uint32_t bci = site.insn == FoundSite::kEntry ? 0 : code.OffsetOf(site.insn);
    const bool is_call = site.kind == SiteKind::kReceiver && setting_.options.lines;
    counted_.sites.push_back(
        {number, bci, method.first_site + i, site.kind, is_call ? TargetOf(code, site.insn) : 0});
  }
  if (setting_.options.lines) NoteLines(code, method);
  if (planner_.left_out().any()) {
    attempts.outcome.left_out = true;
    counted_.left_out.push_back({number, planner_.left_out()});
  }
  if (planner_.reference()) {
    setting_.self_check.Note(counted_.KeyOf(method), planner_.probes(), *planner_.reference(),
                             planner_.Branches(), method.first);
  }
}

// Keeps the source lines of the method's entry, branches with their targets, and sites.
void MethodInstrumenter::NoteLines(const MethodCode& code, CountedMethod& method) {
  classfile::ReadLines(code, [&](uint32_t bci, uint32_t line) {
    line_starts_.push_back({bci, line});
  });
  // Of two lines at the same position, the later one counts, as in the JVM.
  std::stable_sort(line_starts_.begin(), line_starts_.end(),
                   [](const LineStart& a, const LineStart& b) { return a.bci < b.bci; });
  recorded_.assign(1, 0);
  if (method.counters > 0) {
    for (const BranchSite& branch : record_.branches) recorded_.push_back(branch.bci);
    for (const BranchSuccessor& successor : record_.successors)
      recorded_.push_back(successor.target);
  }
  for (size_t s = counted_.sites.size() - method.sites; s < counted_.sites.size(); ++s)
    recorded_.push_back(counted_.sites[s].bci);
  std::sort(recorded_.begin(), recorded_.end());
  method.lines = static_cast<uint32_t>(counted_.lines.size());
  method.has_lines = AppendLines(line_starts_, recorded_, &counted_.lines);
  line_starts_.clear();
}

// The number of the method that a virtual call names.
uint32_t MethodInstrumenter::TargetOf(const MethodCode& code, classfile::Insn call) {
  const auto member = code.Member(call);
  if (!member) return 0;
  const std::string_view owner = file_.pool().ClassName(member->owner);
  const auto next = static_cast<uint32_t>(counted_.targets.size() + 1);
  const auto [known, is_new] = targets_.try_emplace({owner, member->name}, next);
  if (is_new) counted_.targets.push_back({counted_.Keep(owner), counted_.Keep(member->name)});
  return known->second;
}

// Records how the method's counts follow from its counters.
void MethodInstrumenter::NoteRecord(Attempts& attempts) {
  attempts.method.record = static_cast<uint32_t>(counted_.records.size());
  planner_.FillRecord(&record_);
  record_.method = attempts.number;
  // Counters are numbered within the class (KeptClass), so that classes can share the record.
  EncodeMethodRecord(record_, &counted_.records);
}

}  // namespace iprof::instrument
