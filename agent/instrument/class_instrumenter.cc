#include "agent/instrument/class_instrumenter.h"

#include <fmt/core.h>

#include <algorithm>
#include <atomic>
#include <cstring>
#include <map>
#include <optional>
#include <utility>
#include <vector>

#include "agent/classfile/names.h"
#include "agent/classfile/rewriter.h"
#include "agent/instrument/outcome_tally.h"
#include "agent/instrument/table/content_hash.h"
#include "agent/instrument/worker_pool.h"
#include "writer/base/code_length.h"
#include "writer/base/grouped.h"
#include "writer/records/assembly_report.h"
#include "writer/records/position_map.h"

namespace iprof::instrument {
namespace {

using classfile::ClassFile;
using classfile::ClassRewriter;
using classfile::Reason;

// Everything that one rewriting thread needs, reused for the next class.
struct Worker {
  classfile::Workspace memory;
  MethodInstrumenter::Memory method_memory;
  std::vector<MethodOutcome> outcomes;  // of the class's methods
  ChunkAccess* access = nullptr;        // of the class
};

// Where a running position may be in the class file, by all code that may have run.
class PossibleOrigins {
 public:
  // `with_own`: the classes' own code may have run, too.
  PossibleOrigins(ClassInstrumenter::RunningPosition& position, bool with_own)
      : position_(position), with_own_(with_own || position.code.is_known()) {}

  // `is_same`: no other agent changed the method before it was rewritten.
  void Add(const ClassRecord& klass, const CountedMethod& m, bool is_same) {
    position_.is_recorded = position_.is_recorded || m.rewritten || !is_same;
    if (!m.rewritten) return AddOne(position_.running, 0, is_same);
    const uint32_t own = CodeLengthIn(m.code_hash);
    if (with_own_ && (own == 0 || (position_.code.Fits(own) && position_.running < own)))
      AddOne(position_.running, own, is_same);
    AddVersion(std::span<const uint8_t>(klass.positions).subspan(m.positions), own, is_same);
  }
  // Code with probes. `own`: the length without.
  void AddVersion(std::span<const uint8_t> map, uint32_t own, bool is_same) {
    const uint32_t rewritten = RewrittenLength(map);
    if (position_.code.Fits(rewritten) && position_.running < rewritten)
      AddOne(OriginalPosition(map, position_.running), own, is_same);
  }
  void Finish() {
    if (position_.original_length == UINT32_MAX) position_.original_length = 0;
    if (!position_.is_recorded) {
      position_.original = position_.running;
    } else if (all_agree_) {
      position_.original = found_;
    }
  }

 private:
  void AddOne(uint32_t original, uint32_t length, bool is_same) {
    all_agree_ = all_agree_ && is_same && found_.value_or(original) == original;
    found_ = original;
    const uint32_t known = position_.original_length;
    position_.original_length = known == 0 || known == length ? length : UINT32_MAX;
  }

  ClassInstrumenter::RunningPosition& position_;
  const bool with_own_;
  std::optional<uint32_t> found_;
  bool all_agree_ = true;
};

}  // namespace

struct ClassInstrumenter::Rep {
  Rep(InstrumenterOptions o, CounterSpace& counters, HolderName holder, MemoryBudget* b)
      : options(o),
        spaces{.counters = counters, .counter_holder = std::move(holder), .site_holder = {}},
        budget(b),
        table(b),
        unloading(table, spaces) {}

  bool Instrument(Worker& worker, const ClassBytes& input,
                  const std::function<uint8_t*(size_t)>& output, std::optional<ClassId>* held);
  bool Rewrite(Worker& worker, const ClassFile& file, std::string_view name, const Hash128& hash,
               const ClassRecord* before, ClassRecord& counted, classfile::ByteSpan* result);

  const InstrumenterOptions options;
  InstrumentSpaces spaces;
  MemoryBudget* const budget;  // may be null
  WorkerPool<Worker> workers;
  ClassTable table;
  FrozenMethods frozen;
  std::atomic<bool> own_code_runs{false};
  ClassUnloading unloading;
  SelfCheck self_check;
  OutcomeTally tally;
};

ClassInstrumenter::ClassInstrumenter(InstrumenterOptions options, CounterSpace& space,
                                     HolderName holder_name, MemoryBudget* budget)
    : rep_(std::make_unique<Rep>(options, space, std::move(holder_name), budget)) {}

ClassInstrumenter::~ClassInstrumenter() = default;

void ClassInstrumenter::UseSites(CounterSpace& sites, uint32_t sites_in_chunk,
                                 HolderName site_holder_name) {
  rep_->spaces.sites = &sites;
  rep_->spaces.sites_in_chunk = sites_in_chunk;
  rep_->spaces.site_holder = std::move(site_holder_name);
}

void ClassInstrumenter::Watch(WatchedSites& sites) { rep_->spaces.watched.store(&sites); }

bool ClassInstrumenter::Instrument(const ClassBytes& input,
                                   const std::function<uint8_t*(size_t)>& output,
                                   std::optional<ClassId>* held) {
  auto worker = rep_->workers.Take();
  const bool changed = rep_->Instrument(*worker, input, output, held);
  worker->memory.Reset();
  rep_->workers.Return(std::move(worker));
  return changed;
}

void ClassInstrumenter::NoteOwnCodeRuns() { rep_->own_code_runs.store(true); }

FrozenMethods& ClassInstrumenter::frozen() { return rep_->frozen; }

void ClassInstrumenter::Release(ClassId held) { rep_->table.Release(held); }
void ClassInstrumenter::LimitUnloaded(uint64_t bytes) { rep_->table.LimitUnloaded(bytes); }

void ClassInstrumenter::ForgetUnloaded() { rep_->table.ForgetUnloaded(); }

void ClassInstrumenter::TrimWorkers() { rep_->workers.Trim(); }

void ClassInstrumenter::OnForgotten(ClassTable::Forgotten forgotten) {
  rep_->table.OnForgotten(std::move(forgotten));
}

void ClassInstrumenter::Unload(FreedCounters& counters, uint64_t rounds) {
  // The self-check compares the counters of all classes at the end.
  if (!rep_->options.self_check) rep_->unloading.Unload(counters, rounds);
}

bool ClassInstrumenter::IsUnloadDue(uint64_t rounds) {
  return !rep_->options.self_check && rep_->unloading.IsDue(rounds);
}

bool ClassInstrumenter::Knows(std::string_view internal_name) const {
  return rep_->table.KnowsName(internal_name);
}

void ClassInstrumenter::OriginalBcis(std::string_view internal_class,
                                     std::span<RunningPosition> positions,
                                     const OriginOf& origin_of) const {
  using Key = std::pair<std::string_view, std::string_view>;
  std::map<Key, std::vector<std::pair<const ClassRecord*, const CountedMethod*>>> methods;
  for (const RunningPosition& position : positions)
    methods[Key{position.method, position.descriptor}];
  const std::vector<ClassRecord> versions =
      rep_->table.DecodeVersions(internal_class, [&](std::string_view name, std::string_view d) {
        return methods.contains(Key{name, d});
      });
  for (const ClassRecord& version : versions)
    for (const CountedMethod& m : version.methods)
      methods[Key{m.name, m.descriptor}].emplace_back(&version, &m);
  const WatchedSites* const watched = rep_->spaces.watched.load();
  for (RunningPosition& position : positions) {
    PossibleOrigins origins(position, rep_->own_code_runs.load() || rep_->frozen.was_left_out());
    for (const auto& [klass, m] : methods[Key{position.method, position.descriptor}]) {
      const bool is_same = !origin_of || origin_of(*klass, *m) == MethodOrigin::kSame;
      origins.Add(*klass, *m, is_same);
      if (watched == nullptr || !m->rewritten) continue;
      const auto map = watched->PositionsOf(klass->KeyOf(*m), m->code_hash);
      origins.AddVersion(map, CodeLengthIn(m->code_hash), is_same);
    }
    origins.Finish();
  }
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
      // Another thread has just instrumented the same class; its counters are used.
      for (const CountedMethod& m : counted.methods) spaces.GiveBack(m, m.counters, m.sites);
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
  MethodInstrumenter methods({options, spaces, self_check}, worker.access, file, rewriter,
                             worker.memory, worker.method_memory, counted);
  for (uint32_t m = 0; m < file.methods().size(); ++m) {
    if (before == nullptr) {
      worker.outcomes.push_back(methods.Instrument(m, nullptr));
      continue;
    }
    CountedMethod known = before->methods[m];
    if (known.counters > 0 && frozen.LeaveOut(known.first)) known.rewritten = false;
    worker.outcomes.push_back(methods.Instrument(m, &known));
  }
  *result = rewriter.Finish();
  return rewriter.rewritten_methods() > 0;
}

AddedCounts ClassInstrumenter::AddTo(std::span<const uint64_t> counters, const TypeCounts& types,
                                     const LiveFrameCount& live_frames, Profile& profile,
                                     const OriginOf& origin_of) {
  const auto classes = Classes(counters, types, origin_of);
  AddedCounts added;
  added.assembly = AssembleProfile(*classes, {classes->counters(), classes->types(), live_frames},
                                   assembly_options(), profile);
  added.self_check = CheckSelf(counters, live_frames);
  return added;
}

SelfCheckResult ClassInstrumenter::CheckSelf(std::span<const uint64_t> counters,
                                             const LiveFrameCount& live_frames) const {
  if (!rep_->options.self_check) return {};
  return rep_->self_check.Compare(counters, live_frames);
}

std::unique_ptr<const KnownClasses> ClassInstrumenter::Classes(std::span<const uint64_t> counters,
                                                               const TypeCounts& types,
                                                               const OriginOf& origin_of) {
  return std::make_unique<const KnownClasses>(rep_->table, counters, types, origin_of,
                                              [this] { return rep_->spaces.counters.End(); });
}

ClassTable& ClassInstrumenter::table() { return rep_->table; }

AssemblyOptions ClassInstrumenter::assembly_options() const {
  return {.calls = rep_->options.calls,
          .branches = rep_->options.branches,
          .monitors = rep_->options.sites.monitors,
          .names_all_callees = rep_->options.all_calls,
          .call_edges = rep_->options.call_edges,
          .max_lost = rep_->options.receivers_max_lost};
}

ClassTable::Statistics ClassInstrumenter::classes() const { return rep_->table.statistics(); }

OutcomeTally::Sums ClassInstrumenter::sums() const { return rep_->tally.sums(); }

std::string ClassInstrumenter::Report(const AddedCounts& added) const {
  const Rep& r = *rep_;
  std::string report = r.tally.Report();
  const ClassTable::Statistics classes = r.table.statistics();
  const uint64_t known = classes.loaded + classes.unloaded;
  report += fmt::format(
      "class records: {} with {} different contents, {} bytes each; unloaded: {} with counts, {} "
      "without\n",
      known, classes.contents, known == 0 ? 0 : classes.bytes / known, classes.unloaded,
      classes.dropped);
  return report + DescribeCounts(added.assembly);
}

std::string ClassInstrumenter::Summary(const AddedCounts& added) const {
  const Rep& r = *rep_;
  const OutcomeTally::Sums sums = r.tally.sums();
  std::string summary = fmt::format("counted: {} classes with {} methods\n",
                                    Grouped(sums.classes_counted), Grouped(sums.methods_counted));
  summary += DescribeExactness(added.assembly);
  if (r.options.call_edges) summary += DescribeEdges(added.assembly.edges);
  summary += DescribeContexts(added.assembly.contexts);
  summary += r.tally.LeftAlone();
  if (const uint64_t count = r.tally.methods_without_sites(); count > 0)
    summary +=
        fmt::format("methods whose receivers are not counted because memory ran out: {}\n", count);
  const ClassTable::Statistics classes = r.table.statistics();
  if (classes.forgotten > 0) {
    summary += fmt::format(
        "unloaded classes whose counts were dropped because memory ran out: {}, with {} counts\n",
        classes.forgotten, classes.forgotten_counts);
  }
  summary += DescribeLeftOut(added.assembly, r.options.receivers_max_lost);
  if (r.options.self_check) summary += added.self_check.Report();
  return summary;
}

void ClassUnloading::NoteIdle(uint64_t rounds) {
  for (const ClassTable::Idle& idle : table_.TakeIdle()) idle_.emplace_back(idle, rounds);
}

bool ClassUnloading::HasWaited(const Waiting& waiting, uint64_t rounds) const {
  return rounds >= waiting.second + 2 || !table_.HasSites(waiting.first.id);
}

bool ClassUnloading::IsDue(uint64_t rounds) {
  NoteIdle(rounds);
  return std::any_of(idle_.begin(), idle_.end(),
                     [&](const Waiting& waiting) { return HasWaited(waiting, rounds); });
}

void ClassUnloading::Unload(FreedCounters& counters, uint64_t rounds) {
  NoteIdle(rounds);
  std::erase_if(idle_, [&](const Waiting& waiting) {
    if (!HasWaited(waiting, rounds)) return false;
    if (const auto taken = table_.TakeOut(waiting.first))
      table_.Unload(waiting.first.id, Collect(*taken, counters));
    return true;
  });
}

// Returns the counts of a class that is gone. Its counters are free afterwards, unless they could
// not be set to zero.
UnloadedCounts ClassUnloading::Collect(const ClassTable::Taken& taken, FreedCounters& counters) {
  UnloadedCounts counts;
  std::vector<uint64_t> values;
  for (const CounterRange& range : taken.counters) {
    const size_t before = values.size();
    const bool free = counters.Take(range, &values);
    values.resize(before + range.count);
    if (free) spaces_.counters.Release(range);
  }
  for (uint32_t i = 0; i < values.size(); ++i) {
    if (values[i] != 0) counts.counters.emplace_back(i, values[i]);
  }
  uint32_t first = 0;
  for (const CounterRange& range : taken.sites) {
    if (counters.TakeSites(range, first, &counts)) spaces_.sites->Release(range);
    first += range.count;
  }
  return counts;
}

}  // namespace iprof::instrument
