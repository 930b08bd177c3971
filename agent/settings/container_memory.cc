#include "agent/settings/container_memory.h"

#include <sys/sysinfo.h>

#include <algorithm>
#include <charconv>
#include <string_view>

#include "agent/settings/option_values.h"
#include "writer/base/small_file.h"

namespace iprof::vm {
namespace {

constexpr uint64_t kMost = uint64_t{256} << 20;
constexpr uint64_t kMostStacks = uint64_t{64} << 20;
constexpr uint64_t kLeastStacks = uint64_t{64} << 10;

std::optional<uint64_t> Number(std::string_view text) {
  uint64_t value = 0;
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), value);
  if (error != std::errc() || end == text.data()) return std::nullopt;
  return value;
}

void Lower(std::optional<uint64_t>& limit, std::optional<uint64_t> other) {
  if (other && (!limit || *other < *limit)) limit = other;
}

// A file that contains one number; "max" means no limit.
std::optional<uint64_t> NumberIn(const std::string& path) {
  const auto text = ReadSmallFile(path);
  return text ? Number(*text) : std::nullopt;
}

// Applies the limits of a group and of all its parents. In a container, the group's path may be the
// host's, while its files are in the root's place; then only the root is found.
void LowerToGroups(const std::string& mount, std::string path, const char* file,
                   std::optional<uint64_t>& limit) {
  for (;;) {
    Lower(limit, NumberIn(mount + path + "/" + file));
    if (path.empty()) return;
    path.resize(std::min(path.size() - 1, path.rfind('/')));
  }
}

bool HasController(std::string_view controllers, std::string_view wanted) {
  while (!controllers.empty()) {
    const size_t end = std::min(controllers.find(','), controllers.size());
    if (controllers.substr(0, end) == wanted) return true;
    controllers.remove_prefix(std::min(end + 1, controllers.size()));
  }
  return false;
}

}  // namespace

std::optional<uint64_t> MachineMemory() {
  struct sysinfo info {};
  if (sysinfo(&info) != 0) return std::nullopt;
  return uint64_t{info.totalram} * info.mem_unit;
}

std::optional<uint64_t> ContainerMemory(std::optional<uint64_t> machine, const std::string& root) {
  std::optional<uint64_t> limit = machine;
  const std::string mount = root + "/sys/fs/cgroup";
  // Lines are "number:controllers:path"; for version 2 they are "0::path".
  const std::string groups = ReadSmallFile(root + "/proc/self/cgroup").value_or("");
  for (const std::string_view line : SplitAt(groups, "\n")) {
    const size_t first = line.find(':');
    const size_t second = first == std::string_view::npos ? first : line.find(':', first + 1);
    if (second == std::string_view::npos) continue;
    const std::string_view controllers = line.substr(first + 1, second - first - 1);
    std::string path(line.substr(second + 1));
    if (path.empty() || path.front() != '/' || path.find("/..") != std::string::npos) path = "/";
    if (path.back() == '/') path.pop_back();
    if (controllers.empty()) {
      LowerToGroups(mount, path, "memory.max", limit);
    } else if (HasController(controllers, "memory")) {
      LowerToGroups(mount + "/memory", path, "memory.limit_in_bytes", limit);
    }
  }
  return limit;
}

MemoryShares ShareMemory(const MemoryFacts& facts) {
  uint64_t all = kMost;
  if (facts.container) all = std::min(all, *facts.container / 10);
  if (facts.max_heap) all = std::min(all, *facts.max_heap / 4);
  if (facts.memory) all = *facts.memory;
  MemoryShares shares;
  if (facts.samples) shares.stacks = std::clamp(all / 4, kLeastStacks, kMostStacks);
  shares.rest = all - std::min(all, shares.stacks);
  if (!facts.samples || !facts.samples_memory) return shares;
  shares.stacks = *facts.samples_memory;
  if (facts.memory) shares.rest = all - std::min(all, shares.stacks);
  return shares;
}

}  // namespace iprof::vm
