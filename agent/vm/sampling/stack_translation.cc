#include "agent/vm/sampling/stack_translation.h"

#include <algorithm>

#include "writer/base/time_period.h"
#include "writer/names/type_names.h"
#include "writer/profile/sample_threads.h"

namespace iprof::vm {
namespace {

using sampling::CallFrame;
using sampling::TraceView;

// The size of a node of a map, with its bucket.
constexpr size_t kNodeBytes = 64;

// "La/B.0x0123;" is the hidden class "a.B/0x0123".
std::string HiddenNameOf(Descriptor descriptor) {
  std::string name(descriptor.ClassName().text());
  for (char& c : name) {
    if (c == '.') {
      c = '/';
    } else if (c == '/') {
      c = '.';
    }
  }
  return name;
}

// Whether the method's code is, as far as is known, still that of the sample.
bool IsCurrent(const CallFrame& raw, const SampleLookup& lookup) {
  const uint32_t length = lookup.lines == nullptr ? 0 : lookup.lines->LengthOf(raw.method);
  return length == 0 || raw.code.Fits(length);
}

}  // namespace

const TranslatedStack& StackTranslation::Translate(const TraceView& trace,
                                                   const SampleLookup& lookup,
                                                   SampleWriteCounts& counts) {
  TranslateFrames(trace, lookup, counts);
  if (stack_.frames.empty()) return stack_;
  const auto second = static_cast<int32_t>(BeginOf(trace.period()));
  stack_.frames.push_back(
      {MethodOfThread(trace.thread(), lookup.threads), FrameBciOf(second), std::nullopt});
  return stack_;
}

uint32_t StackTranslation::MethodOfThread(uint32_t thread, const ThreadNames* names) {
  if (names == nullptr) thread = 0;
  const auto [known, is_new] =
      of_threads_.try_emplace(thread, static_cast<uint32_t>(methods_.size()));
  if (is_new)
    methods_.push_back(
        {std::string(kThreadType), thread == 0 ? std::string() : names->NameOf(thread), "()V"});
  return known->second;
}

void StackTranslation::TranslateFrames(const TraceView& trace, const SampleLookup& lookup,
                                       SampleWriteCounts& counts) {
  std::vector<TranslatedFrame>& frames = stack_.frames;
  frames.clear();
  stack_.whole = !trace.cut();
  for (size_t i = 0; i < trace.depth(); ++i) {
    const CallFrame raw = trace.frame(i);
    const Resolved& resolved = Resolve(raw.method, lookup);
    if (resolved.kind == FrameKind::kContinuation) {
      counts.carrier_frames += trace.depth() - i;
      stack_.whole = true;  // what was cut off did not belong to the virtual thread
      break;
    }
    if (resolved.kind == FrameKind::kProbe) {
      // Drop what the probe called too: the time counts for the method that contains the probe.
      frames.clear();
      ++counts.linkage_frames;
    } else if (resolved.kind == FrameKind::kLinkage) {
      ++counts.linkage_frames;
    } else if (resolved.kind == FrameKind::kUnstable) {
      ++counts.unstable_frames;
    } else if (resolved.kind == FrameKind::kUnnamed) {
      ++counts.unnamed_frames;
      if (frames.empty()) continue;
      ++counts.ends_at_unknown;
      stack_.whole = false;
      break;
    } else if (!AddFrame(raw, resolved, lookup, counts)) {
      stack_.whole = false;
      break;
    }
  }
}

bool StackTranslation::AddFrame(const CallFrame& raw, const Resolved& resolved,
                                const SampleLookup& lookup, SampleWriteCounts& counts) {
  std::vector<TranslatedFrame>& frames = stack_.frames;
  if (raw.bci == sampling::kNativeFrame) {
    frames.push_back({resolved.number, 0, std::nullopt});
    return true;
  }
  const bool is_leaf = frames.empty();
  // A Java method that is just being entered has a negative bci (HotSpot's SynchronizationEntryBCI).
  if (!is_leaf && (raw.bci < 0 || raw.code.is_no_call())) {
    ++counts.ends_at_no_call;
    return false;
  }
  const Origin origin = OriginOf(raw, lookup);
  if (!origin.bci && !is_leaf) {
    ++counts.ends_at_unknown;
    return false;
  }
  if (!origin.bci) ++counts.unknown_leaves;
  TranslatedFrame frame{resolved.number, origin.bci.value_or(0), std::nullopt};
  if (origin.bci && lookup.lines != nullptr) {
    // The JVM's lines are those of the code that runs now.
    if (IsCurrent(raw, lookup)) {
      frame.line = lookup.lines->LineOf(raw.method, std::max(raw.bci, 0));
    } else if (lookup.lines->LengthOf(raw.method) == origin.original_length) {
      frame.line = lookup.lines->LineOf(raw.method, *origin.bci);
    }
  }
  frames.push_back(frame);
  return true;
}

StackTranslation::Origin StackTranslation::OriginOf(const CallFrame& raw,
                                                    const SampleLookup& lookup) {
  const Position position{raw.method, std::max(raw.bci, 0), raw.code};
  Origin origin{.bci = position.bci};
  if (lookup.bcis != nullptr) {
    if (!bcis_.contains(position)) {
      expected_.insert(position);
      LearnExpected(lookup);
    }
    origin = bcis_.at(position);
  }
  if (origin.is_recorded || position.bci == 0) return origin;
  // Only other agents can have changed this method, or what was known of it is forgotten.
  const bool is_gone = lookup.lines != nullptr && lookup.lines->LengthOf(raw.method) == 0;
  const bool may_differ = is_gone && lookup.bcis != nullptr && lookup.bcis->MayHaveForgotten();
  if (may_differ || !IsCurrent(raw, lookup)) origin.bci = std::nullopt;
  return origin;
}

void StackTranslation::Expect(const TraceView& trace, const SampleLookup& lookup) {
  if (lookup.bcis == nullptr) return;
  for (size_t i = 0; i < trace.depth(); ++i) {
    const CallFrame raw = trace.frame(i);
    const Resolved& resolved = Resolve(raw.method, lookup);
    if (resolved.kind == FrameKind::kContinuation) break;
    if (resolved.kind != FrameKind::kOrdinary || raw.bci == sampling::kNativeFrame) continue;
    const Position position{raw.method, std::max(raw.bci, 0), raw.code};
    if (!bcis_.contains(position)) expected_.insert(position);
  }
}

void StackTranslation::LearnExpected(const SampleLookup& lookup) {
  if (expected_.empty()) return;
  std::vector<RunningBci> bcis;
  bcis.reserve(expected_.size());
  for (const Position& position : expected_) {
    const Resolved& resolved = resolved_.at(position.id);
    const TranslatedMethod& method = methods_[resolved.number];
    bcis.push_back({.method = {.class_descriptor = resolved.class_descriptor,
                               .name = method.name,
                               .descriptor = method.descriptor},
                    .running = position.bci,
                    .code = position.code});
  }
  lookup.bcis->Translate(bcis);
  size_t i = 0;
  for (const Position& position : expected_) {
    const RunningBci& bci = bcis[i++];
    bcis_.emplace(position, Origin{bci.original, bci.original_length, bci.is_recorded});
  }
  expected_.clear();
}

const StackTranslation::Resolved& StackTranslation::Resolve(const void* id,
                                                            const SampleLookup& lookup) {
  const auto [at, is_new] = resolved_.try_emplace(id);
  Resolved& resolved = at->second;
  // A method without a name may get one later.
  if (!is_new && resolved.kind != FrameKind::kUnnamed) return resolved;
  const std::optional<SampledMethod> method = lookup.methods.Find(id);
  if (!method) return resolved;
  resolved.kind = FrameKindOf(method->class_descriptor, method->name);
  if (resolved.kind == FrameKind::kOrdinary) Name(*method, lookup, resolved);
  return resolved;
}

void StackTranslation::Name(const SampledMethod& method, const SampleLookup& lookup,
                            Resolved& resolved) {
  const std::string_view descriptor = method.class_descriptor;
  std::string type;
  resolved.kind = FrameKind::kOrdinary;
  if (IsHiddenClass(Descriptor(descriptor))) {
    type = HiddenNameOf(Descriptor(descriptor));
    resolved.kind = FrameKind::kUnstable;
  } else if (const auto name = TypeNameOf(Descriptor(descriptor))) {
    type = *name;
  } else {
    resolved.kind = FrameKind::kUnnamed;
    return;
  }
  if (method.naming == ClassNaming::kStable) {
    resolved.kind = FrameKind::kOrdinary;
  } else if (lookup.names != nullptr) {
    if (std::optional<std::string> stable = lookup.names->StableName(BinaryName(type))) {
      type = std::move(*stable);
      resolved.kind = FrameKind::kOrdinary;
    }
  }
  if (resolved.kind == FrameKind::kUnstable) return;
  if (!SignatureOf(method.descriptor)) {
    resolved.kind = FrameKind::kUnnamed;
    return;
  }
  resolved.class_descriptor = descriptor;
  resolved.number = static_cast<uint32_t>(methods_.size());
  methods_.push_back({std::move(type), std::string(method.name), std::string(method.descriptor)});
  text_bytes_ += descriptor.size() + methods_.back().type.size() + method.name.size() +
                 method.descriptor.size();
}

size_t StackTranslation::bytes() const {
  return text_bytes_ + methods_.capacity() * sizeof(TranslatedMethod) +
         resolved_.size() * (kNodeBytes + sizeof(Resolved)) +
         bcis_.size() * (kNodeBytes + sizeof(Position));
}

}  // namespace iprof::vm
