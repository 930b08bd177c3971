#include "writer/ops/method_versions.h"

#include <algorithm>
#include <span>
#include <string_view>
#include <tuple>
#include <utility>

#include "writer/ops/merge_mapping.h"
#include "writer/profile/code_hashes.h"
#include "writer/profile/image/image_share.h"
#include "writer/profile/io/code_part.h"
#include "writer/profile/io/digits.h"

namespace iprof {
namespace {

constexpr size_t kMostExamples = 5;
// In the sum, a method's name begins with so many digits of its hash.
constexpr size_t kVersionDigits = 6;
static_assert(kVersionDigits * kBitsOfDigit == kCodeHashBits);

size_t At(MethodIndex method) { return static_cast<size_t>(method); }

MethodIndex MethodOf(const Profile& profile, Table table, EntryIndex entry) {
  return profile.InnermostFrame(profile.EntryContext(table, entry)).method;
}

int64_t Unchanged(Table /*table*/, int64_t count) { return count; }

// Adds entries of a profile to another.
class EntryAdder {
 public:
  EntryAdder(const Profile& from, const IndexMapping& mapping, Profile& into)
      : from_(from), mapping_(mapping), into_(into) {}

  template <typename Weigh>
  void Add(Table table, EntryIndex entry, ContextIndex context, const Weigh& weigh) {
    switch (RecordKindOf(table)) {
      case RecordKind::kCount:
        AddCount(table, entry, context, weigh);
        break;
      case RecordKind::kSuccessors: {
        const auto list = from_.EntrySuccessors(entry);
        successors_.assign(list.begin(), list.end());
        for (Successor& s : successors_) s.count = weigh(table, s.count);
        into_.AddSuccessors(context, successors_);
        break;
      }
      case RecordKind::kTypeCounts:
        types_.clear();
        for (const TypeCount& t : from_.EntryTypeCounts(table, entry))
          types_.push_back({mapping_(t.type), weigh(table, t.count)});
        into_.AddTypeCounts(table, context, types_);
        break;
    }
  }

  template <typename Weigh>
  void AddAll(const Weigh& weigh) {
    for (const Table table : kAllTables) {
      for (const EntryIndex entry : EntriesOf(from_, table))
        Add(table, entry, mapping_(from_.EntryContext(table, entry)), weigh);
    }
  }

 private:
  // Of a few samples, nothing may be left.
  template <typename Weigh>
  void AddCount(Table table, EntryIndex entry, ContextIndex context, const Weigh& weigh) {
    const int64_t count = from_.EntryCount(table, entry);
    const int64_t weighed = weigh(table, count);
    if (weighed > 0 || count == 0) into_.AddCount(table, context, weighed);
  }

  const Profile& from_;
  const IndexMapping& mapping_;
  Profile& into_;
  std::vector<Successor> successors_;
  std::vector<TypeCount> types_;
};

// One version of a method of the result.
struct Candidate {
  uint64_t hash;
  int64_t weight = 0;
  int64_t newest_ms = 0;
};

bool IsBetter(const Candidate& a, const Candidate& b, PreferredVersion preferred) {
  const bool by_time = preferred == PreferredVersion::kNewest;
  return std::tuple(by_time ? b.newest_ms : b.weight, by_time ? b.weight : b.newest_ms, a.hash) <
         std::tuple(by_time ? a.newest_ms : a.weight, by_time ? a.weight : a.newest_ms, b.hash);
}

std::vector<int64_t> WeightsIn(const Profile& profile) {
  std::vector<int64_t> weights(profile.method_count());
  for (const Table table : kAllTables) {
    if (!IsOfMethod(table)) continue;
    for (const EntryIndex entry : EntriesOf(profile, table)) {
      const MethodIndex method = MethodOf(profile, table, entry);
      if (method == kNoMethod) continue;
      int64_t& weight = weights[At(method)];
      weight = SaturatingAdd(weight, profile.EntryTotal(table, entry));
    }
  }
  return weights;
}

// Methods, with counts that say how important they are.
using Examples = std::vector<std::pair<int64_t, std::string>>;

std::vector<std::string> FirstOf(Examples examples) {
  std::sort(examples.begin(), examples.end(), [](const auto& a, const auto& b) {
    return a.first != b.first ? a.first > b.first : a.second < b.second;
  });
  std::vector<std::string> first;
  for (size_t e = 0; e < std::min(examples.size(), kMostExamples); ++e)
    first.push_back(std::move(examples[e].second));
  return first;
}

// Sets the hash of each method of the result to that of its best version.
void ChooseVersions(std::vector<std::vector<Candidate>>& candidates, PreferredVersion preferred,
                    Profile& result, VersionReport* report) {
  Examples examples;
  for (const MethodIndex method : MethodsOf(result)) {
    std::vector<Candidate>& known = candidates[At(method)];
    if (known.empty()) continue;
    std::sort(known.begin(), known.end(),
              [&](const Candidate& a, const Candidate& b) { return IsBetter(a, b, preferred); });
    result.SetCodeHash(method, known.front().hash);
    if (known.size() == 1) continue;
    int64_t left_out = 0;
    for (size_t c = 1; c < known.size(); ++c) left_out = SaturatingAdd(left_out, known[c].weight);
    examples.emplace_back(left_out, result.DescribeMethod(method));
  }
  report->methods = examples.size();
  report->examples = FirstOf(std::move(examples));
}

// Finds methods whose positions are known of one code and also without a hash.
void FindDoubtfulMethods(const Profile& sum, const IndexMapping& mapping,
                         const std::vector<int64_t>& weights, const Profile& result,
                         VersionReport* report) {
  std::vector<bool> has_known(result.method_count());
  std::vector<MethodIndex> without(result.method_count(), kNoMethod);  // of the sum
  for (const Table table : {Table::kConditionals, Table::kVirtualInvokes, Table::kInstanceOfs}) {
    for (const EntryIndex entry : EntriesOf(sum, table)) {
      const MethodIndex method = MethodOf(sum, table, entry);
      if (method == kNoMethod) continue;
      if (sum.CodeHash(method) != 0) {
        has_known[At(mapping(method))] = true;
      } else {
        without[At(mapping(method))] = method;
      }
    }
  }
  Examples examples;
  for (const MethodIndex method : MethodsOf(result)) {
    if (has_known[At(method)] && without[At(method)] != kNoMethod)
      examples.emplace_back(weights[At(without[At(method)])], result.DescribeMethod(method));
  }
  report->doubtful_methods = examples.size();
  report->doubtful_examples = FirstOf(std::move(examples));
}

// Copies what is kept into the result, whose methods have their hashes.
class KeptVersions {
 public:
  KeptVersions(const Profile& sum, const IndexMapping& mapping, Profile& result)
      : sum_(sum), mapping_(mapping), result_(result), adder_(sum, mapping, result) {
    for (const MethodIndex method : MethodsOf(sum)) {
      const uint64_t hash = sum.CodeHash(method);
      const uint64_t kept = result.CodeHash(mapping(method));
      is_other_.push_back(hash != 0 && kept != 0 && !IsSameCode(hash, kept));
    }
    FindDoubtful();
  }

  void Copy() {
    for (const MethodIndex method : MethodsOf(sum_)) {
      if (!is_other_[At(method)]) result_.notes().Add(mapping_(method), sum_.notes(), method);
    }
    for (const Table table : kAllTables) {
      for (const EntryIndex entry : EntriesOf(sum_, table)) {
        const ContextIndex context = sum_.EntryContext(table, entry);
        const Frame innermost = sum_.InnermostFrame(context);
        if (IsOther(innermost) && table != Table::kCalls && IsOfMethod(table)) continue;
        const ContextIndex kept = Kept(table, entry);
        if (kept != kNoContext) adder_.Add(table, entry, kept, Unchanged);
      }
    }
  }

  // The samples whose stacks were changed.
  int64_t samples() const { return samples_; }

 private:
  bool IsOther(Frame frame) const {
    return frame.method != kNoMethod && is_other_[At(frame.method)];
  }
  bool IsDoubtful(Frame frame) const {
    return frame.method != kNoMethod && is_doubtful_[At(frame.method)];
  }
  // Of an innermost frame.
  bool MovesToStart(Table table, Frame frame) const {
    return table == Table::kSamples ? IsDoubtful(frame) : IsOther(frame);
  }

  void FindDoubtful() {
    std::vector<size_t> versions(result_.method_count());
    for (const MethodIndex method : MethodsOf(sum_)) {
      if (sum_.CodeHash(method) != 0) ++versions[At(mapping_(method))];
    }
    std::vector<bool> differs(result_.type_count());
    for (const MethodIndex method : MethodsOf(result_)) {
      if (versions[At(method)] > 1)
        differs[static_cast<size_t>(result_.DeclaringType(method))] = true;
    }
    for (const MethodIndex method : MethodsOf(sum_)) {
      const MethodIndex made = mapping_(method);
      const bool is_unknown = sum_.CodeHash(method) == 0
                                  ? differs[static_cast<size_t>(result_.DeclaringType(made))]
                                  : result_.CodeHash(made) == 0 && versions[At(made)] > 1;
      is_doubtful_.push_back(is_other_[At(method)] || is_unknown);
    }
  }

  // The entry's context in the result; kNoContext: it is left out.
  ContextIndex Kept(Table table, EntryIndex entry) {
    const ContextIndex context = sum_.EntryContext(table, entry);
    bool changes = false;
    bool is_caller = false;
    sum_.ForEachFrame(context, [&](Frame frame) {
      changes |= is_caller ? IsDoubtful(frame) : MovesToStart(table, frame);
      is_caller = true;
    });
    if (!changes) return mapping_(context);
    if (table == Table::kSamples) samples_ = SaturatingAdd(samples_, sum_.EntryTotal(table, entry));
    frames_.clear();
    bool is_cut = false;
    sum_.ForEachFrame(context, [&](Frame frame) {
      const bool is_innermost = frames_.empty();
      is_cut |= !is_innermost && IsDoubtful(frame);
      if (is_cut) return;
      const bool moves = is_innermost && MovesToStart(table, frame);
      frames_.push_back({mapping_(frame.method), moves ? 0 : frame.bci});
    });
    if (is_cut && table == Table::kSamples && IsWork(context)) return kNoContext;
    return result_.AddContext(frames_);
  }

  bool IsWork(ContextIndex context) {
    if (uses_.empty()) uses_ = UsesOfMethods(result_);
    return IsWorkOfJvm(result_, uses_, mapping_(context));
  }

  const Profile& sum_;
  const IndexMapping& mapping_;
  Profile& result_;
  EntryAdder adder_;
  std::vector<bool> is_other_;  // by method of the sum
  std::vector<bool>
      is_doubtful_;  // by method of the sum: those too, and those whose version is not known
  std::vector<MethodUse> uses_;  // by method of the result; empty until it is needed
  std::vector<Frame> frames_;
  int64_t samples_ = 0;
};

}  // namespace

bool IsOfMethod(Table table) { return table != Table::kSamples && table != Table::kMonitors; }

void VersionedProfile::Add(const Profile& input, int64_t newest_ms, const Weigh& weigh,
                           int64_t times) {
  std::string name;
  const IndexMapping mapping = MapRenamed(input, sum_, [&](MethodIndex method) {
    name.clear();
    AppendDigits(input.CodeHash(method), kVersionDigits, &name);
    name += input.MethodName(method);
    return std::string_view(name);
  });
  for (const MethodIndex method : MethodsOf(input)) {
    if (const uint64_t hash = input.CodeHash(method); hash != 0)
      sum_.SetCodeHash(mapping(method), hash);
    sum_.AddSureness(mapping(method), input.SurenessOf(method));
    const FirstCall first = input.FirstCallOf(method);
    sum_.AddFirstCall(mapping(method), {SaturatingMultiply(first.ranks, times),
                                        SaturatingMultiply(first.runs, times)});
    sum_.notes().Add(mapping(method), input.notes(), method);
  }
  versions_.resize(sum_.method_count());
  const Sureness unmarked = SurenessWithoutMark(input);
  for (const Table table : kAllTables) {
    if (!IsOfMethod(table)) continue;
    for (const EntryIndex entry : EntriesOf(input, table)) {
      const MethodIndex of_input = MethodOf(input, table, entry);
      const MethodIndex method = mapping(of_input);
      if (method == kNoMethod) continue;
      if (!input.SurenessOf(of_input).is_present()) sum_.AddSureness(method, unmarked);
      Version& version = versions_[At(method)];
      version = {true, std::max(version.newest_ms, newest_ms)};
    }
  }
  EntryAdder(input, mapping, sum_).AddAll(weigh);
}

void VersionedProfile::Add(VersionedProfile&& other) {
  if (sum_.type_count() == 0 && sum_.context_count() == 0) {
    std::swap(sum_, other.sum_);
    std::swap(versions_, other.versions_);
    return;
  }
  const IndexMapping mapping = MapInto(other.sum_, sum_);
  versions_.resize(sum_.method_count());
  for (const MethodIndex method : MethodsOf(other.sum_)) {
    if (const uint64_t hash = other.sum_.CodeHash(method); hash != 0)
      sum_.SetCodeHash(mapping(method), hash);
    sum_.AddSureness(mapping(method), other.sum_.SurenessOf(method));
    sum_.AddFirstCall(mapping(method), other.sum_.FirstCallOf(method));
    const Version& there = other.versions_[At(method)];
    Version& version = versions_[At(mapping(method))];
    version = {version.is_used || there.is_used, std::max(version.newest_ms, there.newest_ms)};
  }
  EntryAdder(other.sum_, mapping, sum_).AddAll(Unchanged);
  other.sum_ = Profile();
  other.versions_.clear();
}

Profile VersionedProfile::Finish(PreferredVersion preferred, VersionReport* report) {
  *report = {};
  Profile result;
  const IndexMapping mapping = MapRenamed(sum_, result, [&](MethodIndex method) {
    return sum_.MethodName(method).substr(kVersionDigits);
  });
  std::vector<std::vector<Candidate>> candidates(result.method_count());
  const std::vector<int64_t> weights = WeightsIn(sum_);
  for (const MethodIndex method : MethodsOf(sum_)) {
    const uint64_t hash = sum_.CodeHash(method);
    result.AddSureness(mapping(method), sum_.SurenessOf(method));
    result.AddFirstCall(mapping(method), sum_.FirstCallOf(method));
    const Version& version = versions_[At(method)];
    if (hash != 0 && version.is_used)
      candidates[At(mapping(method))].push_back({hash, weights[At(method)], version.newest_ms});
  }
  ChooseVersions(candidates, preferred, result, report);
  FindDoubtfulMethods(sum_, mapping, weights, result, report);
  KeptVersions kept(sum_, mapping, result);
  kept.Copy();
  report->samples = kept.samples();
  sum_ = Profile();
  versions_.clear();
  return result;
}

}  // namespace iprof
