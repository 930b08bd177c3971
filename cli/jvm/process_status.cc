#include "cli/jvm/process_status.h"

#include <charconv>
#include <csignal>
#include <cstdint>

namespace iprof::jvm {
namespace {

template <typename Number>
std::vector<Number> Numbers(std::string_view text, int base = 10) {
  std::vector<Number> numbers;
  const char* const end = text.data() + text.size();
  const char* at = text.data();
  while (at < end) {
    if (*at == ' ' || *at == '\t') {
      ++at;
      continue;
    }
    Number number{};
    const auto parsed = std::from_chars(at, end, number, base);
    if (parsed.ec != std::errc()) break;
    numbers.push_back(number);
    at = parsed.ptr;
  }
  return numbers;
}

}  // namespace

std::optional<ProcessStatus> ParseProcessStatus(std::string_view text, pid_t pid) {
  ProcessStatus status;
  status.inner_pid = pid;
  pid_t process = 0, thread = 0;
  bool has_state = false, has_uid = false, has_gid = false, has_signals = false;
  while (!text.empty()) {
    const size_t end = text.find('\n');
    const std::string_view line = text.substr(0, end);
    text.remove_prefix(end == std::string_view::npos ? text.size() : end + 1);
    const size_t colon = line.find(':');
    if (colon == std::string_view::npos) continue;
    const std::string_view key = line.substr(0, colon);
    const std::string_view value = line.substr(colon + 1);
    if (key == "State") {
      const size_t at = value.find_first_not_of(" \t");
      if (at == std::string_view::npos) continue;
      status.state = value[at];
      has_state = true;
    } else if (key == "Uid" || key == "Gid") {
      // Real, effective, saved, of the file system.
      const auto ids = Numbers<uint32_t>(value);
      if (ids.size() < 2) continue;
      (key == "Uid" ? status.uid : status.gid) = ids[1];
      (key == "Uid" ? has_uid : has_gid) = true;
    } else if (key == "Threads") {
      const auto threads = Numbers<int>(value);
      if (!threads.empty()) status.threads = threads[0];
    } else if (key == "Groups") {
      status.groups = Numbers<gid_t>(value);
    } else if (key == "Tgid" || key == "Pid") {
      const auto pids = Numbers<pid_t>(value);
      if (!pids.empty()) (key == "Tgid" ? process : thread) = pids[0];
    } else if (key == "VmSize") {
      status.has_memory = true;
    } else if (key == "NSpid") {
      // From the outermost namespace to the innermost.
      const auto pids = Numbers<pid_t>(value);
      if (!pids.empty() && pids.back() > 0) status.inner_pid = pids.back();
    } else if (key == "SigCgt" || key == "ShdPnd") {
      const auto masks = Numbers<uint64_t>(value, 16);
      if (masks.empty()) continue;
      const bool has_quit = (masks[0] >> (SIGQUIT - 1) & 1) != 0;
      (key == "SigCgt" ? status.catches_quit : status.quit_is_pending) = has_quit;
      if (key == "SigCgt") has_signals = true;
    }
  }
  if (!has_state || !has_uid || !has_gid || !has_signals) return std::nullopt;
  if (process > 0 && thread > 0 && process != thread) status.thread_of = process;
  return status;
}

}  // namespace iprof::jvm
