// MainProgram: which program this JVM runs, for only=.
//
// Why: JAVA_TOOL_OPTIONS puts the agent into every JVM of a container, including keytool and health
// checks; only= says which of them to profile. The java launcher stores "main class or jar, then
// arguments" in the system property sun.java.command, after it has read JDK_JAVA_OPTIONS and
// @argument files. A program that creates its JVM through JNI has no such property and is
// identified by its executable.
//
// Guarantees: pure, except CurrentCommandLine and ExecutableName, which read /proc/self. Threads:
// any. Failure: an empty name or list.
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

// Finds the name in sun.java.command. The property joins everything with spaces, and a jar's path
// may contain spaces. So the name is the longest command-line argument that the property starts
// with; without one, the name ends at the first space.
MainProgram FromJavaCommand(std::string_view java_command,
                            const std::vector<std::string>& command_line);

// The name without what it reveals beyond the program: of a jar only the base name.
std::string PublicName(std::string_view name);

// Whether any pattern matches the program: its whole name, a jar's base name, or the class after
// "module/". An empty list matches every program.
bool SelectedBy(const MainProgram& program, const PatternList& patterns);

// The arguments of this process; empty if /proc is missing.
std::vector<std::string> CurrentCommandLine();

// The base name of this process's executable; empty if /proc is missing.
std::string ExecutableName();

}  // namespace iprof::vm
