// SamplingProfile: from raw stacks (method keys, and bcis in the running bytecode) to the profile's
// samplingProfiles.
//
// What happens to a frame:
// - A method with a name is written under its name. The BciMap translates its bci to the original
//   bytecode's.
// - A native method is a frame. It has no bytecode (HotSpot gives the bci -3), and the format
//   forbids negative bcis, so its bci is 0, where every method begins. Compiled code without a
//   position (a synchronised method's lock) also has 0.
// - Linkage is left out: LambdaForm$… and the other hidden classes of java.lang.invoke, and its
//   …$Holder classes. An image has no such frames.
// - Probes are left out with everything that they call: the time counts for the method that
//   contains the probe.
// - Other hidden classes (lambdas) get their stable name from HiddenClassNames. If it has none (the
//   class's bytes were never seen), the frame is left out and counted: HotSpot's own name is valid
//   only in this run, and no image build could look it up.
// - A virtual thread's frames end at its continuation's entry; the carrier's frames below it are
//   left out.
// - A key without a name (the class was prepared before the agent listened) is left out and
//   counted.
// Contexts start at the executing frame and end at the thread's first. Equal contexts are added up.
// The source lines of their frames, if known, go into the profile's section "iprofagent" (see
// AgentSection and SourceLines).
//
// Guarantees: knows no JVM, so it is tested without one. Threads: any normal thread, one at a time.
// Failure: what is left out is counted in SampleWriteCounts.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

#include "agent/sampling/core/trace_table.h"
#include "agent/vm/names/hidden_class_names.h"
#include "agent/vm/sampling/line_tables.h"
#include "agent/vm/sampling/sample_baseline.h"
#include "agent/vm/sampling/sampling_methods.h"
#include "writer/model/model.h"

namespace iprof::vm {

// Maps bcis of rewritten methods to those of the class file. Returns the bci itself if the method
// was not rewritten, and nullopt if another agent changed it, so that the original bci is unknown.
class BciMap {
 public:
  virtual ~BciMap() = default;
  virtual std::optional<Bci> OriginalBci(const SampledMethod& method, Bci running) const = 0;
};

struct SampleWriteCounts {
  uint64_t contexts = 0;      // entries written
  uint64_t weight = 0;        // the sum of their weights
  uint64_t cut_contexts = 0;  // their outer frames are missing (depth=)
  uint64_t empty_weight = 0;  // weight of stacks without any frame left
  // frames of distinct stacks that were left out, as are the next three
  uint64_t linkage_frames = 0;
  uint64_t carrier_frames = 0;
  uint64_t unnamed_frames = 0;
  uint64_t unstable_frames = 0;
};

// What is known of the program besides its stacks. If `names` or `bcis` is null, names or bcis are
// not translated.
struct SampleLookup {
  const SampledMethods& methods;
  const HiddenClassNames* names = nullptr;
  const BciMap* bcis = nullptr;
  const LineTables* lines = nullptr;
  const SampleBaseline* since = nullptr;  // only what came after it
};

SampleWriteCounts AddSamples(const sampling::TraceTable& traces, const SampleLookup& lookup,
                             Profile& profile);

}  // namespace iprof::vm
