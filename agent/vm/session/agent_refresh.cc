// The command refresh. See agent.h.
#include <fmt/core.h>

#include <chrono>

#include "agent/vm/classes/hot_classes.h"
#include "agent/vm/jvmti/lock_within.h"
#include "agent/vm/session/agent.h"

namespace iprof::vm {

Result<Refresher*> Agent::TheRefresher(JNIEnv* jni) {
  if (refresher_ == nullptr) {
    JavaVM* vm = nullptr;
    if (jni->GetJavaVM(&vm) != JNI_OK) return Status(Code::kInternal, "the JVM does not answer");
    Result<std::unique_ptr<Refresher>> made = Refresher::Make(vm);
    if (!made.ok()) return made.status();
    refresher_ = std::move(*made);
  }
  return refresher_.get();
}

// One refresher for all: it knows what it has swapped itself.
Status Agent::UseRefresher(JNIEnv* jni, const std::function<void(Refresher&)>& use) {
  const std::lock_guard lock(refresh_mutex_);
  const Result<Refresher*> refresher = TheRefresher(jni);
  if (refresher.ok()) use(**refresher);
  return refresher.status();
}

// Needs neither callbacks nor a session. Its JVMTI environment stays, because it remembers which classes it
// swapped.
Result<std::string> Agent::Refresh(JNIEnv* jni, const control::Refresh& wish) {
  const std::lock_guard refresh(refresh_mutex_);
  Result<Profile> profile = StillWriting();
  {
    // Not during the swap, which may take minutes: a profile must not wait for it.
    const std::unique_lock lock = LockWithin(dump_mutex_, kPatience);
    if (lock && HasEnded()) return Status(Code::kUsage, "the program is ending");
    Status status = WhyNotOwnCode(/*refreshes=*/true);
    if (!status.ok()) return status;
    if (lock) profile = OwnCounters(jni, {});
  }
  if (!profile.ok()) return profile.status();
  const Result<Refresher*> refresher = TheRefresher(jni);
  if (!refresher.ok()) return refresher.status();
  const double share = static_cast<double>(wish.share) / 1000;
  const auto current = session();
  const int64_t pause =
      current != nullptr ? current->options().pause.ns : ParseOptions("")->options.pause.ns;
  const auto begun = std::chrono::steady_clock::now();
  const std::string done = Refresher::Text(
      (*refresher)->Run(jni, HotClasses(*profile, share), std::chrono::nanoseconds(pause), [this] {
        return !HasEnded();
      }));
  const std::chrono::duration<double> took = std::chrono::steady_clock::now() - begun;
  return fmt::format("{}; {:.1f} s", done, took.count());
}

}  // namespace iprof::vm
