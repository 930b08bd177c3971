#include "cli/jvm/running_jvm.h"

#include <fmt/core.h>

#include <algorithm>
#include <charconv>

#include "agent/settings/main_program.h"
#include "cli/jvm/control_path.h"

namespace iprof::jvm {
namespace {

constexpr size_t kMostPerfData = 1 << 20;  // HotSpot's default is 32 KiB
constexpr size_t kMostRelease = 1 << 16;

std::vector<std::string> SplitAtZeros(std::string_view text) {
  std::vector<std::string> parts;
  while (!text.empty()) {
    const size_t end = text.find('\0');
    parts.emplace_back(text.substr(0, end));
    text.remove_prefix(end == std::string_view::npos ? text.size() : end + 1);
  }
  return parts;
}

// A regular file of the target's file system; empty where it cannot be read.
std::string ReadWithin(int root, const std::string& path, size_t limit) {
  std::string text;
  const Result<OwnedFd> fd = OpenWithin(root, path, O_RDONLY, FileKind::kRegular);
  if (!fd.ok() || !ReadAll(fd->get(), limit, text)) text.clear();
  return text;
}

// The hsperfdata file that the JVM has mapped, so never one that an earlier process left behind; empty
// without one.
std::string PerfDataOf(const std::vector<MappedFile>& files, int root) {
  for (const MappedFile& file : files) {
    if (file.deleted || file.path.find("/hsperfdata_") == std::string::npos) continue;
    return ReadWithin(root, file.path, kMostPerfData);
  }
  return {};
}

// From JDK/lib/server/libjvm.so to JDK/release.
std::string VersionBeside(const MappedFile& libjvm, int root) {
  std::string home = libjvm.path;
  for (int level = 0; level < 3; ++level) home.resize(std::min(home.rfind('/'), home.size()));
  return VersionOf(ReadWithin(root, home + "/release", kMostRelease));
}

std::string TextOf(const PerfTexts& texts, std::string_view name) {
  const auto found = texts.find(name);
  return found == texts.end() ? std::string() : found->second;
}

// The last of these flags on the command line counts.
bool SwitchesAttachOff(const std::vector<std::string>& command_line) {
  bool off = false;
  for (const std::string& argument : command_line) {
    if (argument == "-XX:+DisableAttachMechanism") off = true;
    if (argument == "-XX:-DisableAttachMechanism") off = false;
  }
  return off;
}

// Options of the java launcher whose value is the next argument.
bool HasValueBehind(std::string_view option) {
  constexpr std::string_view kOptions[] = {"-cp",
                                           "-classpath",
                                           "--class-path",
                                           "-p",
                                           "--module-path",
                                           "--add-modules",
                                           "--upgrade-module-path",
                                           "--add-reads",
                                           "--add-exports",
                                           "--add-opens",
                                           "--limit-modules",
                                           "--patch-module",
                                           "--enable-native-access",
                                           "--source"};
  return std::find(std::begin(kOptions), std::end(kOptions), option) != std::end(kOptions);
}

// The files of a process that show what it is.
struct ProcessFiles {
  std::string maps;
  OwnedFd root;
  std::string arguments;
  std::string environment;  // empty where it cannot be read
};

Result<ProcessFiles> ReadFiles(const Process& process) {
  Result<std::string> maps = process.Read("maps");
  if (!maps.ok()) return maps.status();
  Result<OwnedFd> root = process.OpenFolder("root");
  if (!root.ok()) return root.status();
  Result<std::string> arguments = process.Read("cmdline");
  if (!arguments.ok()) return arguments.status();
  return ProcessFiles{std::move(*maps), std::move(*root), std::move(*arguments),
                      process.ReadIfReadable("environ")};
}

}  // namespace

std::string ProgramOf(const std::vector<std::string>& command_line) {
  for (size_t i = 1; i < command_line.size(); ++i) {
    const std::string& argument = command_line[i];
    if (argument == "-jar" || argument == "-m" || argument == "--module") {
      return i + 1 < command_line.size() ? command_line[i + 1] : std::string();
    }
    if (argument.starts_with("--module=")) return argument.substr(argument.find('=') + 1);
    if (HasValueBehind(argument)) {
      ++i;
    } else if (!argument.starts_with('-') && !argument.starts_with('@')) {
      return argument;
    }
  }
  return {};
}

std::string VersionOf(std::string_view release) {
  constexpr std::string_view kKey = "JAVA_VERSION=\"";
  for (size_t at = release.find(kKey); at != std::string_view::npos;
       at = release.find(kKey, at + 1)) {
    if (at != 0 && release[at - 1] != '\n') continue;
    const std::string_view value = release.substr(at + kKey.size());
    return std::string(value.substr(0, value.find_first_of("\"\n")));
  }
  return {};
}

JvmKind KindOfJvm(const std::vector<MappedFile>& files) {
  const bool is_openj9 = std::any_of(files.begin(), files.end(), [](const MappedFile& file) {
    return file.name().starts_with("libj9vm");
  });
  if (is_openj9) return JvmKind::kOpenJ9;
  return FindNamed(files, "libjvm.so") == nullptr ? JvmKind::kNone : JvmKind::kHotSpot;
}

Result<RunningJvm> LookAt(const Process& process) {
  const Result<ProcessStatus> status = process.ReadStatus();
  if (!status.ok()) return status.status();
  if (status->has_ended()) return process.Ended();
  if (!status->has_memory) return process.WithoutMemory();
  const Result<ProcessFiles> read = ReadFiles(process);
  // If the process lost its memory during the read, files are cut short, empty, or cannot be read.
  const Result<ProcessStatus> now = process.ReadStatus();
  if (!now.ok()) return now.status();
  if (now->has_ended() || !now->has_memory) return process.WithoutMemory();
  if (!read.ok()) return read.status();
  const std::vector<MappedFile> files = MappedFiles(read->maps);
  const JvmKind kind = KindOfJvm(files);
  if (kind == JvmKind::kOpenJ9) {
    return Status(Code::kUnsupported,
                  fmt::format("{} is an OpenJ9 JVM; iprof works with HotSpot", process.Name()));
  }
  if (kind == JvmKind::kNone) {
    return Status(Code::kUnsupported,
                  fmt::format("{} is not a JVM: no libjvm.so is loaded in it", process.Name()));
  }
  const int root = read->root.get();
  const std::vector<std::string> command_line = SplitAtZeros(read->arguments);
  const std::string perf_data = PerfDataOf(files, root);
  const PerfTexts texts = ReadPerfTexts(perf_data);

  RunningJvm jvm;
  jvm.pid = process.pid();
  jvm.inner_pid = status->inner_pid;
  jvm.uid = status->uid;
  jvm.is_starting = SaysStarting(perf_data);
  const std::string java_command = TextOf(texts, "sun.rt.javaCommand");
  const vm::MainProgram program =
      java_command.empty() || java_command == "Unknown"
          ? vm::FromCommandLine(ProgramOf(command_line), command_line)
          : vm::FromJavaCommand(java_command, command_line,
                                TextOf(texts, "java.property.java.class.path"));
  jvm.program = program.name;
  jvm.public_program = vm::PublicName(program);
  jvm.jdk_version = VersionBeside(*FindNamed(files, "libjvm.so"), root);
  if (jvm.jdk_version.empty()) jvm.jdk_version = TextOf(texts, "java.property.java.version");
  if (const MappedFile* agent = FindNamed(files, kAgentLibrary)) jvm.agent = *agent;
  jvm.control = ControlPathIn(command_line, SplitAtZeros(read->environment), jvm.inner_pid);
  const std::string capabilities = TextOf(texts, "sun.rt.jvmCapabilities");
  jvm.attach_disabled =
      capabilities.empty() ? SwitchesAttachOff(command_line) : capabilities.starts_with('0');
  return jvm;
}

std::vector<RunningJvm> FindJvms() {
  std::vector<RunningJvm> jvms;
  const uid_t own = geteuid();
  for (const std::string& name : NamesIn("/proc")) {
    pid_t pid = 0;
    const auto parsed = std::from_chars(name.data(), name.data() + name.size(), pid);
    if (parsed.ec != std::errc() || parsed.ptr != name.data() + name.size()) continue;
    const Result<Process> process = Process::Open(pid);
    if (!process.ok()) continue;
    const Result<ProcessStatus> status = process->ReadStatus();
    if (!status.ok() || !status->has_memory || (own != 0 && status->uid != own)) continue;
    Result<RunningJvm> jvm = LookAt(*process);
    if (jvm.ok()) jvms.push_back(std::move(*jvm));
  }
  std::sort(jvms.begin(), jvms.end(),
            [](const RunningJvm& a, const RunningJvm& b) { return a.pid < b.pid; });
  return jvms;
}

}  // namespace iprof::jvm
