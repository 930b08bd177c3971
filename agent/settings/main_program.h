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

#include "agent/settings/option_values.h"

namespace iprof::vm {

// What was started: "com.acme.Main", "/opt/acme/tool.jar" or "acme.module/com.acme.Main".
struct MainProgram {
  std::string name;
  bool is_file = false;  // known to be the file behind -jar, with any suffix
};

// Finds the name in sun.java.command. The property joins everything with spaces, and a jar's path
// may contain spaces. With -jar, the launcher makes the file the class path (`class_path`: the
// property java.class.path, to which agents may have added their own jars; empty: not known), so the
// name is what both begin with. Otherwise it is the longest command-line argument that the command
// starts with; without one, it ends at the first space.
MainProgram FromJavaCommand(std::string_view java_command,
                            const std::vector<std::string>& command_line,
                            std::string_view class_path = {});
// The same if the name is already known, as an argument of the launcher.
MainProgram FromCommandLine(std::string name, const std::vector<std::string>& command_line);

// The name without what it reveals beyond the program: of a file only the base name. A name that is
// not known to be a file is one if it cannot be "module/class".
std::string PublicName(const MainProgram& program);

// Whether any pattern matches the program: its whole name, a jar's base name, or the class after
// "module/". An empty list matches every program.
bool SelectedBy(const MainProgram& program, const PatternList& patterns);

// The arguments of this process; empty if /proc is missing.
std::vector<std::string> CurrentCommandLine();

// The base name of this process's executable; empty if /proc is missing.
std::string ExecutableName();

}  // namespace iprof::vm
