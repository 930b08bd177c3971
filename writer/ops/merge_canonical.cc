#include "writer/ops/merge_canonical.h"

#include <algorithm>
#include <numeric>
#include <utility>
#include <vector>

#include "writer/profile/sample_threads.h"

namespace iprof {
namespace {

template <typename Index>
std::vector<Index> AllOf(size_t count) {
  std::vector<Index> all(count);
  for (size_t i = 0; i < count; ++i) all[i] = Index{static_cast<uint32_t>(i)};
  return all;
}

template <typename Index>
std::vector<uint32_t> RanksOf(const std::vector<Index>& order) {
  std::vector<uint32_t> ranks(order.size());
  for (size_t i = 0; i < order.size(); ++i) {
    ranks[static_cast<size_t>(order[i])] = static_cast<uint32_t>(i);
  }
  return ranks;
}

class Canonicalizer {
 public:
  explicit Canonicalizer(const Profile& from) : from_(from), threads_(from) {}

  Profile Run() {
    into_.set_version(from_.version());
    into_.AddStandardTypes();
    AddTypes();
    AddMethods();
    for (const Table table : kAllTables) AddTable(table);
    std::vector<ExtraKey> extras(from_.extras().begin(), from_.extras().end());
    std::sort(extras.begin(), extras.end(),
              [](const ExtraKey& a, const ExtraKey& b) { return a.key < b.key; });
    for (const ExtraKey& extra : extras) into_.SetExtra(extra.key, extra.json);
    return std::move(into_);
  }

 private:
  void AddTypes() {
    std::vector<TypeIndex> order = AllOf<TypeIndex>(from_.type_count());
    // Threads are last, so that they make no difference to the ids of others.
    std::sort(order.begin(), order.end(), [&](TypeIndex a, TypeIndex b) {
      return std::pair(threads_.Is(a), from_.TypeName(a)) <
             std::pair(threads_.Is(b), from_.TypeName(b));
    });
    type_ranks_ = RanksOf(order);
    types_.resize(order.size());
    for (const TypeIndex type : order) {
      types_[static_cast<size_t>(type)] = into_.AddType(from_.TypeName(type));
    }
  }

  void AddMethods() {
    std::vector<MethodIndex> order = AllOf<MethodIndex>(from_.method_count());
    const auto rank = [&](TypeIndex type) { return type_ranks_[static_cast<size_t>(type)]; };
    std::sort(order.begin(), order.end(), [&](MethodIndex a, MethodIndex b) {
      const auto sa = from_.Signature(a);
      const auto sb = from_.Signature(b);
      if (sa[0] != sb[0]) return rank(sa[0]) < rank(sb[0]);
      if (const int c = from_.MethodName(a).compare(from_.MethodName(b)); c != 0) return c < 0;
      return std::lexicographical_compare(
          sa.begin(), sa.end(), sb.begin(), sb.end(),
          [&](TypeIndex x, TypeIndex y) { return rank(x) < rank(y); });
    });
    method_ranks_ = RanksOf(order);
    methods_.resize(order.size());
    std::vector<TypeIndex> signature;
    for (const MethodIndex method : order) {
      signature.clear();
      for (const TypeIndex type : from_.Signature(method)) {
        signature.push_back(types_[static_cast<size_t>(type)]);
      }
      const MethodIndex added = into_.AddMethod(from_.MethodName(method), signature);
      methods_[static_cast<size_t>(method)] = added;
      if (from_.CodeHash(method) != 0) into_.SetCodeHash(added, from_.CodeHash(method));
      into_.AddSureness(added, from_.SurenessOf(method));
      into_.AddFirstCall(added, from_.FirstCallOf(method));
      into_.notes().Add(added, from_.notes(), method);
    }
  }

  // A thread is before all callers, so that stacks are in the order that they have without threads.
  int64_t MethodRank(MethodIndex method) const {
    if (method == kNoMethod) return -1;
    const int64_t rank = method_ranks_[static_cast<size_t>(method)];
    return threads_.Is(method) ? rank - 1 - static_cast<int64_t>(method_ranks_.size()) : rank;
  }

  bool ContextLess(ContextIndex a, ContextIndex b) const {
    while (a != b) {
      if (a == kNoContext) return true;
      if (b == kNoContext) return false;
      const Frame fa = from_.InnermostFrame(a);
      const Frame fb = from_.InnermostFrame(b);
      if (fa.method != fb.method) return MethodRank(fa.method) < MethodRank(fb.method);
      if (fa.bci != fb.bci) return fa.bci < fb.bci;
      a = from_.Caller(a);
      b = from_.Caller(b);
    }
    return false;
  }

  ContextIndex AddContext(ContextIndex context) {
    frames_.clear();
    from_.ForEachFrame(context, [&](Frame frame) { frames_.push_back(frame); });
    if (frames_.front().method == kNoMethod) return into_.AddMonitorContext();
    for (Frame& frame : frames_) frame.method = methods_[static_cast<size_t>(frame.method)];
    return into_.AddContext(frames_);
  }

  void AddTable(Table table) {
    std::vector<EntryIndex> order = AllOf<EntryIndex>(from_.entry_count(table));
    std::sort(order.begin(), order.end(), [&](EntryIndex a, EntryIndex b) {
      return ContextLess(from_.EntryContext(table, a), from_.EntryContext(table, b));
    });
    for (const EntryIndex entry : order) {
      const ContextIndex context = AddContext(from_.EntryContext(table, entry));
      switch (RecordKindOf(table)) {
        case RecordKind::kCount:
          into_.AddCount(table, context, from_.EntryCount(table, entry));
          break;
        case RecordKind::kSuccessors:
          into_.AddSuccessors(context, from_.EntrySuccessors(entry));
          break;
        case RecordKind::kTypeCounts:
          AddTypeCounts(table, entry, context);
          break;
      }
    }
  }

  void AddTypeCounts(Table table, EntryIndex entry, ContextIndex context) {
    const auto counts = from_.EntryTypeCounts(table, entry);
    std::vector<TypeCount> sorted(counts.begin(), counts.end());
    std::sort(sorted.begin(), sorted.end(), [&](const TypeCount& a, const TypeCount& b) {
      if (a.count != b.count) return a.count > b.count;
      return type_ranks_[static_cast<size_t>(a.type)] < type_ranks_[static_cast<size_t>(b.type)];
    });
    for (TypeCount& count : sorted) count.type = types_[static_cast<size_t>(count.type)];
    into_.AddTypeCounts(table, context, sorted);
  }

  const Profile& from_;
  const ThreadFrames threads_;
  Profile into_;
  std::vector<uint32_t> type_ranks_;
  std::vector<uint32_t> method_ranks_;
  std::vector<TypeIndex> types_;
  std::vector<MethodIndex> methods_;
  std::vector<Frame> frames_;
};

}  // namespace

Profile CanonicalProfile(const Profile& profile) { return Canonicalizer(profile).Run(); }

}  // namespace iprof
