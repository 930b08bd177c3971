// MainProgram: which program this JVM runs, for only=.
//
// Why: JAVA_TOOL_OPTIONS puts the agent into every JVM of a container, keytool and health checks
// included; only= says which of them the user meant. The java launcher leaves "main class or jar,
// then arguments" in the system property sun.java.command (after it has read JDK_JAVA_OPTIONS and
// @argument files itself); a program that creates its JVM through JNI has no such property and is
// named by its executable instead. Pure but for CurrentCommandLine and ExecutableName, which read
// /proc/self; callable from any thread.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "agent/vm/settings/option_values.h"

namespace iprof::vm {

// What was started: "com.acme.Main", "/opt/acme/tool.jar" or "acme.module/com.acme.Main".
struct MainProgram {
  std::string name;
};

// From sun.java.command and, for jar paths with blanks in them, the command line: the property
// joins everything with blanks, so the longest argument that the property starts with is the name;
// without one, it ends at the first blank.
MainProgram FromJavaCommand(std::string_view java_command,
                            const std::vector<std::string>& command_line);

// Whether any pattern matches the program: its whole name, a jar's base name, or the class behind
// "module/". No patterns match every program.
bool SelectedBy(const MainProgram& program, const PatternList& patterns);

// The arguments of this process; empty when /proc is not there.
std::vector<std::string> CurrentCommandLine();

// The base name of this process's executable; empty when /proc is not there.
std::string ExecutableName();

}  // namespace iprof::vm
