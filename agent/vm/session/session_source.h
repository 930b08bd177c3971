// SessionSource: what a session has recorded, for the raw file.
//
// Guarantees: the file gets what Session::MakeProfile takes from counting and sampling, except: types
// that are loaded and were not counted, source lines, frames that are live, and HotSpot's own counters.
// Threads and failure: as SnapshotSource.
#pragma once

#include <cstdint>
#include <functional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "agent/vm/counting/counting.h"
#include "agent/vm/sampling/sampling.h"
#include "agent/vm/settings/options.h"
#include "agent/vm/snapshot/snapshots.h"
#include "writer/io/run_note.h"

namespace iprof::vm {

class SessionSource final : public SnapshotSource {
 public:
  // `counting` may be null, and `sampling` may return null. `run` describes the run so far, on any thread.
  // Everything must outlive this object.
  SessionSource(const Options& options, int target_jdk, Counting* counting,
                std::function<Sampling*()> sampling, std::function<RunNote()> run);

  RawHeader Header() override;
  void Begin() override;
  void End() override;
  bool AddTo(JNIEnv* jni, RawWriter& file, RawGeneration* numbers) override;
  bool HasOutgrown() const override;
  size_t bytes() const override;
  size_t expected_bytes() const override;

 private:
  const Options& options_;
  const int target_jdk_;
  Counting* const counting_;
  const std::function<Sampling*()> sampling_;
  const std::function<RunNote()> run_;
  // Of the last AddTo.
  std::vector<std::pair<std::string_view, uint64_t>> live_frames_;
  std::string statistics_;
  std::string runs_;
  std::vector<RawPart> parts_;
};

}  // namespace iprof::vm
