#include "agent/vm/classes/other_agents.h"

#include <dlfcn.h>
#include <link.h>

#include <optional>

namespace iprof::vm {
namespace {

std::string_view FileName(std::string_view path) {
  const size_t slash = path.rfind('/');
  return slash == std::string_view::npos ? path : path.substr(slash + 1);
}

// The name in an argument that loads an agent, without its options; nullopt for other arguments.
std::optional<std::string> AgentOf(std::string_view argument) {
  constexpr std::string_view kJavaAgent = "-javaagent:";
  constexpr std::string_view kPath = "-agentpath:";
  constexpr std::string_view kLibrary = "-agentlib:";
  const auto rest = [&](std::string_view prefix) {
    const std::string_view value = argument.substr(prefix.size());
    return value.substr(0, value.find('='));
  };
  if (argument.starts_with(kJavaAgent)) return std::string(FileName(rest(kJavaAgent)));
  if (argument.starts_with(kPath)) return std::string(FileName(rest(kPath)));
  if (argument.starts_with(kLibrary)) return "lib" + std::string(rest(kLibrary)) + ".so";
  return std::nullopt;
}

// iprof-agent.jar, or iprof-agent-VERSION.jar as Maven names it.
bool IsOwnJar(std::string_view agent) {
  return agent == "iprof-agent.jar" ||
         (agent.starts_with("iprof-agent-") && agent.ends_with(".jar"));
}

}  // namespace

OtherAgents FindOtherAgents(const std::vector<std::string>& arguments,
                            std::string_view own_library) {
  OtherAgents found;
  bool seen = false;
  for (const std::string& argument : arguments) {
    const auto agent = AgentOf(argument);
    if (!agent || *agent == "libjdwp.so") continue;
    if (IsOwnJar(*agent)) {
      found.own_jar = true;
    } else if (*agent == own_library) {
      seen = true;
    } else {
      (seen ? found.after : found.before).push_back(*agent);
    }
  }
  return found;
}

std::string OwnLibrary() {
  Dl_info info;
  if (dladdr(reinterpret_cast<const void*>(&OwnLibrary), &info) == 0 || info.dli_fname == nullptr)
    return {};
  return std::string(FileName(info.dli_fname));
}

bool HasJavaAgents() {
  bool found = false;
  dl_iterate_phdr(
      [](dl_phdr_info* info, size_t, void* result) {
        if (info->dlpi_name != nullptr && FileName(info->dlpi_name) == "libinstrument.so")
          *static_cast<bool*>(result) = true;
        return 0;
      },
      &found);
  return found;
}

}  // namespace iprof::vm
