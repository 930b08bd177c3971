#include "cli/jvm/control_path.h"

#include <algorithm>

#include "writer/base/option_text.h"

namespace iprof::jvm {
namespace {

constexpr std::string_view kOption = "control=";

// What stands behind '=' in "-agentpath:…/libiprofagent.so=…" or "-agentlib:iprofagent=…".
std::string_view AgentOptionsIn(std::string_view argument) {
  const size_t equals = argument.find('=');
  if (equals == std::string_view::npos) return {};
  const std::string_view agent = argument.substr(0, equals);
  const bool is_ours = (agent.starts_with("-agentpath:") && agent.ends_with("/libiprofagent.so")) ||
                       agent == "-agentlib:iprofagent";
  return is_ours ? argument.substr(equals + 1) : std::string_view();
}

std::string_view ControlIn(std::string_view argument) {
  for (const std::string_view item : SplitOptions(AgentOptionsIn(argument))) {
    if (item.starts_with(kOption)) return item.substr(kOption.size());
  }
  return {};
}

// Arguments are separated by white space; quotes around one are taken off.
std::string_view ControlInText(std::string_view text) {
  constexpr std::string_view kBlanks = " \t\n\r\f\"'";
  while (!text.empty()) {
    text.remove_prefix(std::min(text.find_first_not_of(kBlanks), text.size()));
    const size_t end = std::min(text.find_first_of(kBlanks), text.size());
    const std::string_view found = ControlIn(text.substr(0, end));
    if (!found.empty()) return found;
    text.remove_prefix(end);
  }
  return {};
}

std::string Expanded(std::string_view pattern, pid_t inner_pid) {
  std::string path;
  for (size_t at = 0; at < pattern.size(); ++at) {
    if (pattern[at] != '%') {
      path += pattern[at];
      continue;
    }
    const char kind = ++at < pattern.size() ? pattern[at] : '\0';
    if (kind != 'p' && kind != '%') return {};
    path += kind == 'p' ? std::to_string(inner_pid) : "%";
  }
  return path;
}

}  // namespace

std::string ControlPathIn(const std::vector<std::string>& command_line,
                          const std::vector<std::string>& environment, pid_t inner_pid) {
  for (const std::string& argument : command_line) {
    const std::string_view found = ControlIn(argument);
    if (!found.empty()) return Expanded(found, inner_pid);
  }
  for (const std::string_view entry : environment) {
    for (const std::string_view name : {"JAVA_TOOL_OPTIONS=", "JDK_JAVA_OPTIONS="}) {
      if (!entry.starts_with(name)) continue;
      const std::string_view found = ControlInText(entry.substr(name.size()));
      if (!found.empty()) return Expanded(found, inner_pid);
    }
  }
  return {};
}

}  // namespace iprof::jvm
