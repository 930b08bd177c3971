#include "agent/vm/sampling/code_renewal.h"

#include <algorithm>

namespace iprof::vm {

void CodeRenewal::Tick(JNIEnv* jni) {
  if (done() || ++ticks_ < kFirstTick) return;
  const OldCode old = hooks_.find(kShare);
  if (rounds_ == 0 && old.samples < kEnoughSamples) return;
  for (const OldMethod& method : old.methods) found_.insert(method.id);
  const auto still_old =
      static_cast<uint64_t>(std::count_if(found_.begin(), found_.end(), hooks_.is_old));
  still_old_.store(still_old);
  compiled_anew_.store(found_.size() - still_old);
  if (old.methods.empty() || rounds_ == kMostRounds) {
    done_.store(true);
    return;
  }
  if (rounds_++ == 0) {
    hooks_.discard(jni);
  } else if (may_swap_hot_ && rounds_ > kPatientRounds) {
    SwapHot(jni, old);
  }
}

void CodeRenewal::SwapHot(JNIEnv* jni, const OldCode& old) {
  Classes wanted;
  for (const OldMethod& method : old.methods) {
    if (!method.class_name.empty() && !swapped_.contains(method.class_name))
      wanted.insert(method.class_name);
  }
  if (wanted.empty()) return;
  const std::optional<Classes> looping = hooks_.looping(jni);
  if (!looping) return;
  for (const std::string& name : *looping) wanted.erase(name);
  if (wanted.empty()) return;
  swapped_.insert(wanted.begin(), wanted.end());
  classes_ += hooks_.swap(jni, wanted);
}

}  // namespace iprof::vm
