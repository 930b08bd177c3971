// The threads and periods of stacks (split_part.h).
#include <algorithm>
#include <map>
#include <unordered_map>
#include <utility>

#include "writer/profile/io/split_part.h"
#include "writer/profile/io/stacks_by_frames.h"
#include "writer/profile/sample_threads.h"

namespace iprof {
namespace {

// Stacks with a thread have no frames in common, so that a small file could fill the memory: at most so many are made.
constexpr size_t kMostThreadFrames = size_t{16} << 20;

bool Fit(const std::vector<StackShares>& labels, const std::vector<SampledStack>& stacks) {
  size_t frames = 0;
  return std::ranges::all_of(labels, [&](const StackShares& of) {
    if (of.stack >= stacks.size()) return false;
    frames += of.shares.size() * (stacks[of.stack].frames.size() + 1);
    int64_t sum = 0;
    for (const auto& [label, weight] : of.shares)
      sum = SaturatingAdd(sum, std::max<int64_t>(weight, 0));
    return sum <= stacks[of.stack].weight && frames <= kMostThreadFrames;
  });
}

// Each share of a stack as a stack of its own, with its label, and the rest of it without.
template <typename AddLabel>
std::vector<SampledStack> Divide(std::vector<SampledStack> stacks,
                                 const std::vector<StackShares>& labels, AddLabel add_label) {
  std::vector<SampledStack> divided;
  size_t next = 0;
  for (size_t at = 0; at < stacks.size(); ++at) {
    SampledStack& stack = stacks[at];
    if (next < labels.size() && labels[next].stack == at) {
      for (const auto& [label, weight] : labels[next++].shares) {
        const int64_t share = weight == StackShares::kAll ? stack.weight : weight;
        stack.weight -= share;
        divided.push_back({stack.frames, share});
        add_label(label, divided.back().frames);
      }
      if (stack.weight == 0) continue;
    }
    divided.push_back(std::move(stack));
  }
  return divided;
}

// By the numbers of StacksOf: the weight of each thread and period, in the order of their first appearance.
using WeightsOfLabels = std::vector<std::vector<std::pair<Frame, int64_t>>>;

std::vector<SampledStack> StacksWith(const Profile& profile, WeightsOfLabels* labels) {
  const ThreadFrames frames(profile);
  std::vector<SampledStack> stacks;
  ByFrames<size_t> places;  // if labels make equal stacks
  for (const EntryIndex entry : EntriesOf(profile, Table::kSamples)) {
    const int64_t weight = profile.EntryCount(Table::kSamples, entry);
    SampledStack stack{profile.Frames(profile.EntryContext(Table::kSamples, entry)), weight};
    if (!frames.any()) {
      stacks.push_back(std::move(stack));
      continue;
    }
    const Frame label = frames.TakeFrom(stack.frames);
    if (stack.frames.empty()) continue;
    auto place = places.find(ViewOf(stack));
    if (place == places.end()) {
      stacks.push_back(std::move(stack));
      place = places.emplace(ViewOf(stacks.back()), stacks.size() - 1).first;
    } else {
      int64_t& sum = stacks[place->second].weight;
      sum = SaturatingAdd(sum, weight);
    }
    if (labels == nullptr) continue;
    labels->resize(stacks.size());
    if (weight > 0) (*labels)[place->second].emplace_back(label, weight);
  }
  return stacks;
}

// Gathers what the part says of labels.
class LabelNotes {
 public:
  LabelNotes(const Profile& profile, SplitPart& part) : profile_(profile), part_(part) {}

  void Add(const std::vector<std::pair<Frame, int64_t>>& labels) {
    std::vector<MethodIndex> threads;  // in the order of their first appearance
    for (const auto& [label, weight] : labels) {
      const bool is_new = std::ranges::find(threads, label.method) == threads.end();
      if (is_new && label.method != kNoMethod) threads.push_back(label.method);
    }
    StackShares of{stack_++, {}};
    for (const MethodIndex thread : threads)
      of.shares.emplace_back(NumberOf(thread), AddRow(labels, thread));
    if (!of.shares.empty()) part_.of_threads.push_back(std::move(of));
    AddRow(labels, kNoMethod);
  }

  void Finish() {
    std::map<int64_t, size_t> numbers;
    for (const auto& [second, known] : seconds_) {
      numbers.emplace(second, part_.seconds.size());
      part_.seconds.push_back(second);
    }
    for (StackShares& of : part_.of_periods) {
      for (auto& share : of.shares) share.first = numbers.at(static_cast<int64_t>(share.first));
    }
  }

 private:
  // The periods of one thread. Returns its weight; if that is 0, it has no row.
  int64_t AddRow(const std::vector<std::pair<Frame, int64_t>>& labels, MethodIndex thread) {
    std::map<Bci, int64_t> periods;
    int64_t sum = 0;
    for (const auto& [label, weight] : labels) {
      if (label.method != thread) continue;
      sum = SaturatingAdd(sum, weight);
      if (label.bci > 0) periods[label.bci] = SaturatingAdd(periods[label.bci], weight);
    }
    if (sum == 0) return 0;
    StackShares of{row_++, {}};
    for (const auto& [bci, weight] : periods) {
      const int64_t second = bci - 1;
      seconds_.emplace(second, true);
      of.shares.emplace_back(static_cast<size_t>(second),
                             weight == sum ? StackShares::kAll : weight);
    }
    if (!of.shares.empty()) part_.of_periods.push_back(std::move(of));
    return sum;
  }

  size_t NumberOf(MethodIndex thread) {
    const auto [known, is_new] =
        numbers_.try_emplace(static_cast<uint32_t>(thread), part_.threads.size());
    if (is_new) part_.threads.emplace_back(profile_.MethodName(thread));
    return known->second;
  }

  const Profile& profile_;
  SplitPart& part_;
  size_t stack_ = 0;
  size_t row_ = 0;
  std::map<int64_t, bool> seconds_;
  std::unordered_map<uint32_t, size_t> numbers_;  // of threads
};

void AddPeriods(const SplitPart& split, std::vector<SampledStack>& stacks, Profile& profile) {
  if (split.of_periods.empty() || !Fit(split.of_periods, stacks)) return;
  const MethodIndex unknown = AddThread(profile, "");
  const ThreadFrames threads(profile);
  stacks =
      Divide(std::move(stacks), split.of_periods, [&](size_t period, std::vector<Frame>& frames) {
        if (!threads.Is(frames.back().method)) frames.push_back({unknown, 0});
        frames.back().bci = FrameBciOf(static_cast<int32_t>(split.seconds[period]));
      });
}

}  // namespace

std::vector<SampledStack> StacksOf(const Profile& profile) { return StacksWith(profile, nullptr); }

void SplitPart::NoteThreads(const Profile& profile) {
  if (!ThreadFrames(profile).any()) return;
  WeightsOfLabels labels;
  std::vector<SampledStack> whole = StacksWith(profile, &labels);
  ByFrames<size_t> places;  // in `whole`, of those that are split
  for (const SplitStack& stack : stacks) places.emplace(ViewOf(stack.whole), 0);
  std::vector<size_t> order;
  for (size_t at = 0; at < whole.size(); ++at) {
    const auto split = places.find(ViewOf(whole[at]));
    if (split != places.end()) {
      split->second = at;
    } else if (whole[at].weight > 0) {
      order.push_back(at);
    }
  }
  for (const SplitStack& stack : stacks) order.push_back(places.at(ViewOf(stack.whole)));
  LabelNotes notes(profile, *this);
  for (const size_t at : order) notes.Add(labels[at]);
  notes.Finish();
  std::vector<SampledStack> read;
  for (const size_t at : order) read.push_back(std::move(whole[at]));
  const auto drop = [](auto& list, std::vector<StackShares>& of) {
    list.clear();
    of.clear();
  };
  if (!Fit(of_threads, read)) {
    drop(threads, of_threads);
    drop(seconds, of_periods);
  }
  read = Divide(std::move(read), of_threads, [](size_t, std::vector<Frame>&) {});
  if (!Fit(of_periods, read)) drop(seconds, of_periods);
}

void JoinThreads(const SplitPart& split, SampleLabels labels, std::vector<SampledStack>& stacks,
                 Profile& profile) {
  if (labels == SampleLabels::kNone || !Fit(split.of_threads, stacks)) return;
  std::vector<MethodIndex> threads;
  for (const std::string& name : split.threads) threads.push_back(AddThread(profile, name));
  stacks =
      Divide(std::move(stacks), split.of_threads, [&](size_t thread, std::vector<Frame>& frames) {
        frames.push_back({threads[thread], 0});
      });
  if (labels == SampleLabels::kThreadsAndPeriods) AddPeriods(split, stacks, profile);
}

}  // namespace iprof
