// How Sampling has old code compiled again. See sampling.h and code_renewal.h.
#include <fmt/core.h>

#include <algorithm>
#include <string>
#include <unordered_map>
#include <unordered_set>
#include <utility>

#include "agent/vm/jvmti/boundary.h"
#include "agent/vm/sampling/sampling.h"
#include "writer/base/grouped.h"
#include "writer/names/type_names.h"

namespace iprof::vm {
namespace {

using sampling::Sampler;

// As Class.getName() has it; empty: a class that has another name in the JVM, or none any more.
std::string SwappableClass(const SampledMethod& method) {
  const Descriptor descriptor(method.class_descriptor);
  if (method.naming != ClassNaming::kHotSpot || method.version == MethodVersion::kReplaced ||
      !descriptor.IsClass() || IsHiddenClass(descriptor))
    return {};
  std::string name(descriptor.ClassName().text());
  std::replace(name.begin(), name.end(), '/', '.');
  return name;
}

}  // namespace

void Sampling::WatchOldCode() {
  code_age_.Begin();
  watched_since_ = {};
  if (Sampler* const begun = sampler()) watched_since_.Take(begun->traces());
}

// A method on a virtual thread has no class to swap: JVMTI does not list the stacks of these threads, so it is not
// known whether they are in a loop.
OldCode Sampling::FindOldCode(double share) {
  OldCode old;
  Sampler* const begun = sampler();
  if (begun == nullptr) return old;
  const auto lock = learner_.KeepTexts();
  if (!lock) return old;
  std::unordered_map<const void*, uint64_t> weights;
  uint64_t total = 0;
  double signals = 0;  // a late one has the weight of several
  begun->traces().ForEach([&](const sampling::TraceView& trace) {
    const uint64_t weight = watched_since_.WeightSince(trace);
    total += weight;
    if (weight > 0) {
      signals += static_cast<double>(weight) * static_cast<double>(trace.samples()) /
                 static_cast<double>(trace.weight());
    }
    if (weight == 0 || trace.depth() == 0 || trace.frame(0).bci == sampling::kNativeFrame) return;
    if (code_age_.IsOld(trace.frame(0).method)) weights[trace.frame(0).method] += weight;
  });
  old.samples = static_cast<uint64_t>(signals);
  const double least = share * static_cast<double>(total);
  std::erase_if(weights, [&](const auto& one) { return static_cast<double>(one.second) < least; });
  std::unordered_set<const void*> on_virtual_threads;
  begun->traces().ForEach([&](const sampling::TraceView& trace) {
    if (trace.depth() == 0 || !weights.contains(trace.frame(0).method)) return;
    for (size_t i = 1; i < trace.depth(); ++i) {
      const auto method = learner_.methods().Find(trace.frame(i).method);
      if (method && method->class_descriptor == "Ljdk/internal/vm/Continuation;")
        on_virtual_threads.insert(trace.frame(0).method);
    }
  });
  for (const auto& [id, weight] : weights) {
    const auto method = learner_.methods().Find(id);
    const bool may_swap = method && !on_virtual_threads.contains(id);
    old.methods.push_back({id, may_swap ? SwappableClass(*method) : std::string()});
  }
  return old;
}

void Sampling::StartRenewal(JNIEnv* jni) {
  if (!RenewsCode() || !renewal_thread_.StopForStart()) return;
  const auto goes_on = [this] { return renewal_goes_on_.load(); };
  CodeRenewal::Hooks hooks{
      .find = [this](double share) { return FindOldCode(share); },
      .is_old = [this](const void* method) { return code_age_.IsOld(method); },
      .discard = [=, this](JNIEnv* env) { knowledge_.renewal->discard(env, goes_on); },
      .swap =
          [=, this](JNIEnv* env, const CodeRenewal::Classes& names) {
            const uint64_t swapped = knowledge_.renewal->swap(env, names, goes_on);
            // The ids of the methods that still run their old code.
            if (const auto lock = learner_.KeepTexts())
              learner_.LearnLoaded(env, sampler_options_.depth);
            return swapped;
          },
      .looping = knowledge_.renewal->looping};
  {
    const std::lock_guard lock(renewal_mutex_);
    renewal_ = std::make_shared<CodeRenewal>(std::move(hooks), knowledge_.renewal->may_swap_hot);
  }
  renewal_goes_on_.store(true);
  const Status status = renewal_thread_.Start(environment_.get(), jni);
  if (!status.ok())
    log_.Step(fmt::format("the thread for precise samples did not start: {}", status.message()));
}

void Sampling::RenewCode(JNIEnv* jni) {
  AtBoundary(log_, "the renewal of code", [&] {
    const auto renewal = renewal_;  // only changed while this thread is stopped
    if (renewal->done() || !renewal_goes_on_.load()) return;
    renewal->Tick(jni);
    if (renewal->done()) code_age_.End();
  });
}

bool Sampling::StopRenewal(std::chrono::milliseconds patience) {
  renewal_goes_on_.store(false);
  if (!renewal_thread_.Stop(patience)) return false;
  code_age_.End();
  return true;
}

CodeRenewal::Figures Sampling::renewed() const {
  const std::lock_guard lock(renewal_mutex_);
  return renewal_ == nullptr ? CodeRenewal::Figures() : renewal_->figures();
}

std::string Sampling::RenewalSummary() const {
  const CodeRenewal::Figures done = renewed();
  if (done.compiled_anew + done.still_old == 0) return "";
  std::string text = fmt::format("compiled again for precise lines: {}",
                                 Counted(done.compiled_anew, "hot method", "hot methods"));
  if (done.still_old > 0)
    text += fmt::format("; {} still {} older code, whose samples are on few lines", done.still_old,
                        done.still_old == 1 ? "runs" : "run");
  return text + "\n";
}

}  // namespace iprof::vm
