// The threads of stacks (split_part.h).
#include <algorithm>
#include <unordered_map>
#include <utility>

#include "writer/profile/io/split_part.h"
#include "writer/profile/io/stacks_by_frames.h"
#include "writer/profile/sample_threads.h"

namespace iprof {
namespace {

// Stacks with a thread have no frames in common, so that a small file could fill the memory: at most so many are made.
constexpr size_t kMostThreadFrames = size_t{16} << 20;

bool FitThreads(const std::vector<ThreadShares>& of_threads,
                const std::vector<SampledStack>& stacks) {
  size_t frames = 0;
  return std::ranges::all_of(of_threads, [&](const ThreadShares& of) {
    if (of.stack >= stacks.size()) return false;
    frames += of.shares.size() * (stacks[of.stack].frames.size() + 1);
    int64_t sum = 0;
    for (const auto& [thread, weight] : of.shares) sum = SaturatingAdd(sum, weight);
    return sum <= stacks[of.stack].weight && frames <= kMostThreadFrames;
  });
}

// By the numbers of StacksOf: the weight of each thread, in the order of their first appearance.
using WeightsOfThreads = std::vector<std::vector<std::pair<MethodIndex, int64_t>>>;

std::vector<SampledStack> StacksWith(const Profile& profile, WeightsOfThreads* threads) {
  const ThreadFrames frames(profile);
  std::vector<SampledStack> stacks;
  ByFrames<size_t> places;  // if threads make equal stacks
  for (const EntryIndex entry : EntriesOf(profile, Table::kSamples)) {
    const int64_t weight = profile.EntryCount(Table::kSamples, entry);
    SampledStack stack{profile.Frames(profile.EntryContext(Table::kSamples, entry)), weight};
    if (!frames.any()) {
      stacks.push_back(std::move(stack));
      continue;
    }
    const MethodIndex thread = frames.TakeFrom(stack.frames);
    if (stack.frames.empty()) continue;
    auto place = places.find(ViewOf(stack));
    if (place == places.end()) {
      stacks.push_back(std::move(stack));
      place = places.emplace(ViewOf(stacks.back()), stacks.size() - 1).first;
    } else {
      int64_t& sum = stacks[place->second].weight;
      sum = SaturatingAdd(sum, weight);
    }
    if (threads == nullptr) continue;
    threads->resize(stacks.size());
    if (thread != kNoMethod && weight > 0) (*threads)[place->second].emplace_back(thread, weight);
  }
  return stacks;
}

}  // namespace

std::vector<SampledStack> StacksOf(const Profile& profile) { return StacksWith(profile, nullptr); }

void SplitPart::NoteThreads(const Profile& profile) {
  if (!ThreadFrames(profile).any()) return;
  WeightsOfThreads weights;
  std::vector<SampledStack> whole = StacksWith(profile, &weights);
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
  std::unordered_map<uint32_t, size_t> numbers;
  for (size_t number = 0; number < order.size(); ++number) {
    const auto& of_stack = weights[order[number]];
    if (of_stack.empty()) continue;
    ThreadShares& of = of_threads.emplace_back();
    of.stack = number;
    for (const auto& [thread, weight] : of_stack) {
      const auto [known, is_new] =
          numbers.try_emplace(static_cast<uint32_t>(thread), threads.size());
      if (is_new) threads.emplace_back(profile.MethodName(thread));
      of.shares.emplace_back(known->second, weight);
    }
  }
  std::vector<SampledStack> read;
  for (const size_t at : order) read.push_back(std::move(whole[at]));
  if (FitThreads(of_threads, read)) return;
  threads.clear();
  of_threads.clear();
}

void JoinThreads(const SplitPart& split, std::vector<SampledStack>& stacks, Profile& profile) {
  if (split.of_threads.empty() || !FitThreads(split.of_threads, stacks)) return;
  std::vector<MethodIndex> threads;
  for (const std::string& name : split.threads) threads.push_back(AddThread(profile, name));
  std::vector<SampledStack> joined;
  size_t next = 0;
  for (size_t at = 0; at < stacks.size(); ++at) {
    SampledStack& stack = stacks[at];
    if (next < split.of_threads.size() && split.of_threads[next].stack == at) {
      for (const auto& [thread, weight] : split.of_threads[next++].shares) {
        stack.weight -= weight;
        joined.push_back({stack.frames, weight});
        joined.back().frames.push_back({threads[thread], 0});
      }
      if (stack.weight == 0) continue;
    }
    joined.push_back(std::move(stack));
  }
  stacks = std::move(joined);
}

}  // namespace iprof
