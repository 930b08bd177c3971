// StartupPlan: from when on classes can be counted in this JVM, and why not from the first
// bytecode.
//
// To see every class of the JDK from its first bytecode, the agent needs JVMTI's early class-file
// hook, which disables class-data sharing. If the user requires an archive (-Xshare:on, an AOT
// cache), requesting the hook would end the JVM. Then counting starts when the VM is initialised,
// by retransforming loaded classes. With jdk=n neither is needed. While an archive is being dumped,
// the JDK's own classes are left unchanged: HotSpot 25 crashes if it has regenerated classes that a
// hook changed.
//
// Guarantees: pure logic on the answers of VmFlags. Threads: any. Failure: an unknown flag counts
// as not set.
#pragma once

#include <functional>
#include <optional>
#include <string>
#include <string_view>

namespace iprof::vm {

enum class CountingStart {
  kFirstBytecode,  // early hook, early VMStart
  kRetransform,    // from VMInit on, loaded classes are retransformed
  kApplication,    // from VMInit on, only classes loaded by the application's loaders
};

struct StartupPlan {
  CountingStart start;
  std::string notice;  // one sentence for the user, or empty
};

// How the plan reads flags and arguments.
struct FlagQueries {
  std::function<std::optional<bool>(std::string_view)> boolean;
  std::function<std::optional<std::string>(std::string_view)> text;
  std::function<std::optional<std::string>(std::string_view)> last_argument;  // by prefix
};

StartupPlan PlanStartup(bool count_jdk, const FlagQueries& flags);

}  // namespace iprof::vm
