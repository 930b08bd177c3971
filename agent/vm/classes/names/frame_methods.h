// FrameMethods: what a method on a stack is, and what a profile calls it.
//
// Example: a stack is IprofTypes.see, LambdaForm$MH.invoke, a.B$$Lambda.0x01.run, a.B.main. The first is a probe, the second
// linkage; the third is a method of "a.B$$Lambda/0xd8f1", its class's stable name, and the last one of "a.B".
//
// Guarantees: FrameKindOf is pure. LearnFrameMethod runs no Java code.
// Threads: any; LearnFrameMethod in the live phase, while the method's class is loaded: its frame is on the stack, or the
// caller has a reference to the class. Failure: nullopt; std::bad_alloc.
#pragma once

#include <jvmti.h>

#include <cstdint>
#include <functional>
#include <optional>
#include <string>
#include <string_view>

namespace iprof::vm {

class ProxyNames;

// The name that a profile gives to a class with this signature; nullopt if an image has no such
// class.
using TypeNaming = std::function<std::optional<std::string>(
    jvmtiEnv* jvmti, JNIEnv* jni, jclass type, std::string_view signature)>;

// `proxies` must outlive the result.
TypeNaming NamingBy(ProxyNames& proxies);

enum class FrameKind : uint8_t {
  kOrdinary,
  kProbe,         // the agent's own: left out with all that it calls
  kLinkage,       // of method handles, and IprofLocks.park (lock=): left out, but not what it calls
  kContinuation,  // below it are the frames of a virtual thread's carrier
  kUnstable,      // of a hidden class without a stable name, or of one that reflection generated
  kUnnamed,
};

// By the class as JVMTI names it, and the method's name. Whether the class has a name is not looked up.
FrameKind FrameKindOf(std::string_view class_descriptor, std::string_view name);

struct FrameMethod {
  FrameKind kind = FrameKind::kUnnamed;
  std::string class_descriptor;  // as JVMTI gives it
  std::string type;              // of an ordinary method: its class in a profile
  std::string name;
  std::string descriptor;
};

std::optional<FrameMethod> LearnFrameMethod(jvmtiEnv* jvmti, JNIEnv* jni, jmethodID id,
                                            jclass klass, const TypeNaming& naming);

}  // namespace iprof::vm
