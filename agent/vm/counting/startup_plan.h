// StartupPlan: from which moment on classes can be counted in this JVM, and why not from the first
// bytecode.
//
// Seeing every class of the JDK from its first bytecode takes JVMTI's early class-file hook, which
// switches class-data sharing off. Where the user insists on an archive (-Xshare:on, an AOT cache),
// asking for the hook would end the JVM, so counting starts when the VM is initialised, by
// retransforming what is loaded. With jdk=n neither is needed. While an archive is being made, the
// JDK's own classes are left alone: HotSpot (25) ends with a fault where it has regenerated classes
// that a hook changed.
//
// Pure logic on what VmFlags answers; callable from any thread.
#pragma once

#include <functional>
#include <optional>
#include <string>
#include <string_view>

namespace iprof::vm {

enum class CountingStart {
  kFirstBytecode,  // early hook, early VMStart
  kRetransform,    // from VMInit on, loaded classes retransformed
  kApplication,    // from VMInit on, only classes loaded by the application's loaders
};

struct StartupPlan {
  CountingStart start;
  std::string notice;  // one sentence for the user; empty where there is nothing to say
};

// How the plan asks for flags and arguments.
struct FlagQueries {
  std::function<std::optional<bool>(std::string_view)> boolean;
  std::function<std::optional<std::string>(std::string_view)> text;
  std::function<std::optional<std::string>(std::string_view)> last_argument;  // by prefix
};

StartupPlan PlanStartup(bool count_jdk, const FlagQueries& flags);

}  // namespace iprof::vm
