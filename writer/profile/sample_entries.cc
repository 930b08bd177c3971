#include "writer/profile/sample_entries.h"

#include <algorithm>
#include <numeric>
#include <utility>

#include "writer/base/hash.h"
#include "writer/profile/sample_threads.h"

namespace iprof {
namespace {

// Two numbers for each stack that follow from its content, the same in every run: without its thread, which makes no difference
// to how much an image build is given, and with it.
class StackHashes {
 public:
  explicit StackHashes(const Profile& profile)
      : profile_(profile), threads_(profile), methods_(profile.method_count()) {}

  std::pair<uint64_t, uint64_t> Of(ContextIndex context) {
    uint64_t stack = 0;
    uint64_t all = 0;
    profile_.ForEachFrame(context, [&](Frame frame) {
      all = MixHash(MixHash(all, OfMethod(frame.method)), static_cast<uint64_t>(frame.bci));
      if (!threads_.Is(frame.method)) stack = all;
    });
    return {stack, all};
  }

 private:
  uint64_t OfMethod(MethodIndex method) {
    if (method == kNoMethod) return 0;
    uint64_t& hash = methods_[static_cast<size_t>(method)];
    if (hash == 0) hash = HashBytes(profile_.DescribeMethod(method), 0);
    return hash;
  }

  const Profile& profile_;
  const ThreadFrames threads_;
  std::vector<uint64_t> methods_;  // 0: not known yet
};

}  // namespace

void SampleEntries::Add(ContextIndex context, uint64_t weight) {
  const auto [place, is_new] = places_.emplace(static_cast<uint32_t>(context), entries_.size());
  if (is_new) entries_.push_back({context, 0});
  uint64_t& sum = entries_[place->second].weight;
  sum = weight > UINT64_MAX - sum ? UINT64_MAX : sum + weight;
}

void SampleEntries::WriteTo(Profile& profile, WeightScale scale) const {
  std::vector<uint64_t> scaled;
  for (const Entry& entry : entries_) scaled.push_back(entry.weight);
  if (scale.changes()) {
    StackHashes hashes(profile);
    std::vector<std::pair<std::pair<uint64_t, uint64_t>, size_t>> order;
    for (size_t e = 0; e < entries_.size(); ++e)
      order.emplace_back(hashes.Of(entries_[e].context), e);
    std::sort(order.begin(), order.end());
    for (const auto& [hashes_of_stack, e] : order) scaled[e] = scale.Of(entries_[e].weight);
  }
  for (size_t e = 0; e < entries_.size(); ++e) {
    const auto count = static_cast<int64_t>(std::min<uint64_t>(scaled[e], INT64_MAX));
    if (count > 0) profile.AddCount(Table::kSamples, entries_[e].context, count);
  }
}

}  // namespace iprof
