// CodeRenewal: has the JVM compile code again that has no true lines for its samples.
//
// Why: HotSpot keeps the positions of all instructions only for code that it compiles while somebody listens to
// CompiledMethodLoad. Older code has them at safepoints alone, so all samples of fifty lines of arithmetic are on
// one line. HotSpot discards all code at the first retransformation of a JVM that had no JVMTI agent at its start,
// because that code does not know what it depends on, and goes on with the profiles that it has. Later ones discard
// only what was compiled from the swapped class.
//
// So, once in a recording, when there are samples enough, and only if old code holds a share of them:
// 1. Old code is discarded by such a first retransformation, of a class that no thread runs.
// 2. If methods with that share still run old code, their own classes are swapped to the same bytecode, each once. Never a class that
//    may be in a long loop just now: HotSpot does not compile the old version of a method, so the loop would be
//    interpreted to its end, at a tenth of its speed.
//
// Example: 300 samples, 180 of them in a.B.run and 120 in a.C.step, whose code is older than the recording. Old
// code is discarded. Three seconds later a.B.run has new code, and a.C.step has not: it was compiled after an earlier
// recording, so the JVM knew its dependencies and kept it. a.C is swapped. Compiled again: 2 methods.
//
// Guarantees: at most kMostRounds rounds; each is the work of a Tick. Nothing is swapped if no old code is hot.
// Threads: Tick on one thread at a time; done and figures on any. Failure: what a hook throws.
#pragma once

#include <jni.h>

#include <atomic>
#include <cstdint>
#include <functional>
#include <optional>
#include <set>
#include <string>
#include <utility>
#include <vector>

namespace iprof::vm {

struct OldMethod {
  const void* id = nullptr;
  std::string class_name;  // as Class.getName() has it; empty: its class must not be swapped
};

// The methods with old code that hold a share of the samples.
struct OldCode {
  uint64_t samples = 0;
  std::vector<OldMethod> methods;
};

class CodeRenewal {
 public:
  using Classes = std::set<std::string, std::less<>>;

  static constexpr double kShare = 0.01;
  static constexpr uint64_t kEnoughSamples = 100;
  static constexpr int kFirstTick = 2;  // samples of the first moments may be of the attach itself
  static constexpr int kMostRounds = 10;
  static constexpr int kPatientRounds =
      3;  // in which the compilers may work before anything is swapped

  struct Hooks {
    std::function<OldCode(double share)> find;
    std::function<bool(const void* method)> is_old;
    std::function<void(JNIEnv* jni)> discard;
    // Swaps the loaded classes of these names to the same bytecode. Returns how many it has swapped.
    std::function<uint64_t(JNIEnv* jni, const Classes& names)> swap;
    // The classes with methods that are on a stack and have a loop; nullopt: that is not known.
    std::function<std::optional<Classes>(JNIEnv* jni)> looping;
  };

  // `may_swap_hot`: otherwise only step 1. It would discard HotSpot's counters of the hot methods.
  CodeRenewal(Hooks hooks, bool may_swap_hot)
      : hooks_(std::move(hooks)), may_swap_hot_(may_swap_hot) {}
  CodeRenewal(const CodeRenewal&) = delete;
  CodeRenewal& operator=(const CodeRenewal&) = delete;

  // Once a second while samples are taken.
  void Tick(JNIEnv* jni);
  // There is nothing left to do.
  bool done() const { return done_.load(); }

  struct Figures {
    uint64_t compiled_anew = 0;  // methods
    uint64_t still_old = 0;      // methods that held the share, and still run old code
    uint64_t classes = 0;        // that were swapped in step 2
  };
  Figures figures() const { return {compiled_anew_.load(), still_old_.load(), classes_.load()}; }

 private:
  void SwapHot(JNIEnv* jni, const OldCode& old);

  const Hooks hooks_;
  const bool may_swap_hot_;
  int ticks_ = 0;
  int rounds_ = 0;
  std::set<const void*> found_;  // methods that held the share with old code
  Classes swapped_;
  std::atomic<bool> done_{false};
  std::atomic<uint64_t> compiled_anew_{0};
  std::atomic<uint64_t> still_old_{0};
  std::atomic<uint64_t> classes_{0};
};

}  // namespace iprof::vm
