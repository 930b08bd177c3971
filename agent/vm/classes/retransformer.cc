#include "agent/vm/classes/retransformer.h"

#include <algorithm>

namespace iprof::vm {

std::chrono::nanoseconds Retransformer::Now() const {
  if (clock_ != nullptr) {
    if (const auto total = clock_->Total()) return *total;
  }
  return std::chrono::steady_clock::now().time_since_epoch();
}

std::vector<jclass> Retransformer::Run(std::span<const jclass> classes,
                                       const BeforeBatch& before_batch) {
  std::vector<jclass> refused;
  while (!classes.empty()) {
    const size_t size = std::min(classes.size(), sizes_.Next());
    if (!before_batch(size)) break;
    RunBatch(classes.first(size), refused);
    classes = classes.subspan(size);
  }
  return refused;
}

void Retransformer::RunBatch(std::span<const jclass> batch, std::vector<jclass>& refused) {
  const auto start = Now();
  const jvmtiError error =
      jvmti_->RetransformClasses(static_cast<jint>(batch.size()), batch.data());
  if (error == JVMTI_ERROR_NONE) {
    const auto pause = Now() - start;
    sizes_.Note(batch.size(), pause);
    outcome_.classes += batch.size();
    ++outcome_.pauses;
    if (pause > budget_) ++outcome_.pauses_beyond_budget;
    outcome_.sum_of_pauses += pause;
    outcome_.longest_pause = std::max(outcome_.longest_pause, pause);
  } else if (batch.size() == 1) {
    ++outcome_.refused;
    refused.push_back(batch.front());
    outcome_.last_error = error;
  } else {
    RunBatch(batch.first(batch.size() / 2), refused);
    RunBatch(batch.subspan(batch.size() / 2), refused);
  }
}

}  // namespace iprof::vm
