// SwapGuard: keeps us from undoing a hot swap when we swap the code of a class.
//
// Before JDK 20, HotSpot keeps a class's bytes of before its first transformation even if the class is
// redefined later (a debugger's hot swap), and starts the next retransformation from these old bytes
// (JDK-7124710). So a class that someone else has redefined or retransformed since we did must be left
// as it is.
//
// The JVM counts redefinitions in a field of java.lang.Class, but for a class and all its subclasses at
// once. So a class's own redefinitions are the difference between its count and its superclass's. It is
// noted in the class's JVMTI tag when we see the class first, and after each of our swaps. The tags also
// hold the states of classes that wait to be linked; see ClassTag.
//
// Guarantees: where it is not needed, it lets every class pass at no cost. A class that was not noted
// passes only if neither it nor a superclass has been redefined since it was loaded; if the JVM has no
// such field, none passes. A redefinition between the question and the swap is undone by the swap, but no
// later one: the class passes no more.
// Threads: any, attached to the JVM. Failure: see above.
#pragma once

#include <jvmti.h>

#include <atomic>
#include <cstdint>
#include <optional>
#include <span>
#include <vector>

namespace iprof::vm {

// What a class's tag in the environment of Counting says.
struct ClassTag {
  enum class State : uint8_t {
    kNone = 0,
    kAwaited = 1,          // loaded but not linked; it will be counted when it is
    kAwaitsRestoring = 2,  // loaded but not linked; it will get its own code back
    kSeen = 3,             // while a stop runs or methods thaw: a first look has dealt with it
  };
  State state = State::kNone;
  bool is_noted = false;
  int32_t own = 0;  // if noted: the count of the class less that of its superclass

  static ClassTag Of(jvmtiEnv* jvmti, jclass klass);
  bool Set(jvmtiEnv* jvmti, jclass klass) const;
};

// Changes the state and keeps what was noted. Returns false if the JVM refuses.
bool SetState(jvmtiEnv* jvmti, jclass klass, ClassTag::State state);

class SwapGuard {
 public:
  // From JDK 20 on, HotSpot retransforms a class from its last redefinition.
  static constexpr bool IsNeededIn(int jdk) { return jdk < 20; }

  // `is_needed`: the JVM has the defect.
  SwapGuard(jvmtiEnv* jvmti, bool is_needed) : jvmti_(jvmti), is_needed_(is_needed) {}

  bool is_needed() const { return is_needed_; }

  // Notes a class that is not noted yet: what others have done to it until now does not matter.
  void Note(JNIEnv* jni, jclass klass);
  // Does so only if nothing has been done to it, nor to a superclass, since it was loaded.
  void NoteUntouched(JNIEnv* jni, jclass klass);
  // Removes the classes that others have redefined, and counts them.
  std::vector<jclass> Pass(JNIEnv* jni, std::span<const jclass> classes);
  // We have swapped these, which passed, once each, but for those that the JVM refused. A class that others have
  // redefined since it passed does not pass again.
  void Swapped(JNIEnv* jni, std::span<const jclass> classes, std::span<const jclass> refused = {});

  // How many did not pass.
  uint64_t kept_back() const { return kept_back_.load(std::memory_order_relaxed); }

 private:
  std::optional<int32_t> Redefinitions(JNIEnv* jni, jclass klass);
  std::optional<int32_t> OwnRedefinitions(JNIEnv* jni, jclass klass);

  jvmtiEnv* const jvmti_;
  const bool is_needed_;
  std::atomic<jfieldID> field_{nullptr};
  std::atomic<uint64_t> kept_back_{0};
};

}  // namespace iprof::vm
