#include "agent/vm/sampling/stack_copy.h"

#include "writer/names/type_names.h"
#include "writer/profile/sample_threads.h"

namespace iprof::vm {
namespace {

constexpr uint32_t kNoStack = UINT32_MAX;

// The size of a node of a map, with its bucket.
constexpr size_t kNodeBytes = 40;

}  // namespace

void StackCopy::Begin() {
  new_.clear();
  numbers_.clear();
  weights_.clear();
  counts_ = {};
  added_methods_ = 0;
}

void StackCopy::AddMethods(RecordSink& sink) {
  const auto& methods = translation_.methods();
  for (; added_methods_ < methods.size(); ++added_methods_) {
    const TranslatedMethod& method = methods[added_methods_];
    const std::string type = ToUtf8(method.type);
    const std::string name = method.type == kThreadType ? method.name : ToUtf8(method.name);
    sink.AddMethod(added_methods_, {type, name, method.descriptor});
  }
}

std::unordered_set<const void*> StackCopy::FindNew(const sampling::TraceTable& traces) {
  std::unordered_set<const void*> methods;
  new_.clear();
  traces.ForEach([&](const sampling::TraceView& trace) {
    if (numbers_.contains(trace.place())) return;
    new_.push_back(trace);
    for (size_t i = 0; i < trace.depth(); ++i) methods.insert(trace.frame(i).method);
  });
  return methods;
}

uint32_t StackCopy::AddStack(const sampling::TraceView& trace, const SampleLookup& lookup,
                             RecordSink& sink) {
  const TranslatedStack& stack = translation_.Translate(trace, lookup, counts_);
  if (stack.frames.empty()) return kNoStack;
  AddMethods(sink);
  frames_.clear();
  for (const TranslatedFrame& frame : stack.frames)
    frames_.push_back({frame.method, frame.bci, frame.line.value_or(-1)});
  const auto number = static_cast<uint32_t>(weights_.size());
  sink.AddStack(number, frames_, !stack.whole);
  weights_.push_back(0);
  if (!stack.whole) ++counts_.cut_contexts;
  return number;
}

void StackCopy::AddTo(const sampling::TraceTable& traces, const SampleLookup& lookup,
                      RecordSink& sink) {
  if (positions_changed_.exchange(false)) translation_.ForgetPositions();
  const auto weight_of = [&](const sampling::TraceView& trace) {
    return lookup.since == nullptr ? trace.weight() : lookup.since->WeightSince(trace);
  };
  // Without weight: of before the reset, or not complete yet.
  std::erase_if(new_, [&](const sampling::TraceView& trace) { return weight_of(trace) == 0; });
  for (const sampling::TraceView& trace : new_) translation_.Expect(trace, lookup);
  translation_.LearnExpected(lookup);
  for (const sampling::TraceView& trace : new_)
    numbers_.emplace(trace.place(), AddStack(trace, lookup, sink));
  new_.clear();
  counts_.weight = counts_.empty_weight = 0;
  traces.ForEach([&](const sampling::TraceView& trace) {
    const auto known = numbers_.find(trace.place());
    if (known == numbers_.end()) return;
    const uint64_t weight = weight_of(trace);
    if (known->second == kNoStack) {
      counts_.empty_weight += weight;
    } else {
      weights_[known->second] = weight;
      counts_.weight += weight;
    }
  });
  counts_.contexts = weights_.size();
}

size_t StackCopy::bytes() const {
  return translation_.bytes() + numbers_.size() * kNodeBytes +
         new_.capacity() * sizeof(sampling::TraceView) + weights_.capacity() * sizeof(uint64_t);
}

}  // namespace iprof::vm
