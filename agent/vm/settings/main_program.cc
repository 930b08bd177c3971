#include "agent/vm/settings/main_program.h"

#include <unistd.h>

#include <algorithm>
#include <array>

#include "writer/base/glob.h"
#include "writer/base/small_file.h"

namespace iprof::vm {
namespace {

std::string_view BehindLastSlash(std::string_view path) {
  return path.substr(path.rfind('/') + 1);  // npos + 1 is 0
}

}  // namespace

MainProgram FromJavaCommand(std::string_view java_command,
                            const std::vector<std::string>& command_line) {
  std::string_view name = java_command.substr(0, java_command.find(' '));
  for (const std::string& argument : command_line) {
    const bool is_prefix =
        java_command.starts_with(argument) &&
        (java_command.size() == argument.size() || java_command[argument.size()] == ' ');
    if (is_prefix && argument.size() > name.size()) name = argument;
  }
  return MainProgram{std::string(name)};
}

std::string PublicName(std::string_view name) {
  return std::string(name.ends_with(".jar") ? BehindLastSlash(name) : name);
}

bool SelectedBy(const MainProgram& program, const PatternList& patterns) {
  return patterns.empty() ||
         std::any_of(patterns.begin(), patterns.end(), [&](const std::string& pattern) {
           return GlobMatches(pattern, program.name) ||
                  GlobMatches(pattern, BehindLastSlash(program.name));
         });
}

std::vector<std::string> CurrentCommandLine() {
  constexpr size_t kLongest = size_t{16} << 20;
  const std::string bytes = ReadSmallFile("/proc/self/cmdline", kLongest).value_or("");
  std::vector<std::string> arguments;
  for (size_t start = 0; start < bytes.size();) {
    const size_t end = std::min(bytes.find('\0', start), bytes.size());
    arguments.push_back(bytes.substr(start, end - start));
    start = end + 1;
  }
  return arguments;
}

std::string ExecutableName() {
  std::array<char, 4096> path{};
  const ssize_t length = readlink("/proc/self/exe", path.data(), path.size());
  if (length <= 0) return {};
  return std::string(BehindLastSlash(std::string_view(path.data(), static_cast<size_t>(length))));
}

}  // namespace iprof::vm
