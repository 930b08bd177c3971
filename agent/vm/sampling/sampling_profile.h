// SamplingProfile: from raw stacks (method keys and bcis of the running bytecode) to the profile's
// samplingProfiles.
//
// What becomes of a frame:
//  - A method that is named goes in under its name; its bci is translated to the original
//    bytecode's by the BciMap.
//  - Native methods are frames. They have no bytecode (HotSpot says bci -3), and the format forbids
//    negative bcis: 0, the bci at which any method's execution begins. Compiled code without a
//    position (a synchronised method's lock) is 0 too.
//  - Linkage is left out: LambdaForm$… and the other hidden classes of java.lang.invoke, and its
//    …$Holder classes. An image has no such frames.
//  - Probes are left out with all that they call: the time goes to the method that is counted.
//  - Other hidden classes (lambdas) get their stable name from HiddenClassNames. Where that knows
//    none (the class's bytes were never seen) the frame is left out and counted: HotSpot's own name
//    is of this run only, and no image build could look it up.
//  - A virtual thread's frames end at its continuation's entry; the carrier's frames below it are
//    left out.
//  - A key that has no name (the class was prepared before anybody listened) is left out and
//    counted.
// Contexts start at the executing frame and end at the thread's first. Equal contexts add up. The
// source lines of their frames, where known, go into the profile's section "iprofagent" (see
// AgentSection and SourceLines).
//
// Knows no JVM: tested without one. Any normal thread; one at a time.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

#include "agent/sampling/core/trace_table.h"
#include "agent/vm/names/hidden_class_names.h"
#include "agent/vm/sampling/line_tables.h"
#include "agent/vm/sampling/sampling_methods.h"
#include "writer/model/model.h"

namespace iprof::vm {

// Bcis of rewritten methods to those of the class file; the bci itself where a method was not
// rewritten, nothing where another agent changed it and so nobody knows.
class BciMap {
 public:
  virtual ~BciMap() = default;
  virtual std::optional<Bci> OriginalBci(const SampledMethod& method, Bci running) const = 0;
};

struct SampleWriteCounts {
  uint64_t contexts = 0;        // entries written
  uint64_t weight = 0;          // their sum
  uint64_t cut_contexts = 0;    // whose outer end is missing (depth=)
  uint64_t empty_weight = 0;    // weight of stacks of which no frame was left
  uint64_t linkage_frames = 0;  // left out, as are the next three; frames of distinct stacks
  uint64_t carrier_frames = 0;
  uint64_t unnamed_frames = 0;
  uint64_t unstable_frames = 0;
};

// What is known of the program beside its stacks. Where names or bcis are null they stay as they are.
struct SampleLookup {
  const SampledMethods& methods;
  const HiddenClassNames* names = nullptr;
  const BciMap* bcis = nullptr;
  const LineTables* lines = nullptr;
};

SampleWriteCounts AddSamples(const sampling::TraceTable& traces, const SampleLookup& lookup,
                             Profile& profile);

}  // namespace iprof::vm
