// ProfileSink: makes a profile of what the sources of a recording write into it (record_sink.h).
//
// Guarantees: as AssembleProfile. Records are decoded one after the other, where they are, and nothing is encoded on the
// way. Methods of stacks without weight are not in the profile.
// Threads: one. Failure: none but std::bad_alloc.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "writer/profile/io/run_note.h"
#include "writer/profile/sample_entries.h"
#include "writer/records/raw/record_sink.h"

namespace iprof {

class ProfileSink final : public RecordSink {
 public:
  // `profile` has the standard types, and must outlive this object.
  explicit ProfileSink(Profile& profile) : profile_(profile) {}

  const Profile* profile() const override { return &profile_; }
  void SetProbeCounts(ProbeCounts counts) override;
  void SetContexts(const ContextSamples& samples) override { contexts_ = &samples; }
  const Profile* exact() const override { return counted_ ? &profile_ : nullptr; }
  void AddHarvest(const ClassSource& classes, std::span<const uint64_t> counters,
                  const TypeCounts& types, const AssemblyOptions& options) override;
  void AddMethod(uint32_t number, const RawMethod& method) override;
  void AddStack(uint32_t number, std::span<const RawStackFrame> frames, bool cut) override;
  void SetWeights(std::span<const uint64_t> weights) override;
  // To the part "harvest", it adds the sites that the assembly has left out.
  void SetPart(std::string_view name, std::string_view json) override;
  void NoteGoesOn() override { at_rest_ = false; }

  // Of what probes counted; null: nothing was.
  const AssemblyResult* counted() const { return counted_ ? &*counted_ : nullptr; }
  bool at_rest() const { return at_rest_; }

 private:
  struct Method {
    std::string type;
    std::string name;
    std::string descriptor;
    std::optional<MethodIndex> index{};  // once it is on a stack with weight
  };
  struct Stack {
    size_t first_frame = 0;
    size_t frames = 0;
  };
  MethodIndex IndexOf(Method& method);

  Profile& profile_;
  bool at_rest_ = true;
  const ContextSamples* contexts_ = nullptr;
  std::optional<AssemblyResult> counted_;
  uint64_t sites_left_out_ = 0;  // of the harvest
  std::vector<Method> methods_;  // by number
  std::vector<Stack> stacks_;    // by number
  std::vector<RawStackFrame> frames_;
};

}  // namespace iprof
