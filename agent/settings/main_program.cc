#include "agent/settings/main_program.h"

#include <unistd.h>

#include <algorithm>
#include <array>
#include <utility>

#include "writer/base/glob.h"
#include "writer/base/small_file.h"

namespace iprof::vm {
namespace {

std::string_view BehindLastSlash(std::string_view path) {
  return path.substr(path.rfind('/') + 1);  // npos + 1 is 0
}

// Whether the text is the name, or goes on behind it with this character.
bool BeginsWith(std::string_view text, std::string_view name, char next) {
  return text.starts_with(name) && (text.size() == name.size() || text[name.size()] == next);
}

// The file behind -jar; empty if the program is something else.
std::string_view JarIn(std::string_view java_command, std::string_view class_path) {
  while (!class_path.empty()) {
    if (BeginsWith(java_command, class_path, ' ')) return class_path;
    const size_t colon = class_path.rfind(':');
    class_path = class_path.substr(0, colon == std::string_view::npos ? 0 : colon);
  }
  return {};
}

bool IsBehindJar(std::string_view name, const std::vector<std::string>& command_line) {
  for (size_t i = 1; i < command_line.size(); ++i) {
    if (command_line[i] != name) continue;
    const std::string& before = command_line[i - 1];
    if (before == "-jar") return true;
    if (before == "-m" || before == "--module") return false;
  }
  return false;
}

// Whether the name looks like "acme.module/com.acme.Main". Characters beyond ASCII count as letters.
bool MayBeModuleAndClass(std::string_view name) {
  const size_t slash = name.find('/');
  const auto is_dotted = [](std::string_view part) {
    bool begins = true;
    for (const char c : part) {
      const bool is_digit = c >= '0' && c <= '9';
      const bool is_letter = (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || c == '_' ||
                             c == '$' || static_cast<unsigned char>(c) >= 0x80;
      if (begins ? !is_letter : !is_letter && !is_digit && c != '.') return false;
      begins = c == '.';
    }
    return !begins;
  };
  return is_dotted(name.substr(0, slash)) && is_dotted(name.substr(slash + 1));
}

}  // namespace

MainProgram FromJavaCommand(std::string_view java_command,
                            const std::vector<std::string>& command_line,
                            std::string_view class_path) {
  const std::string_view jar = JarIn(java_command, class_path);
  if (!jar.empty()) return MainProgram{.name = std::string(jar), .is_file = true};
  std::string_view name = java_command.substr(0, java_command.find(' '));
  for (const std::string& argument : command_line) {
    if (argument.size() > name.size() && BeginsWith(java_command, argument, ' ')) name = argument;
  }
  return FromCommandLine(std::string(name), command_line);
}

MainProgram FromCommandLine(std::string name, const std::vector<std::string>& command_line) {
  const bool is_file = IsBehindJar(name, command_line);
  return MainProgram{.name = std::move(name), .is_file = is_file};
}

std::string PublicName(const MainProgram& program) {
  const std::string& name = program.name;
  const bool is_file = program.is_file || name.ends_with(".jar") || name.ends_with(".war") ||
                       (name.find('/') != std::string::npos && !MayBeModuleAndClass(name));
  return is_file ? std::string(BehindLastSlash(name)) : name;
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
