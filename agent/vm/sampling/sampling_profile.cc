#include "agent/vm/sampling/sampling_profile.h"

#include <algorithm>
#include <utility>
#include <vector>

#include "writer/model/sample_entries.h"
#include "writer/names/type_names.h"

namespace iprof::vm {
namespace {

using sampling::TraceView;

class ProfileSamples {
 public:
  ProfileSamples(const SampleLookup& lookup, Profile& profile)
      : lookup_(lookup), profile_(profile) {}

  void Expect(const TraceView& trace) {
    if (WeightOf(trace) > 0) translation_.Expect(trace, lookup_);
  }

  void Add(const TraceView& trace) {
    const uint64_t trace_weight = WeightOf(trace);
    // The stack was read while its weight was still zero, or has no weight since the reset.
    if (trace_weight == 0) return;
    const TranslatedStack& stack = translation_.Translate(trace, lookup_, counts_);
    if (stack.frames.empty()) {
      counts_.empty_weight += trace_weight;
      return;
    }
    frames_.clear();
    for (const TranslatedFrame& frame : stack.frames) {
      frames_.push_back({IndexOf(frame.method), frame.bci});
      if (frame.line)
        profile_.notes().SetLine(frames_.back().method, frames_.back().bci, *frame.line);
    }
    samples_.Add(profile_.AddContext(frames_), trace_weight);
    counts_.weight += trace_weight;
    if (!stack.whole) ++counts_.cut_contexts;
  }

  void LearnExpected() { translation_.LearnExpected(lookup_); }

  SampleWriteCounts Finish(WeightScale scale) {
    samples_.WriteTo(profile_, scale);
    counts_.contexts = profile_.entry_count(Table::kSamples);
    return counts_;
  }

 private:
  uint64_t WeightOf(const TraceView& trace) const {
    return lookup_.since == nullptr ? trace.weight() : lookup_.since->WeightSince(trace);
  }

  MethodIndex IndexOf(uint32_t number) {
    while (indices_.size() <= number) {
      const TranslatedMethod& method = translation_.methods()[indices_.size()];
      std::vector<TypeIndex> signature{profile_.AddType(ToUtf8(method.type))};
      const auto types = SignatureOf(method.descriptor);  // the translation has checked it
      for (size_t i = 0; types && i < types->size(); ++i)
        signature.push_back(profile_.AddType(ToUtf8((*types)[i])));
      indices_.push_back(profile_.AddMethod(ToUtf8(method.name), signature));
    }
    return indices_[number];
  }

  const SampleLookup& lookup_;
  Profile& profile_;
  SampleEntries samples_;
  StackTranslation translation_;
  std::vector<MethodIndex> indices_;  // by the translation's numbers
  std::vector<Frame> frames_;
  SampleWriteCounts counts_;
};

}  // namespace

SampleWriteCounts AddSamples(std::span<const TraceView> traces, const SampleLookup& lookup,
                             Profile& profile, WeightScale scale) {
  ProfileSamples samples(lookup, profile);
  for (const TraceView& trace : traces) samples.Expect(trace);
  samples.LearnExpected();
  for (const TraceView& trace : traces) samples.Add(trace);
  return samples.Finish(scale);
}

}  // namespace iprof::vm
