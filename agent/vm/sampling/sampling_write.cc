// What Sampling writes into a sink. See sampling.h.
#include <optional>
#include <vector>

#include "agent/vm/sampling/sampling.h"
#include "writer/profile/io/agent_section.h"
#include "writer/profile/io/split_part.h"

namespace iprof::vm {

using sampling::Sampler;

std::optional<MethodLearner::SampledIds> Sampling::SampledNow() {
  Sampler* const begun = sampler();
  if (begun == nullptr) return MethodLearner::SampledIds();
  // A handler that is still running may be adding a stack.
  if (!begun->Drain()) return std::nullopt;
  MethodLearner::SampledIds ids;
  for (const sampling::TraceView& trace : begun->traces().All())
    for (size_t i = 0; i < trace.depth(); ++i) ids.insert(trace.frame(i).method);
  return ids;
}

const LineTables& Sampling::CopiedLines(JNIEnv* jni, MethodLearner::SampledIds sampled) {
  if (lines_changed_.exchange(false)) {
    copied_methods_.clear();
    copied_lines_ = LineTables();
  }
  std::erase_if(sampled, [&](const void* id) { return copied_methods_.contains(id); });
  if (sampled.empty()) return copied_lines_;
  copied_lines_.Add(learner_.LinesOf(jni, sampled));
  copied_methods_.insert(sampled.begin(), sampled.end());
  return copied_lines_;
}

Status Sampling::Write(JNIEnv* jni, RecordSink& sink, const IsOver& /*is_over*/) {
  Sampler* const begun = sampler();
  if (begun == nullptr) return {};
  if (!begun->has_ended()) sink.NoteGoesOn();
  if (sink.log() != nullptr && names_threads_) {
    NoteThreads(jni);
    begun->NameThreads();
  }
  const auto lock = learner_.KeepTexts();
  if (sink.log() != nullptr) {
    if (lock) WriteStacks(copy_, CopiedLines(jni, copy_.FindNew(begun->traces())), sink);
    sink.SetPart(kSamplingPart, SampleStatisticsJson(ReportFigures(copy_.counts())));
    sink.SetWeights(copy_.weights());
    return {};
  }
  if (!lock) {
    log_.Error("no samples are written: the agent's thread, iprof, is suspended");
    return {};
  }
  if (!begun->Drain()) log_.Step("a sample was still being taken when the profile was made");
  StackCopy copy;
  // Handlers may go on adding stacks, whose lines would not be known.
  const LineTables lines = learner_.LinesOf(jni, copy.FindNew(begun->traces()));
  WriteStacks(copy, lines, sink);
  // Read once: the sink scales the weights by the interval in the part, and that may get longer at any time.
  const SampleFigures figures = ReportFigures(copy.counts());
  sink.SetPart(kSamplingPart, SampleStatisticsJson(figures));
  sink.SetWeights(copy.weights());
  if (sink.log() == nullptr) {
    written_ = figures.written;
    if (sink.profile() != nullptr) written_.contexts = StacksOf(*sink.profile()).size();
  }
  return {};
}

void Sampling::WriteStacks(StackCopy& copy, const LineTables& lines, RecordSink& sink) {
  SampleBaseline since;
  {
    const std::lock_guard reset_lock(reset_mutex_);
    since = baseline_;
  }
  const std::unique_ptr<BciMap> bcis = knowledge_.positions ? knowledge_.positions() : nullptr;
  copy.AddTo(sampler()->traces(),
             {.methods = learner_.methods(),
              .names = knowledge_.names,
              .bcis = bcis.get(),
              .lines = &lines,
              .since = &since,
              .threads = names_threads_ ? &thread_names_ : nullptr},
             sink);
}

SampleFigures Sampling::ReportFigures(const SampleWriteCounts& written) const {
  Sampler& begun = *sampler();
  return {.options = sampler_options_,
          .stats = StatsSinceReset(),
          .usage = begun.traces().usage(),
          .written = written,
          .watched_cpu_ns = begun.watched_cpu_ns() - watched_cpu_ns_at_reset_,
          .interval = begun.interval(),
          .signal = begun.signal(),
          .classes_without_ids = learner_.classes_without_ids(),
          .other_threads = thread_names_.others()};
}

void Sampling::Describe(const ProfileSink& /*made*/, RecorderTexts& texts) {
  if (sampler() == nullptr) return;
  const SampleFigures figures = ReportFigures(written_);
  texts.summary += SampleSummary(figures) + RenewalSummary();
  texts.report += SampleReport(figures);
}

}  // namespace iprof::vm
