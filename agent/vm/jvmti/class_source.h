// ClassSource: lists the loaded classes for a session, also at the JVM's end, and never waits there
// for ever.
//
// Why: HotSpot stops the collector's threads before it reports VMDeath. With Z and Shenandoah, a
// thread of the program that then waits for memory waits for ever, and keeps the JVM's locks that it
// holds. GetLoadedClasses needs two locks under which threads create the mirrors of array classes.
// So at the end, another thread lists the classes, and the ending thread waits for it only for some
// time. That thread starts early, because a start needs memory too, and is hidden from the program.
//
// GetLoadedClasses is the only function that the end of a session needs and that can wait in this
// way. The end may also: read arrays and fields through JNI; ask JVMTI for names, signatures,
// loaders, interfaces, modules, methods, line numbers, hash codes and tags; create references; read
// all stacks at a safepoint. HotSpot holds the locks of these only while it uses native memory, and
// its threads that wait for memory are safe for a safepoint. The end must not: run Java code, look
// up a class by name, create Java objects, or disable an event (which waits for virtual threads).
// It waits for other threads of the agent, which may be waiting for the JVM, only for a limited time.
//
// Guarantees: without Park and End, a list comes from the JVM directly. After End, every list has
// the classes that were loaded at End, or none if they were not listed in time. Then no class can be
// unloaded either, because the collector has stopped. After Release returned true, the
// thread only has to detach itself.
// Threads: Park on a thread that may run Java code, Release and End on any thread, in the live phase; lists on any
// attached thread.
// Failure: End returns false if there is no list. Without Park, or after it failed, End starts a thread that attaches
// itself, which may fail or take too long.
#pragma once

#include <jvmti.h>

#include <atomic>
#include <chrono>
#include <memory>
#include <mutex>
#include <optional>
#include <span>

#include "writer/base/status.h"

namespace iprof::vm {

class ClassSource {
 public:
  explicit ClassSource(JavaVM* vm) : vm_(vm) {}
  // The thread, if there still is one, needs nothing of this object.
  ~ClassSource();
  ClassSource(const ClassSource&) = delete;
  ClassSource& operator=(const ClassSource&) = delete;

  // Starts the thread, which waits for End. A no-op if there is one.
  Status Park(jvmtiEnv* jvmti, JNIEnv* jni);
  // Ends the thread. Call it while the program keeps running, or at its end where no last list is wanted. Refused
  // after End.
  bool Release(std::chrono::milliseconds patience);

  // At VMDeath: lists the classes for the last time. The environment must live as long as the JVM.
  bool End(jvmtiEnv* jvmti, std::chrono::milliseconds patience);

  // Global references; nullopt before End.
  std::optional<std::span<const jclass>> AtTheEnd() const {
    if (!has_ended_.load(std::memory_order_acquire)) return std::nullopt;
    return last_;
  }
  // Whether End failed. Then threads that run Java code are probably waiting for memory.
  bool HasNoneAtTheEnd() const {
    const auto last = AtTheEnd();
    return last && last->empty();
  }

 private:
  struct Lister;

  JavaVM* const vm_;
  std::mutex mutex_;                // guards lister_
  std::shared_ptr<Lister> lister_;  // null: no thread
  std::span<const jclass> last_;    // of lister_; constant after End
  std::atomic<bool> has_ended_{false};
};

}  // namespace iprof::vm
