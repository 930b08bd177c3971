#include "cli/live/agent_library.h"

#include <fmt/core.h>
#include <limits.h>
#include <unistd.h>

#include <array>

namespace iprof::cli {
namespace {

constexpr std::string_view kName = "libiprofagent.so";

std::string OwnFolder() {
  std::array<char, PATH_MAX> path{};
  const ssize_t length = readlink("/proc/self/exe", path.data(), path.size());
  if (length <= 0) return {};
  const std::string_view whole(path.data(), static_cast<size_t>(length));
  return std::string(whole.substr(0, whole.rfind('/')));
}

}  // namespace

Result<std::string> FindAgentLibrary() {
  const std::string folder = OwnFolder();
  const std::string beside = fmt::format("{}/{}", folder, kName);
  const std::string installed = fmt::format("{}/{}/{}", folder, IPROF_LIBRARIES_FROM_TOOL, kName);
  for (const std::string& path : {beside, installed}) {
    if (access(path.c_str(), F_OK) == 0) return path;
  }
  return Status(Code::kIo, fmt::format("the agent's library is neither {} nor {}: say where it is "
                                       "with --agent",
                                       beside, installed));
}

Result<control::Answer> SendToLibrary(const jvm::AgentAddress& address, const control::Wish& wish,
                                      const jvm::AttachTimeouts& timeouts,
                                      const jvm::TakeProfile& take) {
  jvm::AgentRequest request{.wish = wish};
  if (address.pid != 0) {
    const Result<std::string> library = FindAgentLibrary();
    if (!library.ok()) return library.status();
    request.library = *library;
  }
  return SendCommand(address, request, timeouts, take);
}

}  // namespace iprof::cli
