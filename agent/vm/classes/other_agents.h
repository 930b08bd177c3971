// OtherAgents: which other agents the JVM's arguments name, and in which order.
//
// Why: each agent that cannot retransform sees a class as the earlier ones have left it. So only an
// agent that is named before ours can change a class before we see it. (Agents that can retransform
// always come later.)
//
// Guarantees: debuggers (jdwp) change no classes and are not listed, nor is the Java agent that only
// loads this library (iprof-agent.jar, of runtime/maven). Threads: any, in any phase;
// the functions on arguments are pure, the other two ask the dynamic linker. Failure: an argument
// that is not understood names no agent.
#pragma once

#include <string>
#include <string_view>
#include <vector>

namespace iprof::vm {

struct OtherAgents {
  std::vector<std::string> before;  // as users know them: "jacocoagent.jar"
  std::vector<std::string> after;
  bool own_jar = false;  // our own Java agent is named, so HasJavaAgents() is true anyway
};

// `own_library` is the file name of our library. If no argument names it (after an attach), all
// others come before it.
OtherAgents FindOtherAgents(const std::vector<std::string>& arguments,
                            std::string_view own_library);

// The file name of the library that contains this code.
std::string OwnLibrary();

// Whether any Java agent was started or attached so far, by any means.
bool HasJavaAgents();

}  // namespace iprof::vm
