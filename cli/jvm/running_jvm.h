// RunningJvm: what can be told about a JVM from outside, without attaching to it.
//
// Guarantees: reads files only: the target neither notices nor waits. What cannot be found out is empty.
// Every text in it comes from the target and may be anything; who prints it escapes it.
// Threads: any. Failure: one sentence; FindJvms leaves out what fails, because processes come and go.
#pragma once

#include <sys/types.h>

#include <optional>
#include <string>
#include <vector>

#include "cli/jvm/mapped_files.h"
#include "cli/jvm/perf_data.h"
#include "cli/jvm/process.h"
#include "writer/base/status.h"

namespace iprof::jvm {

struct RunningJvm {
  pid_t pid = 0;
  pid_t inner_pid = 0;  // what the JVM itself takes for its pid, in a container
  uid_t uid = 0;
  std::string program;              // main class or jar
  std::string public_program;       // the same, a jar without its folder
  std::string jdk_version;          // "17.0.15"
  std::optional<MappedFile> agent;  // our library, where it is mapped
  std::string control;              // its control socket as its options name it; empty: none
  bool attach_disabled = false;     // known to run with -XX:+DisableAttachMechanism
  bool is_starting = false;         // known to be too early for agents
};

inline constexpr char kAgentLibrary[] = "libiprofagent.so";

enum class JvmKind { kNone, kHotSpot, kOpenJ9 };
JvmKind KindOfJvm(const std::vector<MappedFile>& files);

// The process must be a HotSpot JVM.
Result<RunningJvm> LookAt(const Process& process);

// The JVMs of this user, or of all users for root, in the order of their pids.
std::vector<RunningJvm> FindJvms();

// The main class, jar or module among the arguments of the java launcher; empty if they name none, as
// with @argument files.
std::string ProgramOf(const std::vector<std::string>& command_line);

// The version in a JDK's file "release"; empty if the file names none.
std::string VersionOf(std::string_view release);

}  // namespace iprof::jvm
