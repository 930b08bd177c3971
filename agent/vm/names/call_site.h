// CallSiteFinder: which invokedynamic instruction the current thread is linking.
//
// The JVM links a call site in MethodHandleNatives.linkCallSite, on the thread that runs the
// instruction; the frame below it is the method that holds the instruction.
//
// The instruction is told by its rank among the invokedynamic instructions of its method, counted
// in the bytecode that runs. So it is found however much code this agent or another one inserted,
// unless that code has invokedynamic instructions of its own.
//
// Guarantees: runs no Java code, leaves no exception and no local reference behind; nothing is
// found where anything is unusual. Threads: any Java thread, from a native method. Before the live
// phase there are no stacks to read, so nothing is found. The JVM gives each method of a stack an
// id that it never takes back: ask only where the answer matters.
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

  // Nothing where the thread links no call site of this class.
  std::optional<LinkingCallSite> Find(JNIEnv* jni, jclass capturing);

 private:
  bool IsLinker(JNIEnv* jni, jmethodID method);

  jvmtiEnv* const jvmti_;
  std::atomic<jmethodID> linker_{nullptr};  // MethodHandleNatives.linkCallSite
};

}  // namespace iprof::vm
