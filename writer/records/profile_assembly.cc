#include "writer/records/profile_assembly.h"

#include <fmt/core.h>

#include <algorithm>
#include <deque>
#include <limits>
#include <optional>
#include <tuple>
#include <unordered_map>
#include <utility>

#include "writer/base/hash.h"
#include "writer/base/short_list.h"
#include "writer/names/java_names.h"
#include "writer/names/type_names.h"
#include "writer/records/calls_by_caller.h"
#include "writer/records/first_seen.h"
#include "writer/records/replaced_methods.h"
#include "writer/records/site_assembly.h"

namespace iprof {
namespace {

std::string Calls(uint64_t count) { return fmt::format("{} call{}", count, count == 1 ? "" : "s"); }

uint64_t SaturatingSum(uint64_t a, uint64_t b) {
  return a > std::numeric_limits<uint64_t>::max() - b ? std::numeric_limits<uint64_t>::max()
                                                      : a + b;
}

std::string JavaName(const ClassRecord& klass, const CountedMethod& method) {
  return JavaMethodName(InternalName(klass.name), method.name, method.descriptor);
}

using Successors = ShortList<Successor, 2>;  // most branches have two

// One version of a method with its counts.
struct Counted {
  const ClassRecord* klass;
  const CountedMethod* method;
  bool positions = true;  // positions are those of the class file
  uint64_t entries = 0;
  std::optional<ErrorBound> bound = {};                   // if it ran
  std::vector<std::pair<uint32_t, Successors>> branches;  // by bci
};

class Assembly {
 public:
  Assembly(const ClassSource& classes, const AssemblyInput& input, const AssemblyOptions& options,
           Profile& profile)
      : source_(classes),
        live_frames_(input.live_frames),
        options_(options),
        profile_(profile),
        entries_(input.contexts, profile),
        sites_(input.types, options, profile, entries_),
        replaced_(classes, options.names_all_callees),
        values_(input.counters, input.more_counters),
        first_(input.first_seen) {
    if (options.call_edges && options.calls) edges_.emplace(classes, input.types);
  }

  void Run() {
    for (size_t c = 0; c < source_.size(); ++c) AddSiteCallsOf(c);
    replaced_.Settle();
    for (size_t first = 0; first < source_.size();) {
      size_t last = first + 1;
      while (last < source_.size() && source_.NameOf(last) == source_.NameOf(first)) ++last;
      WriteVersions(first, last);
      first = last;
    }
    TellLeftOut();
    if (edges_) result_.edges = edges_->Write(profile_);
    first_.WriteTo(profile_);
    sites_.WriteMonitors();
    sites_.AddTo(result_);
    result_.contexts = entries_.figures();
  }

  AssemblyResult TakeResult() { return std::move(result_); }

 private:
  // A method whose branches were not all written.
  struct LeftOut {
    uint64_t k;
    std::string what;
  };

  // Adds up the calls of candidates at the sites of a class. Runs for all classes before any
  // is written.
  void AddSiteCallsOf(size_t number) {
    if (!options_.calls && !options_.branches) return;
    ClassRecord scratch;
    const ClassRecord& c = source_.Get(number, scratch);
    if (c.callees.empty()) return;
    for (const CountedMethod& method : c.methods) {
      if (method.counters == 0 || method.origin == MethodOrigin::kAdded) continue;
      if (!Load(c, method)) continue;
      replaced_.AddCalls(c, method, record_, values_);
      if (edges_ && method.origin == MethodOrigin::kSame)
        edges_->AddCalls(c, method, record_, values_);
    }
  }

  // Evaluates and writes the versions [first, last) of one class.
  void WriteVersions(size_t first, size_t last) {
    sites_.ForgetLines();
    versions_made_.clear();
    counted_.clear();
    const ClassRecord* klass = nullptr;
    for (size_t version = first; version < last; ++version) {
      const ClassRecord& c = source_.Get(version, versions_made_.emplace_back());
      if (klass == nullptr) klass = &c;
      const size_t others = counted_.size();
      for (const CountedMethod& method : c.methods) EvaluateMethod(c, method, counted_);
      NoteTrimmed(c, std::span(counted_).subspan(others));
      if (&c == &versions_made_.back()) {
        DropEvaluated(&versions_made_.back());
      } else {
        versions_made_.pop_back();  // the source has it
      }
    }
    WriteClass(*klass, counted_);
  }

  // What is not needed to write a class whose methods are evaluated. A name may have very many versions.
  static void DropEvaluated(ClassRecord* c) {
    c->callees = std::vector<Callee>();
    c->positions = std::vector<uint8_t>();
    c->records = std::vector<uint8_t>();
  }

  void EvaluateMethod(const ClassRecord& c, const CountedMethod& method,
                      std::vector<Counted>& out) {
    Counted counted{.klass = &c, .method = &method, .branches = {}};
    if (method.origin == MethodOrigin::kAdded) {
      result_.added_methods.insert(c.KeyOf(method));
      return;
    }
    counted.positions = method.origin == MethodOrigin::kSame;
    if (method.counters > 0 && Load(c, method)) {
      counted.bound = Bound(c, method);
      counted.entries = values_.Of(record_.entry);
      if (c.name == "java/lang/VirtualThread" && method.name == "run")
        result_.virtual_threads += counted.entries;
      if (counted.positions) {
        AddBranches(counted);
      } else if (counted.entries > 0) {
        ++result_.positions_dropped;
      }
    } else if (method.counters > 0) {
      ++result_.damaged_records;
    }
    out.push_back(std::move(counted));
  }

  // `counted`: the methods of this version, in its order.
  void NoteTrimmed(const ClassRecord& c, std::span<const Counted> counted) {
    for (const TrimmedMethod& trimmed : c.left_out) {
      const CountedMethod* method = &c.methods[trimmed.method];
      const auto found = std::lower_bound(
          counted.begin(), counted.end(), method,
          [](const Counted& m, const CountedMethod* wanted) { return m.method < wanted; });
      const bool is_counted = found != counted.end() && found->method == method;
      const uint64_t calls = is_counted ? found->entries : 0;
      result_.trimmed.Note(JavaName(c, *method), calls, trimmed.left_out);
    }
  }

  // Loads the record into record_ and its values into values_. False if the record is damaged.
  bool Load(const ClassRecord& c, const CountedMethod& method) {
    if (!source_.GetRecord(c, method, &record_)) return false;
    values_.Load(record_, static_cast<size_t>(method.first));
    return true;
  }

  // How exact the loaded values are, if the method ran.
  std::optional<ErrorBound> Bound(const ClassRecord& c, const CountedMethod& method) {
    if (!values_.ran()) return std::nullopt;
    result_.clamps += values_.clamps();
    const uint64_t live =
        record_.certificate.live_frames_matter ? live_frames_(c.KeyOf(method)) : 0;
    return values_.BoundWith(record_, live);
  }

  void NoteExactness(const ErrorBound& bound) {
    switch (bound.kind) {
      case Exactness::kExact:
        ++result_.methods_exact;
        break;
      case Exactness::kBounded:
        ++(bound.k == 0 ? result_.methods_exact : result_.methods_bounded);
        break;
      case Exactness::kUnknown:
        ++result_.methods_unknown;
        break;
    }
    result_.largest_k = std::max(result_.largest_k, bound.k);
  }

  void AddBranches(Counted& counted) {
    if (!options_.branches) return;
    uint64_t left_out = 0;
    counted.branches.reserve(record_.branches.size());
    for (size_t b = 0; b < record_.branches.size(); ++b) {
      const std::span<const BranchSuccessor> successors = record_.SuccessorsOf(b);
      targets_.clear();
      uint64_t total = 0;
      bool touched = false;
      for (const BranchSuccessor& s : successors) {
        targets_.push_back(s.target);
        total = SaturatingSum(total, values_.Of(s.value));
        touched = touched || values_.IsTouched(s.value);
      }
      if (total == 0) continue;  // the consumer ignores a site without counts
      if (touched && !SharesHold(total, values_.abrupt().k)) {
        ++left_out;
        continue;
      }
      Successors made(NumberSuccessors(targets_, &numbers_));
      for (size_t s = 0; s < successors.size(); ++s) {
        const uint32_t number = numbers_[s];
        const int64_t count = Clamped(values_.Of(successors[s].value));
        made[number] = {targets_[s], number, SaturatingAdd(made[number].count, count)};
      }
      counted.branches.emplace_back(record_.branches[b].bci, std::move(made));
    }
    if (left_out > 0) NoteLeftOut(counted, left_out);
  }

  void NoteLeftOut(const Counted& counted, uint64_t branches) {
    const CountedMethod& m = *counted.method;
    left_out_.push_back({values_.abrupt().k,
                         fmt::format("{} of {} branches of {}: exceptions ended {} of its {} calls",
                                     branches, record_.branches.size(), JavaName(*counted.klass, m),
                                     values_.abrupt().k, counted.entries)});
    result_.branches_left_out += branches;
  }

  // Lists the methods with the most exceptions first.
  void TellLeftOut() {
    constexpr size_t kMostExamples = 20;
    result_.branches_left_out_methods = left_out_.size();
    std::stable_sort(left_out_.begin(), left_out_.end(),
                     [](const LeftOut& a, const LeftOut& b) { return a.k > b.k; });
    for (size_t i = 0; i < std::min(left_out_.size(), kMostExamples); ++i) {
      result_.branches_left_out_examples.push_back(std::move(left_out_[i].what));
    }
  }

  void WriteClass(const ClassRecord& klass, std::vector<Counted>& methods) {
    // A dot precedes the suffix of a hidden class; Class.getName() turns it into a slash.
    const std::string descriptor = "L" + std::string(klass.name) + ";";
    const TypeIndex type =
        profile_.AddType(ToUtf8(TypeNameOf(Descriptor(descriptor)).value_or(descriptor)));
    std::stable_sort(methods.begin(), methods.end(), [](const Counted& a, const Counted& b) {
      return std::pair(a.method->name, a.method->descriptor) <
             std::pair(b.method->name, b.method->descriptor);
    });
    for (size_t first = 0; first < methods.size();) {
      size_t last = first + 1;
      while (last < methods.size() && methods[last].method->name == methods[first].method->name &&
             methods[last].method->descriptor == methods[first].method->descriptor) {
        ++last;
      }
      WriteMethod(klass, type, std::span(methods).subspan(first, last - first));
      first = last;
    }
  }

  // The number by which versions of a method are compared: calls or, if they are not
  // counted, objects.
  uint64_t UseOf(const Counted& version) const {
    return version.method->counters > 0 ? version.entries
                                        : sites_.ObjectsIn(*version.klass, *version.method);
  }

  // A version whose code is not known says nothing about the code of others.
  bool IsBusier(const Counted& a, const Counted& b) const {
    const bool is_known = a.method->code_hash != 0;
    if (is_known != (b.method->code_hash != 0)) return is_known;
    return UseOf(a) > UseOf(b);
  }

  static bool HaveSameCode(const Counted& a, const Counted& b) {
    if (a.method->code_hash == 0) return &a == &b;
    return a.method->code_hash == b.method->code_hash;
  }

  // Only its entries show what else than calls it has; without any, it has nothing else.
  static Sureness SurenessOfReplaced(uint64_t entries, bool are_calls_counted) {
    const Sureness calls = are_calls_counted
                               ? Sureness::Bounded()
                               : Sureness::EstimatedFrom(ReplacedMethods::kLeastEntries);
    return entries == 0 ? calls : Sureness::Of(calls, Sureness::EstimatedFrom(entries));
  }

  void WriteMethod(const ClassRecord& c, TypeIndex type, std::span<Counted> versions) {
    const CountedMethod& method = *versions.front().method;
    uint64_t entries = 0;
    for (const Counted& v : versions) entries = SaturatingSum(entries, v.entries);
    const auto [calls, are_counted] = replaced_.CallsOf(c, method, entries);
    const bool is_replaced = calls > entries;
    if (is_replaced) ++result_.methods_replaced;
    for (const Counted& v : versions) {
      if (v.bound && !is_replaced) NoteExactness(*v.bound);
    }
    const std::vector<TypeIndex>& types = TypesIn(method.descriptor);
    if (types.empty()) return;  // not a method that a JVM runs
    signature_.assign(1, type);
    signature_.insert(signature_.end(), types.begin(), types.end());
    const MethodIndex index = profile_.AddMethod(ToUtf8(method.name, &type_name_), signature_);

    const Counted* busiest = nullptr;  // of those whose positions are known
    for (const Counted& v : versions) {
      if (v.positions && (busiest == nullptr || IsBusier(v, *busiest))) busiest = &v;
    }
    if (is_replaced)
      result_.replaced_calls.emplace(profile_.DescribeMethod(index), calls - entries);
    if (options_.calls && calls > 0) {
      WriteCalls(index, calls);
      for (const Counted& v : versions) first_.Note(index, {v.method->first, v.method->counters});
    }
    const double growth = is_replaced && entries >= ReplacedMethods::kLeastEntries
                              ? static_cast<double>(calls) / static_cast<double>(entries)
                              : 1;
    for (const Counted& v : versions) profile_.AddSureness(index, v.method->sureness);
    if (is_replaced) profile_.AddSureness(index, SurenessOfReplaced(entries, are_counted));
    if (busiest != nullptr) sites_.NoteLine(*busiest->klass, *busiest->method, 0, index);
    if (busiest != nullptr && busiest->method->code_hash != 0)
      profile_.SetCodeHash(index, busiest->method->code_hash);
    for (Counted& v : versions) {
      if (edges_) edges_->NoteVersion(*v.method, index, v.positions && HaveSameCode(v, *busiest));
      if (v.method->IsStaticSynchronized()) sites_.AddStaticMonitor(v.entries);
      if (v.branches.empty() && v.method->sites == 0) continue;
      if (!v.positions) {
        sites_.AddMonitorsOnly(*v.klass, *v.method);
        continue;
      }
      if (!HaveSameCode(v, *busiest)) {
        ++result_.versions_dropped;
        sites_.AddMonitorsOnly(*v.klass, *v.method);
        continue;
      }
      sites_.Add(*v.klass, *v.method, index, growth);
      for (auto& [bci, successors] : v.branches) {
        for (Successor& s : successors)
          s.count = Clamped(ScaledCount(static_cast<uint64_t>(s.count), growth));
        entries_.AddSuccessors(index, static_cast<Bci>(bci), successors);
        sites_.NoteLine(*v.klass, *v.method, bci, index);
        for (const Successor& s : successors)
          sites_.NoteLine(*v.klass, *v.method, static_cast<uint32_t>(s.bci), index);
      }
    }
  }

  void WriteCalls(MethodIndex method, uint64_t calls) {
    if (edges_) {
      edges_->NoteCalls(method, calls);
    } else {
      profile_.AddCount(Table::kCalls, profile_.AddContext(kNoContext, method, 0), Clamped(calls));
    }
  }

  // The result and the parameters; empty if it is no descriptor. Kept, because most methods have one
  // of a few.
  const std::vector<TypeIndex>& TypesIn(std::string_view descriptor) {
    static const std::vector<TypeIndex> kNone;
    if (const auto known = signatures_.find(descriptor); known != signatures_.end())
      return known->second;
    const auto split = SplitDescriptor(descriptor);
    if (!split) return kNone;
    std::vector<TypeIndex>& types = signatures_[std::string(descriptor)];
    types.reserve(1 + split->parameters.size());
    types.push_back(TypeOf(split->result));
    for (const std::string_view parameter : split->parameters) types.push_back(TypeOf(parameter));
    return types;
  }

  TypeIndex TypeOf(std::string_view descriptor) {
    if (const auto known = types_.find(descriptor); known != types_.end()) return known->second;
    WriteTypeName(Descriptor(descriptor), &type_name_);
    return types_.emplace(descriptor, profile_.AddType(type_name_)).first->second;
  }

  const ClassSource& source_;
  const LiveFrameCount& live_frames_;
  const AssemblyOptions options_;
  Profile& profile_;
  ContextEntries entries_;
  SiteAssembly sites_;
  AssemblyResult result_;
  ReplacedMethods replaced_;
  std::optional<CallsByCaller> edges_;
  MethodRecord record_;
  CountedValues values_;
  FirstCallOrder first_;
  std::vector<LeftOut> left_out_;
  // Of the class that is written.
  std::deque<ClassRecord> versions_made_;  // those that the source does not have
  std::vector<Counted> counted_;
  // By descriptor.
  std::unordered_map<std::string, std::vector<TypeIndex>, TextHash, std::equal_to<>> signatures_;
  std::unordered_map<std::string, TypeIndex, TextHash, std::equal_to<>> types_;
  std::vector<TypeIndex> signature_;
  std::string type_name_;
  std::vector<uint32_t> targets_;
  std::vector<uint32_t> numbers_;
};

}  // namespace

AssemblyResult AssembleProfile(const ClassSource& sorted_classes, const AssemblyInput& input,
                               const AssemblyOptions& options, Profile& profile) {
  Assembly assembly(sorted_classes, input, options, profile);
  assembly.Run();
  return assembly.TakeResult();
}

void MethodEstimate::Add(const MethodEstimate& more) {
  if (more.calls == 0) return;
  executions = calls == 0 ? more.executions : std::min(executions, more.executions);
  calls = SaturatingSum(calls, more.calls);
}

bool ClassSource::GetRecord(const ClassRecord& klass, const CountedMethod& method,
                            MethodRecord* record) const {
  size_t consumed = 0;
  return DecodeMethodRecord(klass.RecordOf(method), record, &consumed) ==
         MethodRecordStatus::kRecord;
}

RecordedClasses::RecordedClasses(std::vector<const ClassRecord*> classes)
    : classes_(std::move(classes)) {
  std::stable_sort(classes_.begin(), classes_.end(), [](const auto* a, const auto* b) {
    return std::tie(a->name, a->hash.high, a->hash.low) <
           std::tie(b->name, b->hash.high, b->hash.low);
  });
}

void TrimmedMethods::Note(std::string name, uint64_t calls, const LeftOut& left_out) {
  methods_.push_back({std::move(name), calls, left_out});
}

std::string TrimmedMethods::Report() const {
  constexpr size_t kMostNamed = 20;
  if (methods_.empty()) return "";
  uint64_t branches = 0;
  uint64_t sites = 0;
  uint64_t all = 0;
  std::vector<const Method*> order;
  for (const Method& m : methods_) {
    order.push_back(&m);
    branches += m.left_out.branches;
    sites += m.left_out.sites;
    all += m.left_out.everything ? 1 : 0;
  }
  std::sort(order.begin(), order.end(), [](const Method* a, const Method* b) {
    return a->calls != b->calls ? a->calls > b->calls : a->name < b->name;
  });
  std::string report =
      fmt::format("left out because {}: {} branch{}, {} receivers, monitors or type checks",
                  methods_.size() == 1 ? "1 method is long"
                                       : fmt::format("{} methods are long", methods_.size()),
                  branches, branches == 1 ? "" : "es", sites);
  if (all > 0) report += fmt::format("; of {} of these methods, all", all);
  report += '\n';
  for (size_t i = 0; i < std::min(order.size(), kMostNamed); ++i) {
    const Method& m = *order[i];
    const LeftOut& l = m.left_out;
    report +=
        l.everything
            ? fmt::format("left out: {} ({}): all branches and receivers\n", m.name, Calls(m.calls))
            : fmt::format("left out: {} ({}): {} of {} branches, {} of {} receivers\n", m.name,
                          Calls(m.calls), l.branches, l.all_branches, l.sites, l.all_sites);
  }
  return report;
}

}  // namespace iprof
