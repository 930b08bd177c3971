#include "agent/vm/sampling/sampling_profile.h"

#include <algorithm>
#include <map>
#include <unordered_map>
#include <utility>
#include <vector>

#include "agent/instrument/probes/inherited_members.h"
#include "writer/io/agent_section.h"
#include "writer/io/source_lines.h"
#include "writer/names/own_classes.h"
#include "writer/names/type_names.h"

namespace iprof::vm {
namespace {

using sampling::CallFrame;
using sampling::TraceTable;
using sampling::TraceView;

enum class FrameKind { kOrdinary, kUnstable, kLinkage, kProbe, kContinuation, kUnnamed };

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

// The facts that all frames of one method share. Each method is resolved once.
struct Resolved {
  FrameKind kind = FrameKind::kUnnamed;
  SampledMethod method;
  MethodIndex index = kNoMethod;
};

class Translation {
 public:
  Translation(const SampleLookup& lookup, Profile& profile) : lookup_(lookup), profile_(profile) {}

  void Add(const TraceView& trace) {
    const uint64_t trace_weight =
        lookup_.since == nullptr ? trace.weight() : lookup_.since->WeightSince(trace);
    // The stack was read while its weight was still zero, or has no weight since the reset.
    if (trace_weight == 0) return;
    frames_.clear();
    bool whole = !trace.cut();
    for (size_t i = 0; i < trace.depth(); ++i) {
      const CallFrame raw = trace.frame(i);
      const Resolved& resolved = Resolve(raw.method);
      if (resolved.kind == FrameKind::kContinuation) {
        counts_.carrier_frames += trace.depth() - i;
        whole = true;  // what was cut off did not belong to the virtual thread
        break;
      }
      if (resolved.kind == FrameKind::kProbe) {
        // Drop what the probe called too: the time counts for the method that contains the probe.
        frames_.clear();
        ++counts_.linkage_frames;
      } else if (resolved.kind == FrameKind::kLinkage) {
        ++counts_.linkage_frames;
      } else if (resolved.kind == FrameKind::kUnstable) {
        ++counts_.unstable_frames;
      } else if (resolved.kind == FrameKind::kUnnamed) {
        ++counts_.unnamed_frames;
      } else {
        const std::optional<Bci> bci = BciOf(resolved, raw.bci);
        frames_.push_back({resolved.index, bci.value_or(0)});
        if (bci) NoteLine(frames_.back(), raw);
      }
    }
    if (frames_.empty()) {
      counts_.empty_weight += trace_weight;
      return;
    }
    const auto weight = static_cast<int64_t>(std::min<uint64_t>(trace_weight, INT64_MAX));
    profile_.AddCount(Table::kSamples, profile_.AddContext(frames_), weight);
    counts_.weight += trace_weight;
    if (!whole) ++counts_.cut_contexts;
  }

  SampleWriteCounts Finish() {
    SourceLines lines;
    for (const auto& [place, line] : lines_)
      lines.Add(profile_.DescribeMethod(place.first), place.second, line);
    if (!lines.empty()) SetAgentPart(profile_, kLinesPart, lines.ToJson());
    counts_.contexts = profile_.entry_count(Table::kSamples);
    return counts_;
  }

 private:
  std::optional<Bci> BciOf(const Resolved& resolved, int32_t raw) const {
    const Bci bci = std::max(raw, 0);
    if (resolved.method.version == MethodVersion::kReplaced || lookup_.bcis == nullptr) return bci;
    return lookup_.bcis->OriginalBci(resolved.method, bci);
  }

  // The JVM's lines are those of the running code. A Java method that is just being entered has a
  // negative bci (HotSpot's SynchronizationEntryBCI). It is written as 0, so it has the line of 0.
  void NoteLine(const Frame& frame, const CallFrame& raw) {
    if (lookup_.lines == nullptr || raw.bci == sampling::kNativeFrame) return;
    const std::optional<int32_t> line = lookup_.lines->LineOf(raw.method, std::max(raw.bci, 0));
    if (!line) return;
    const auto [known, is_new] = lines_.try_emplace({frame.method, frame.bci}, *line);
    // classes with the same name may differ
    if (!is_new) known->second = std::min(known->second, *line);
  }

  const Resolved& Resolve(const void* id) {
    const auto [at, is_new] = resolved_.try_emplace(id);
    if (!is_new) return at->second;
    Resolved& resolved = at->second;
    const std::optional<SampledMethod> method = lookup_.methods.Find(id);
    if (!method) return resolved;
    resolved.method = *method;
    if (IsProbe(*method)) {
      resolved.kind = FrameKind::kProbe;
    } else if (IsLinkage(method->class_descriptor)) {
      resolved.kind = FrameKind::kLinkage;
    } else if (IsContinuationEntry(*method)) {
      resolved.kind = FrameKind::kContinuation;
    } else {
      resolved.kind = FrameKind::kOrdinary;
      Name(resolved);
    }
    return resolved;
  }

  void Name(Resolved& resolved) {
    const std::string_view descriptor = resolved.method.class_descriptor;
    std::string type;
    if (IsHiddenClass(Descriptor(descriptor))) {
      type = HiddenNameOf(Descriptor(descriptor));
      resolved.kind = FrameKind::kUnstable;
    } else if (const auto name = TypeNameOf(Descriptor(descriptor))) {
      type = *name;
    } else {
      resolved.kind = FrameKind::kUnnamed;
      return;
    }
    if (resolved.method.naming == ClassNaming::kStable) {
      resolved.kind = FrameKind::kOrdinary;
    } else if (lookup_.names != nullptr) {
      if (std::optional<std::string> stable = lookup_.names->StableName(BinaryName(type))) {
        type = std::move(*stable);
        resolved.kind = FrameKind::kOrdinary;
      }
    }
    if (resolved.kind == FrameKind::kUnstable) return;
    const auto types = SignatureOf(resolved.method.descriptor);
    if (!types) {
      resolved.kind = FrameKind::kUnnamed;
      return;
    }
    std::vector<TypeIndex> signature{profile_.AddType(ToUtf8(type))};
    for (const std::string& each : *types) signature.push_back(profile_.AddType(ToUtf8(each)));
    resolved.index = profile_.AddMethod(ToUtf8(resolved.method.name), signature);
  }

  const SampleLookup& lookup_;
  Profile& profile_;
  std::unordered_map<const void*, Resolved> resolved_;
  std::map<std::pair<MethodIndex, Bci>, int32_t> lines_;
  std::vector<Frame> frames_;
  SampleWriteCounts counts_;
};

}  // namespace

SampleWriteCounts AddSamples(const TraceTable& traces, const SampleLookup& lookup,
                             Profile& profile) {
  Translation translation(lookup, profile);
  traces.ForEach([&](const TraceView& trace) { translation.Add(trace); });
  return translation.Finish();
}

}  // namespace iprof::vm
