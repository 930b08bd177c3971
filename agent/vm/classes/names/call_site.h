// CallSiteFinder: finds the invokedynamic instruction that the current thread is linking.
//
// The JVM links a call site in MethodHandleNatives.linkCallSite, on the thread that runs the
// instruction. The frame below it is the method that contains the instruction.
//
// The instruction is identified by its rank among the invokedynamic instructions of its method, in
// the running bytecode. So it is found even if this agent or another one inserted code, unless
// that code contains invokedynamic instructions of its own.
//
// Guarantees: runs no Java code, and leaves no exception and no local reference behind. Every
// method on a stack gets an id that the JVM never frees, so ask only if the answer matters.
// Threads: any Java thread, from a native method. Before the live phase stacks cannot be read, so
// nothing is found.
// Failure: nullopt if anything is unusual.
#pragma once

#include <jvmti.h>

#include <atomic>
#include <optional>
#include <string>

#include "agent/instrument/names/lambda_sites.h"

namespace iprof::vm {

struct LinkingCallSite {
  std::string method;
  std::string descriptor;
  instrument::DynamicCall call;
};

class CallSiteFinder {
 public:
  // The environment needs can_get_bytecodes.
  explicit CallSiteFinder(jvmtiEnv* jvmti) : jvmti_(jvmti) {}

  // Returns nullopt if the thread is not linking a call site of this class.
  std::optional<LinkingCallSite> Find(JNIEnv* jni, jclass capturing);

 private:
  bool IsLinker(JNIEnv* jni, jmethodID method);

  jvmtiEnv* const jvmti_;
  std::atomic<jmethodID> linker_{nullptr};  // MethodHandleNatives.linkCallSite
};

}  // namespace iprof::vm
