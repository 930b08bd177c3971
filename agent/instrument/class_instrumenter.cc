#include "agent/instrument/class_instrumenter.h"

#include <fmt/format.h>

#include <algorithm>
#include <cstring>
#include <mutex>
#include <optional>
#include <utility>
#include <vector>

#include "agent/classfile/names.h"
#include "agent/classfile/rewriter.h"
#include "agent/instrument/effort/kept_shapes.h"
#include "agent/instrument/effort/method_plan.h"
#include "agent/instrument/outcome_tally.h"
#include "agent/instrument/plan/self_check.h"
#include "agent/instrument/table/class_table.h"
#include "agent/instrument/table/content_hash.h"
#include "writer/methods/assembly_report.h"
#include "writer/methods/position_map.h"
#include "writer/methods/site_record.h"
#include "writer/names/intrinsic_names.h"

namespace iprof::instrument {
namespace {

using classfile::ClassFile;
using classfile::ClassRewriter;
using classfile::MemberInfo;
using classfile::MethodCode;
using classfile::Reason;

// State that all attempts at one method share, from heavier to lighter plans.
struct Attempts {
  Effort effort;
  uint32_t room = 0;  // bytes that may be inserted
};

// Everything that one rewriting thread needs, reused for the next class.
struct Worker {
  classfile::Workspace memory;
  MethodPlanner planner;
  MethodRecord record;
  std::vector<MethodOutcome> outcomes;  // of the class's methods
  ChunkAccess* access = nullptr;        // of the class
};

// Numbers the callees of one class whose calls are counted at their sites.
class ClassCallees final : public CalleeNumbers {
 public:
  explicit ClassCallees(ClassRecord& klass) : klass_(klass) {}

  uint32_t NumberOf(const MethodCode& code, classfile::Insn insn) override {
    const auto member = code.Member(insn);
    if (!member) return kNotWanted;
    const std::string_view owner = code.file().pool().ClassName(member->owner);
    if (!MayBeIntrinsic(owner, member->name)) return kNotWanted;
    const bool is_virtual = code.at(insn).op == classfile::Op::invokevirtual;
    for (uint32_t i = 0; i < klass_.callees.size(); ++i) {
      const Callee& known = klass_.callees[i];
      if (known.owner == owner && known.name == member->name &&
          known.descriptor == member->descriptor && known.virtual_call == is_virtual) {
        return i;
      }
    }
    klass_.callees.push_back({klass_.Keep(owner), klass_.Keep(member->name),
                              klass_.Keep(member->descriptor), is_virtual});
    return static_cast<uint32_t>(klass_.callees.size() - 1);
  }

 private:
  ClassRecord& klass_;
};

// A pool with as many workers as classes are rewritten at a time.
class WorkerPool {
 public:
  std::unique_ptr<Worker> Take() {
    {
      std::lock_guard lock(mutex_);
      if (!idle_.empty()) {
        auto worker = std::move(idle_.back());
        idle_.pop_back();
        return worker;
      }
    }
    return std::make_unique<Worker>();
  }
  void Return(std::unique_ptr<Worker> worker) {
    std::lock_guard lock(mutex_);
    idle_.push_back(std::move(worker));
  }

 private:
  std::mutex mutex_;
  std::vector<std::unique_ptr<Worker>> idle_;
};

// Whether the method's own annotation says that compilers may replace calls of it.
bool IsIntrinsicCandidate(const ClassFile& file, const MemberInfo& method) {
  classfile::AttributeWalk attributes = file.AttributesOf(method);
  classfile::AttributeView attribute;
  while (attributes.Next(&attribute)) {
    if (file.pool().Utf8(attribute.name) != "RuntimeVisibleAnnotations") continue;
    // Annotations can nest, but this one has no elements, and HotSpot looks for it only at the top
    // level. So it is enough that its type index occurs somewhere in the attribute.
    for (size_t i = 2; i + 1 < attribute.bytes.size(); ++i) {
      const classfile::CpIndex type{classfile::LoadU2(attribute.bytes.data() + i)};
      if (file.pool().Utf8(type) == "Ljdk/internal/vm/annotation/IntrinsicCandidate;") return true;
    }
  }
  return false;
}

constexpr uint32_t kMostCode = 65535;

}  // namespace

struct ClassInstrumenter::Rep {
  Rep(InstrumenterOptions o, CounterSpace& s, HolderName h, MemoryBudget* b)
      : options(o),
        wishes{o.calls, o.branches, o.sites, o.placement, o.self_check},
        space(s),
        holder_name(std::move(h)),
        budget(b),
        table(b) {}

  bool Instrument(Worker& worker, const ClassBytes& input,
                  const std::function<uint8_t*(size_t)>& output, std::optional<ClassId>* held);
  void GiveBack(const CountedMethod& method, uint32_t counters, size_t sites);
  bool Rewrite(Worker& worker, const ClassFile& file, std::string_view name, const Hash128& hash,
               const ClassRecord* before, ClassRecord& counted, classfile::ByteSpan* result);
  void InstrumentMethod(Worker& worker, const ClassFile& file, ClassRewriter& rewriter,
                        uint32_t number, const CountedMethod* before, ClassRecord& counted);
  Reason TryMethod(Worker& worker, ClassRewriter& rewriter, uint32_t number,
                   const CountedMethod* before, Attempts& attempts, ClassRecord& counted,
                   CountedMethod& method, MethodOutcome& outcome);
  UnloadedCounts Collect(const ClassTable::Taken& taken, Counters& counters);
  bool NeedsCounters(const CountedMethod& method) const;
  // The maximum size of a method with its probes.
  uint32_t LimitOf(uint32_t code_size) const {
    return code_size <= options.huge_method_limit ? options.huge_method_limit : kMostCode;
  }
  bool Allocate(MethodPlanner& planner, CountedMethod& method, MethodOutcome& outcome);
  bool Emit(Worker& worker, const CountedMethod& method, classfile::MethodEditor& editor);
  static void NoteRecord(Worker& worker, uint32_t number, CountedMethod& method,
                         ClassRecord& counted);

  const InstrumenterOptions options;
  const CountingWishes wishes;
  CounterSpace& space;
  const HolderName holder_name;
  MemoryBudget* const budget;          // may be null
  CounterSpace* site_space = nullptr;  // null: no sites
  uint32_t sites_in_chunk = 0;
  HolderName site_holder_name;
  WorkerPool workers;
  ClassTable table;
  SelfCheck self_check;
  OutcomeTally tally;
  // Idle classes, with the round in which each was found idle.
  std::vector<std::pair<ClassTable::Idle, uint64_t>> idle;
};

ClassInstrumenter::ClassInstrumenter(InstrumenterOptions options, CounterSpace& space,
                                     HolderName holder_name, MemoryBudget* budget)
    : rep_(std::make_unique<Rep>(options, space, std::move(holder_name), budget)) {}

ClassInstrumenter::~ClassInstrumenter() = default;

void ClassInstrumenter::UseSites(CounterSpace& sites, uint32_t sites_in_chunk,
                                 HolderName site_holder_name) {
  rep_->site_space = &sites;
  rep_->sites_in_chunk = sites_in_chunk;
  rep_->site_holder_name = std::move(site_holder_name);
}

bool ClassInstrumenter::Instrument(const ClassBytes& input,
                                   const std::function<uint8_t*(size_t)>& output,
                                   std::optional<ClassId>* held) {
  auto worker = rep_->workers.Take();
  const bool changed = rep_->Instrument(*worker, input, output, held);
  worker->memory.Reset();
  rep_->workers.Return(std::move(worker));
  return changed;
}

void ClassInstrumenter::Release(ClassId held) { rep_->table.Release(held); }
void ClassInstrumenter::LimitUnloaded(uint64_t bytes) { rep_->table.LimitUnloaded(bytes); }

void ClassInstrumenter::OnForgotten(ClassTable::Forgotten forgotten) {
  rep_->table.OnForgotten(std::move(forgotten));
}

void ClassInstrumenter::Unload(Counters& counters, uint64_t rounds) {
  // the self-check compares the counters of all classes at the end
  if (rep_->options.self_check) return;
  for (const ClassTable::Idle& idle : rep_->table.TakeIdle()) rep_->idle.emplace_back(idle, rounds);
  std::erase_if(rep_->idle, [&](const auto& waiting) {
    if (rep_->table.HasSites(waiting.first.id) && rounds < waiting.second + 2) return false;
    if (const auto taken = rep_->table.TakeOut(waiting.first))
      rep_->table.Unload(waiting.first.id, rep_->Collect(*taken, counters));
    return true;
  });
}

// Returns the counts of a class that is gone. Its counters are free afterwards, unless they could
// not be set to zero.
UnloadedCounts ClassInstrumenter::Rep::Collect(const ClassTable::Taken& taken, Counters& counters) {
  UnloadedCounts counts;
  std::vector<uint64_t> values;
  for (const CounterRange& range : taken.counters) {
    const size_t before = values.size();
    const bool free = counters.Take(range, &values);
    values.resize(before + range.count);
    if (free) space.Release(range);
  }
  for (uint32_t i = 0; i < values.size(); ++i) {
    if (values[i] != 0) counts.counters.emplace_back(i, values[i]);
  }
  uint32_t first = 0;
  for (const CounterRange& range : taken.sites) {
    if (counters.TakeSites(range, first, &counts)) site_space->Release(range);
    first += range.count;
  }
  return counts;
}

bool ClassInstrumenter::Knows(std::string_view internal_name) const {
  return rep_->table.KnowsName(internal_name);
}

std::optional<uint32_t> ClassInstrumenter::OriginalBci(std::string_view internal_class,
                                                       std::string_view method,
                                                       std::string_view descriptor,
                                                       uint32_t running_bci,
                                                       const OriginOf& origin_of) const {
  ClassRecord klass;
  if (!rep_->table.DecodeLatest(internal_class, &klass)) return running_bci;
  for (const CountedMethod& m : klass.methods) {
    if (m.name != method || m.descriptor != descriptor) continue;
    if (origin_of && origin_of(klass, m) != MethodOrigin::kSame) return std::nullopt;
    if (!m.rewritten) return running_bci;
    return OriginalPosition(std::span<const uint8_t>(klass.positions).subspan(m.positions),
                            running_bci);
  }
  return running_bci;
}

bool ClassInstrumenter::Rep::Instrument(Worker& worker, const ClassBytes& input,
                                        const std::function<uint8_t*(size_t)>& output,
                                        std::optional<ClassId>* held) {
  ClassFile file;
  Reason parsed = file.Parse(input.bytes, worker.memory.class_memory);
  if (parsed == Reason::kOk && !classfile::HasLegalNames(file)) parsed = Reason::kBadNames;
  if (parsed != Reason::kOk) {
    tally.NoteUnreadable(parsed);
    return false;
  }
  worker.access = input.access;
  const std::string_view name = input.name.empty() ? file.name() : input.name;
  const Hash128 hash = ContentHash(file, name);
  classfile::ByteSpan result;
  ClassRecord known;
  bool is_known = false;
  bool changed = false;
  std::optional<ClassId> id = table.Find(name, hash, &known);
  if (id) {
    is_known = true;
  } else {
    if (budget != nullptr && !budget->HasRoom(input.bytes.size())) {
      tally.NoteNoRoom();
      return false;
    }
    ClassRecord counted;
    changed = Rewrite(worker, file, name, hash, nullptr, counted, &result);
    if (!changed && OutcomeTally::AnyBeyondCap(worker.outcomes)) {
      // It will never be counted. Do not keep it: the number of such classes is unlimited.
      tally.NoteClass(worker.outcomes);
      return false;
    }
    const ClassTable::Added added = table.Add(counted);
    id = added.id;
    if (added.is_new) {
      tally.NoteClass(worker.outcomes);
    } else {
      // Another thread instrumented the same class meanwhile; its counters are used.
      for (const CountedMethod& m : counted.methods) GiveBack(m, m.counters, m.sites);
      table.Decode(added.id, 0, 0, &known);
      is_known = true;
    }
  }
  if (is_known) {
    ClassRecord again;
    changed = Rewrite(worker, file, name, hash, &known, again, &result);
  }
  if (held != nullptr) *held = id;
  if (!changed) return false;
  uint8_t* out = output(result.size());
  if (out == nullptr) return false;
  std::memcpy(out, result.data(), result.size());
  return true;
}

// Frees counters that no code uses.
void ClassInstrumenter::Rep::GiveBack(const CountedMethod& method, uint32_t counters,
                                      size_t sites) {
  if (counters > 0) space.Release({method.first, counters});
  if (sites > 0)
    site_space->Release({CounterIndex{method.first_site}, static_cast<uint32_t>(sites)});
}

// Fills `counted` and rewrites the class. With `before`, uses the counters that the class already
// has.
bool ClassInstrumenter::Rep::Rewrite(Worker& worker, const ClassFile& file, std::string_view name,
                                     const Hash128& hash, const ClassRecord* before,
                                     ClassRecord& counted, classfile::ByteSpan* result) {
  counted.name = counted.Keep(name);
  counted.super_name = counted.Keep(file.super_name());
  counted.hash = hash;
  counted.access = file.access();
  counted.methods.reserve(file.methods().size());
  worker.outcomes.clear();
  ClassRewriter rewriter(file, worker.memory, {.huge_method_limit = options.huge_method_limit});
  rewriter.WritePositionsTo(&counted.positions);
  for (uint32_t m = 0; m < file.methods().size(); ++m) {
    InstrumentMethod(worker, file, rewriter, m, before == nullptr ? nullptr : &before->methods[m],
                     counted);
  }
  *result = rewriter.Finish();
  return rewriter.rewritten_methods() > 0;
}

void ClassInstrumenter::Rep::InstrumentMethod(Worker& worker, const ClassFile& file,
                                              ClassRewriter& rewriter, uint32_t number,
                                              const CountedMethod* before, ClassRecord& counted) {
  const MemberInfo& member = file.methods()[number];
  CountedMethod method;
  method.name = counted.Keep(file.NameOf(member));
  method.descriptor = counted.Keep(file.DescriptorOf(member));
  method.access = member.access;
  method.intrinsic_candidate = IsIntrinsicCandidate(file, member);
  MethodOutcome outcome;
  Reason reason = member.code_offset == 0 ? Reason::kNoCode : Reason::kCodeTooLong;
  if (before != nullptr && !before->rewritten) reason = Reason::kNoCode;
  Attempts attempts;
  attempts.effort.inherited = worker.access != nullptr && worker.access->inherited();
  if (before != nullptr) attempts.effort = before->effort;
  if (reason != Reason::kNoCode) {
    do {
      reason = TryMethod(worker, rewriter, number, before, attempts, counted, method, outcome);
      // Without counters, the lightest effort would count nothing.
    } while (before == nullptr && MakeLighter(reason, attempts.room, &attempts.effort) &&
             (attempts.effort.step != Effort::Step::kCallsOnly || NeedsCounters(method)));
  }
  outcome.effort = attempts.effort;
  if (reason == Reason::kOk) {
    method.effort = outcome.effort;
    method.rewritten = method.counters > 0 || method.sites > 0;
    outcome.nothing_to_count = !method.rewritten;
  } else {
    method.sites = 0;
    method.counters = 0;
  }
  outcome.reason = reason;
  worker.outcomes.push_back(outcome);
  counted.methods.push_back(method);
}

// Calls and branches need counters, and so do the calls of methods that lock their class.
bool ClassInstrumenter::Rep::NeedsCounters(const CountedMethod& method) const {
  return options.calls || options.branches ||
         (options.sites.monitors && method.IsStaticSynchronized());
}

// Allocates the plan's counters and sites. Returns false if there are no counters. If there are no
// sites, drops the plan's sites.
bool ClassInstrumenter::Rep::Allocate(MethodPlanner& planner, CountedMethod& method,
                                      MethodOutcome& outcome) {
  Refusal why{};
  const uint32_t counters = planner.probes().counter_count();
  if (counters > 0) {
    const auto range = space.Allocate(counters, &why);
    if (!range) {
      outcome.counters_refused = why;
      return false;
    }
    method.first = range->first;
  }
  const auto sites = static_cast<uint32_t>(planner.sites().size());
  if (sites > 0) {
    const auto range = site_space->Allocate(sites);
    if (!range) {
      outcome.sites_refused = true;
      planner.DropSites();
    } else {
      method.first_site = static_cast<uint32_t>(range->first);
    }
  }
  method.sites = static_cast<uint32_t>(planner.sites().size());
  return true;
}

// Inserts the plan's probes. Returns false if the class has no access to their chunks.
bool ClassInstrumenter::Rep::Emit(Worker& worker, const CountedMethod& method,
                                  classfile::MethodEditor& editor) {
  const MethodPlanner& planner = worker.planner;
  ChunkAccess* const access = worker.access;
  const bool inherited = access != nullptr && access->inherited();
  if (planner.probes().counter_count() > 0) {
    const uint32_t chunk = ChunkOf(method.first);
    CounterHolder holder{.class_name = "", .striped = options.stripes > 1};
    std::optional<std::string> name;
    if (inherited) {
      holder.inherited_chunk = chunk;
    } else {
      name = access == nullptr ? holder_name(chunk) : access->CounterHolder(chunk);
      if (!name) return false;
      holder.class_name = *name;
    }
    EmitProbes(planner.probes(), holder, planner.form(), method.first, editor);
  }
  if (!planner.sites().empty()) {
    const uint32_t chunk = method.first_site / sites_in_chunk;
    const uint32_t first = method.first_site % sites_in_chunk;
    if (inherited) {
      EmitSiteProbes(planner.sites(), {"", chunk}, planner.form(), first, editor);
    } else {
      const auto name = access == nullptr ? site_holder_name(chunk) : access->SiteHolder(chunk);
      if (!name) return false;
      EmitSiteProbes(planner.sites(), {*name}, planner.form(), first, editor);
    }
  }
  return true;
}

Reason ClassInstrumenter::Rep::TryMethod(Worker& worker, ClassRewriter& rewriter, uint32_t number,
                                         const CountedMethod* before, Attempts& attempts,
                                         ClassRecord& counted, CountedMethod& method,
                                         MethodOutcome& outcome) {
  MethodCode code;
  Reason reason = rewriter.Open(number, &code);
  if (reason != Reason::kOk) return reason;
  const auto code_size = static_cast<uint32_t>(code.code().size());
  if (HasKeptShape({method.name, method.descriptor, method.access, code_size},
                   options.black_holes)) {
    return Reason::kNoCode;
  }
  method.code_hash = Murmur3(code.code()).low;

  MethodPlanner& planner = worker.planner;
  ClassCallees callees(counted);
  reason = planner.Plan(code, rewriter, worker.memory.method_memory, wishes,
                        {.effort = attempts.effort,
                         .counters = NeedsCounters(method),
                         .sites = site_space != nullptr,
                         .striped = options.stripes > 1,
                         .fits_in_c1 = LimitOf(code_size) < kMostCode,
                         .callees = &callees});
  const uint32_t most = LimitOf(code_size) - code_size;
  attempts.room = most - std::min(most, planner.padding());
  if (reason != Reason::kOk) return reason;
  if (before != nullptr) {
    method.first = before->first;
    method.first_site = before->first_site;
    if (before->sites != planner.sites().size()) planner.DropSites();
  } else if (planner.LeastBytes() > most) {
    return Reason::kCrossesHugeMethodLimit;  // found out before counters are spent on it
  } else if (!Allocate(planner, method, outcome)) {
    return Reason::kNoCode;  // a lighter plan would need counters too
  }
  const uint32_t counters = planner.probes().counter_count();
  if (counters == 0 && planner.sites().empty()) return Reason::kOk;

  classfile::MethodEditor editor = rewriter.Edit(code);
  if (!Emit(worker, method, editor)) {
    outcome.out_of_reach = true;
    if (before == nullptr) GiveBack(method, counters, planner.sites().size());
    return Reason::kNoCode;
  }
  method.positions = static_cast<uint32_t>(counted.positions.size());
  reason = rewriter.Apply(editor);
  if (before != nullptr) return reason;
  if (reason != Reason::kOk) {
    GiveBack(method, counters, planner.sites().size());
    return reason;
  }

  method.counters = counters;
  if (counters > 0) NoteRecord(worker, number, method, counted);
  for (uint32_t i = 0; i < planner.sites().size(); ++i) {
    const FoundSite& site = planner.sites()[i];
    const uint32_t bci = site.insn == FoundSite::kEntry ? 0 : code.OffsetOf(site.insn);
    counted.sites.push_back({number, bci, method.first_site + i, site.kind});
  }
  if (planner.left_out().any()) {
    outcome.left_out = true;
    counted.left_out.push_back({number, planner.left_out()});
  }
  if (planner.reference()) {
    self_check.Note(counted.KeyOf(method), planner.probes(), *planner.reference(),
                    planner.Branches(), method.first);
  }
  return Reason::kOk;
}

// Records how the method's counts follow from its counters.
void ClassInstrumenter::Rep::NoteRecord(Worker& worker, uint32_t number, CountedMethod& method,
                                        ClassRecord& counted) {
  method.record = static_cast<uint32_t>(counted.records.size());
  worker.planner.FillRecord(&worker.record);
  worker.record.method = number;
  // Counters are numbered within the class (KeptClass), so that classes can share the record.
  EncodeSiteRecord(worker.record, &counted.records);
}

AddedCounts ClassInstrumenter::AddTo(std::span<const uint64_t> counters, const TypeCounts& types,
                                     const LiveFrameCount& live_frames, Profile& profile,
                                     const OriginOf& origin_of) {
  const auto classes = Classes(counters, types, origin_of);
  AddedCounts added;
  added.assembly = AssembleProfile(*classes, {classes->counters(), classes->types(), live_frames},
                                   assembly_options(), profile);
  if (rep_->options.self_check) added.self_check = rep_->self_check.Compare(counters, live_frames);
  return added;
}

std::unique_ptr<const KnownClasses> ClassInstrumenter::Classes(std::span<const uint64_t> counters,
                                                               const TypeCounts& types,
                                                               const OriginOf& origin_of) {
  return std::make_unique<const KnownClasses>(rep_->table, counters, types, origin_of);
}

AssemblyOptions ClassInstrumenter::assembly_options() const {
  return {.calls = rep_->options.calls,
          .branches = rep_->options.branches,
          .monitors = rep_->options.sites.monitors,
          .max_lost = rep_->options.receivers_max_lost};
}

ClassTable::Statistics ClassInstrumenter::classes() const { return rep_->table.statistics(); }

std::string ClassInstrumenter::Report(const AddedCounts& added) const {
  const Rep& r = *rep_;
  std::string report = r.tally.Report();
  const ClassTable::Statistics classes = r.table.statistics();
  const uint64_t known = classes.loaded + classes.unloaded;
  report += fmt::format(
      "classes kept: {} of {} contents, {} bytes each; gone: {} with counts, {} without\n", known,
      classes.contents, known == 0 ? 0 : classes.bytes / known, classes.unloaded, classes.dropped);
  if (classes.forgotten > 0) {
    report += fmt::format(
        "classes gone whose counts were given up for want of room: {}, with {} counts\n",
        classes.forgotten, classes.forgotten_counts);
  }
  report += DescribeCounts(added.assembly);
  if (r.site_space != nullptr) {
    report += DescribeSites(added.assembly, r.options.receivers_max_lost);
    if (const uint64_t count = r.tally.methods_without_sites(); count > 0) {
      report +=
          fmt::format("methods whose receivers are not counted for want of memory: {}\n", count);
    }
  }
  report += DescribeLeftOut(added.assembly);
  if (r.options.self_check) report += added.self_check.Report();
  return report;
}

}  // namespace iprof::instrument
