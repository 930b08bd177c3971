#include "cli/jfr/stacks.h"

#include <algorithm>

#include "writer/names/thread_names.h"
#include "writer/names/type_names.h"
#include "writer/profile/sample_threads.h"

namespace iprof::jfr {
namespace {

constexpr Bci kMostBci = 65'535;
constexpr std::string_view kOtherThreads = "(other threads)";
constexpr std::string_view kLatch = "java/util/concurrent/CountDownLatch$Sync";

void Add(const StackCounts& from, StackCounts& to) {
  to.linkage_frames += from.linkage_frames;
  to.carrier_frames += from.carrier_frames;
  to.unnamed_frames += from.unnamed_frames;
  to.unstable_frames += from.unstable_frames;
  to.ends_at_no_call += from.ends_at_no_call;
  to.ends_at_unknown += from.ends_at_unknown;
  to.unknown_leaves += from.unknown_leaves;
}

}  // namespace

void Stacks::BeginChunk(Constants& constants) {
  constants_ = &constants;
  stacks_.clear();
  methods_.clear();
  threads_.clear();
  types_.clear();
}

Stacks::Method& Stacks::MethodOf(int64_t key) {
  const auto [known, is_new] = methods_.try_emplace(key);
  Method& method = known->second;
  if (!is_new) return method;
  std::optional<MethodFacts> facts = constants_->FindMethod(key);
  if (!facts) return method;
  method.facts = std::move(*facts);
  method.recorded_type = method.facts.type;
  method.kind = NameMethod(method.facts);
  return method;
}

MethodIndex Stacks::InProfile(Method& method) {
  if (method.in_profile) return *method.in_profile;
  std::vector<TypeIndex> signature{profile_.AddType(method.facts.type)};
  const auto types = SignatureOf(method.facts.descriptor);
  for (const std::string& type : *types) signature.push_back(profile_.AddType(type));
  method.in_profile = profile_.AddMethod(method.facts.name, signature);
  return *method.in_profile;
}

EventMethod Stacks::InEvents(Method& method) {
  if (!method.in_events) {
    method.in_events =
        events_.AddMethod(method.facts.type, method.facts.name, ToUtf8(method.facts.descriptor));
  }
  return *method.in_events;
}

Stacks::Translated& Stacks::Translate(int64_t key) {
  const auto [known, is_new] = stacks_.try_emplace(key);
  Translated& translated = known->second;
  if (!is_new) return translated;
  const std::optional<Stack> stack = constants_->FindStack(key, kMostFrames);
  if (!stack) return translated;
  translated.is_there = true;
  translated.is_truncated = stack->is_truncated;
  translated.parks_in_queue = ParksInQueue(*stack);
  TranslateFrames(*stack, translated);
  return translated;
}

void Stacks::TranslateFrames(const Stack& stack, Translated& into) {
  StackCounts& counts = into.left_out;
  for (size_t i = 0; i < stack.frames.size(); ++i) {
    const StackFrame& frame = stack.frames[i];
    Method& method = MethodOf(frame.method);
    const bool is_leaf = into.frames.empty();
    switch (method.kind) {
      case FrameKind::kContinuation:
        counts.carrier_frames += static_cast<int64_t>(stack.frames.size() - i);
        into.is_truncated = false;
        return;
      case FrameKind::kProbe:
        into.frames.clear();
        ++counts.linkage_frames;
        continue;
      case FrameKind::kLinkage:
        ++counts.linkage_frames;
        continue;
      case FrameKind::kUnstable:
        ++counts.unstable_frames;
        continue;
      case FrameKind::kUnnamed:
        ++counts.unnamed_frames;
        if (is_leaf) continue;
        ++counts.ends_at_unknown;
        return;
      case FrameKind::kOrdinary:
        break;
    }
    const bool has_position = frame.bci >= 0 && frame.bci <= kMostBci;
    if (!frame.is_native && !has_position && !is_leaf) {
      ++counts.ends_at_no_call;
      return;
    }
    if (!frame.is_native && !has_position) ++counts.unknown_leaves;
    const bool has_line = !frame.is_native && has_position && frame.line > 0;
    into.frames.push_back(
        {&method, has_position && !frame.is_native ? frame.bci : 0, has_line ? frame.line : -1});
  }
}

// The frame that called LockSupport is one of a queue of waiting threads. Inside LockSupport are Unsafe, and what virtual threads
// park with.
bool Stacks::ParksInQueue(const Stack& stack) {
  bool is_behind = false;
  for (const StackFrame& frame : stack.frames) {
    const std::string& type = MethodOf(frame.method).recorded_type;
    if (type == "java/util/concurrent/locks/LockSupport") {
      is_behind = true;
    } else if (is_behind) {
      return type == "java/util/concurrent/locks/AbstractQueuedSynchronizer" ||
             type == "java/util/concurrent/locks/AbstractQueuedLongSynchronizer" ||
             type == "java/util/concurrent/locks/StampedLock";
    }
  }
  return false;
}

bool Stacks::IsLockPark(int64_t stack, int64_t type) {
  return Translate(stack).parks_in_queue && constants_->ClassName(type) != kLatch;
}

const std::string& Stacks::ThreadName(int64_t thread) {
  const auto [known, is_new] = threads_.try_emplace(thread);
  std::string& name = known->second;
  if (!is_new || thread == 0) return name;
  name = FoldedThreadName(constants_->ThreadName(thread));
  if (thread_names_.size() < kMostThreads) {
    thread_names_.insert(name);
  } else if (!thread_names_.contains(name)) {
    name = kOtherThreads;
  }
  return name;
}

Stacks::Found Stacks::Context(int64_t stack, int64_t thread) {
  Translated& translated = Translate(stack);
  Found found{kNoContext, translated.is_there, translated.is_truncated};
  if (translated.frames.empty()) return found;
  const auto [known, is_new] = translated.contexts.try_emplace(thread, kNoContext);
  if (is_new) {
    std::vector<Frame> frames;
    for (const TranslatedFrame& frame : translated.frames) {
      const MethodIndex method = InProfile(*frame.method);
      frames.push_back({method, frame.bci});
      if (frame.line > 0) profile_.notes().SetLine(method, frame.bci, frame.line);
    }
    if (const std::string& name = ThreadName(thread); !name.empty())
      frames.push_back({AddThread(profile_, name), 0});
    known->second = profile_.AddContext(frames);
    if (known_contexts_.insert(static_cast<uint32_t>(known->second)).second) {
      Add(translated.left_out, counts_);
      if (translated.is_truncated) ++counts_.cut_contexts;
    }
  }
  found.context = known->second;
  return found;
}

EventStack Stacks::OfEvents(int64_t stack) {
  Translated& translated = Translate(stack);
  if (translated.in_events) return *translated.in_events;
  std::vector<EventFrame> frames;
  for (const TranslatedFrame& frame : translated.frames)
    frames.push_back({InEvents(*frame.method), frame.bci, frame.line});
  if (frames.empty())
    frames.push_back({events_.AddMethod("(no Java code)", "native", "()V"), 0, -1});
  translated.in_events = events_.AddStack(frames);
  return *translated.in_events;
}

EventType Stacks::TypeOf(int64_t type) {
  const auto [known, is_new] = types_.try_emplace(type, kNoEventType);
  if (!is_new) return known->second;
  const std::string name = EventTypeName(constants_->ClassName(type));
  if (!name.empty()) known->second = events_.AddType(name);
  return known->second;
}

EventThread Stacks::ThreadOf(int64_t thread) {
  const std::string& name = ThreadName(thread);
  return name.empty() ? kNoEventThread : events_.AddThread(name);
}

}  // namespace iprof::jfr
