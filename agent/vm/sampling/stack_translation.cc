#include "agent/vm/sampling/stack_translation.h"

#include <algorithm>

#include "agent/instrument/probes/inherited_members.h"
#include "writer/names/own_classes.h"
#include "writer/names/type_names.h"

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

bool IsLinkage(std::string_view class_descriptor) {
  return IsLinkageClass(Descriptor(class_descriptor).ClassName());
}

// The agent's own classes and methods, which probes call.
bool IsProbe(const SampledMethod& method) {
  const std::string_view owner = method.class_descriptor;
  return IsOwnClass(Descriptor(owner).ClassName()) ||
         (owner == "Ljava/lang/Object;" && instrument::IsInheritedName(method.name));
}

bool IsContinuationEntry(const SampledMethod& method) {
  return method.class_descriptor == "Ljdk/internal/vm/Continuation;" &&
         (method.name == "enterSpecial" || method.name == "enter" || method.name == "enter0");
}

// The JVM's lines are those of the running code. A Java method that is just being entered has a
// negative bci (HotSpot's SynchronizationEntryBCI). It is written as 0, so it has the line of 0.
std::optional<int32_t> LineOf(const CallFrame& raw, const SampleLookup& lookup) {
  if (lookup.lines == nullptr || raw.bci == sampling::kNativeFrame) return std::nullopt;
  return lookup.lines->LineOf(raw.method, std::max(raw.bci, 0));
}

}  // namespace

const TranslatedStack& StackTranslation::Translate(const TraceView& trace,
                                                   const SampleLookup& lookup,
                                                   SampleWriteCounts& counts) {
  std::vector<TranslatedFrame>& frames = stack_.frames;
  frames.clear();
  stack_.whole = !trace.cut();
  for (size_t i = 0; i < trace.depth(); ++i) {
    const CallFrame raw = trace.frame(i);
    const Resolved& resolved = Resolve(raw.method, lookup);
    if (resolved.kind == Kind::kContinuation) {
      counts.carrier_frames += trace.depth() - i;
      stack_.whole = true;  // what was cut off did not belong to the virtual thread
      break;
    }
    if (resolved.kind == Kind::kProbe) {
      // Drop what the probe called too: the time counts for the method that contains the probe.
      frames.clear();
      ++counts.linkage_frames;
    } else if (resolved.kind == Kind::kLinkage) {
      ++counts.linkage_frames;
    } else if (resolved.kind == Kind::kUnstable) {
      ++counts.unstable_frames;
    } else if (resolved.kind == Kind::kUnnamed) {
      ++counts.unnamed_frames;
    } else {
      const std::optional<Bci> bci = BciOf(raw.method, resolved, raw.bci, lookup);
      frames.push_back({resolved.number, bci.value_or(0), std::nullopt});
      if (bci) frames.back().line = LineOf(raw, lookup);
    }
  }
  return stack_;
}

std::optional<Bci> StackTranslation::BciOf(const void* id, const Resolved& resolved, int32_t raw,
                                           const SampleLookup& lookup) {
  const Bci bci = std::max(raw, 0);
  if (resolved.version == MethodVersion::kReplaced || lookup.bcis == nullptr) return bci;
  const auto known = bcis_.find(Position{id, bci});
  if (known != bcis_.end()) return known->second;
  expected_.insert(Position{id, bci});
  LearnExpected(lookup);
  return bcis_.at(Position{id, bci});
}

void StackTranslation::Expect(const TraceView& trace, const SampleLookup& lookup) {
  if (lookup.bcis == nullptr) return;
  for (size_t i = 0; i < trace.depth(); ++i) {
    const CallFrame raw = trace.frame(i);
    const Resolved& resolved = Resolve(raw.method, lookup);
    if (resolved.kind == Kind::kContinuation) break;
    if (resolved.kind != Kind::kOrdinary || resolved.version == MethodVersion::kReplaced) continue;
    const Position position{raw.method, std::max(raw.bci, 0)};
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
                    .running = position.bci});
  }
  lookup.bcis->Translate(bcis);
  size_t i = 0;
  for (const Position& position : expected_) bcis_.emplace(position, bcis[i++].original);
  expected_.clear();
}

const StackTranslation::Resolved& StackTranslation::Resolve(const void* id,
                                                            const SampleLookup& lookup) {
  const auto [at, is_new] = resolved_.try_emplace(id);
  Resolved& resolved = at->second;
  // A method without a name may get one later.
  if (!is_new && resolved.kind != Kind::kUnnamed) return resolved;
  const std::optional<SampledMethod> method = lookup.methods.Find(id);
  if (!method) return resolved;
  if (IsProbe(*method)) {
    resolved.kind = Kind::kProbe;
  } else if (IsLinkage(method->class_descriptor)) {
    resolved.kind = Kind::kLinkage;
  } else if (IsContinuationEntry(*method)) {
    resolved.kind = Kind::kContinuation;
  } else {
    Name(*method, lookup, resolved);
  }
  return resolved;
}

void StackTranslation::Name(const SampledMethod& method, const SampleLookup& lookup,
                            Resolved& resolved) {
  const std::string_view descriptor = method.class_descriptor;
  std::string type;
  resolved.kind = Kind::kOrdinary;
  if (IsHiddenClass(Descriptor(descriptor))) {
    type = HiddenNameOf(Descriptor(descriptor));
    resolved.kind = Kind::kUnstable;
  } else if (const auto name = TypeNameOf(Descriptor(descriptor))) {
    type = *name;
  } else {
    resolved.kind = Kind::kUnnamed;
    return;
  }
  if (method.naming == ClassNaming::kStable) {
    resolved.kind = Kind::kOrdinary;
  } else if (lookup.names != nullptr) {
    if (std::optional<std::string> stable = lookup.names->StableName(BinaryName(type))) {
      type = std::move(*stable);
      resolved.kind = Kind::kOrdinary;
    }
  }
  if (resolved.kind == Kind::kUnstable) return;
  if (!SignatureOf(method.descriptor)) {
    resolved.kind = Kind::kUnnamed;
    return;
  }
  resolved.version = method.version;
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
