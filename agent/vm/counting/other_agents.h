// OtherAgents: which agents the JVM's arguments name besides this one, and in which order.
//
// Why: of the agents that cannot retransform, each sees a class as those before it have left it.
// So only an agent that is named before ours can change a class before we see it. (Agents that
// can retransform always come later.)
//
// Debuggers (jdwp) change no classes and are not listed. The arguments' functions are pure; the
// other two ask the dynamic linker. Any thread, any phase.
#pragma once

#include <string>
#include <string_view>
#include <vector>

namespace iprof::vm {

struct OtherAgents {
  std::vector<std::string> before;  // as their users know them: "jacocoagent.jar"
  std::vector<std::string> after;
};

// `own_library` is the file name of ours. Where no argument names it (attached later), all others
// come before it.
OtherAgents FindOtherAgents(const std::vector<std::string>& arguments,
                            std::string_view own_library);

// The file name of the library that this code is in.
std::string OwnLibrary();

// Whether any Java agent was started or attached so far, named anywhere or not.
bool HasJavaAgents();

}  // namespace iprof::vm
