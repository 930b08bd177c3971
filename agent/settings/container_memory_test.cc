#include "agent/settings/container_memory.h"

#include <unistd.h>

#include <catch2/catch.hpp>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <optional>
#include <string>

#include "writer/base/temporary_folder.h"

namespace iprof::vm {
namespace {

constexpr uint64_t kMb = uint64_t{1} << 20;

// The files of a made-up machine.
class Tree {
 public:
  void Write(const std::string& path, const std::string& text) const {
    std::filesystem::create_directories((root_.path() / path).parent_path());
    root_.Write(path, text);
  }
  // In MB, on a machine with 16 GB.
  uint64_t Limit() const {
    const auto limit = ContainerMemory(16384 * kMb, root_.path().string());
    REQUIRE(limit);
    return *limit / kMb;
  }

 private:
  TemporaryFolder root_;
};

TEST_CASE("without control groups the machine's memory is the limit", "[container_memory]") {
  const Tree tree;
  CHECK(tree.Limit() == 16384);
}

TEST_CASE("the machine's memory is what the kernel reports", "[container_memory]") {
  std::ifstream file("/proc/meminfo");
  std::string word;
  uint64_t kib = 0;
  while (word != "MemTotal:" && file >> word) continue;
  REQUIRE(file >> kib);
  CHECK(MachineMemory() == kib * 1024);
}

TEST_CASE("nothing is known of a machine without files", "[container_memory]") {
  CHECK_FALSE(ContainerMemory(std::nullopt, "/no/such/root"));
}

TEST_CASE("version 2: the smallest limit on the way to the root counts", "[container_memory]") {
  const Tree tree;
  tree.Write("proc/self/cgroup", "0::/kubepods/pod1/app\n");
  tree.Write("sys/fs/cgroup/kubepods/pod1/app/memory.max", "max\n");
  CHECK(tree.Limit() == 16384);
  tree.Write("sys/fs/cgroup/kubepods/pod1/memory.max", "536870912\n");
  CHECK(tree.Limit() == 512);
  tree.Write("sys/fs/cgroup/kubepods/pod1/app/memory.max", "268435456\n");
  CHECK(tree.Limit() == 256);
}

TEST_CASE("version 2 within a container: its group is the root", "[container_memory]") {
  const Tree tree;
  tree.Write("proc/self/cgroup", "0::/\n");
  tree.Write("sys/fs/cgroup/memory.max", "134217728\n");
  CHECK(tree.Limit() == 128);
}

TEST_CASE("version 1: the memory controller's limit", "[container_memory]") {
  const Tree tree;
  tree.Write("proc/self/cgroup",
             "12:pids:/docker/abc\n11:cpu,cpuacct:/docker/abc\n9:memory:/docker/abc\n0::/x\n");
  tree.Write("sys/fs/cgroup/memory/docker/abc/memory.limit_in_bytes", "1073741824\n");
  CHECK(tree.Limit() == 1024);
  // Larger than the machine, so no limit.
  tree.Write("sys/fs/cgroup/memory/docker/abc/memory.limit_in_bytes", "9223372036854771712\n");
  CHECK(tree.Limit() == 16384);
}

TEST_CASE("version 1 within a container: the host's path, the container's files",
          "[container_memory]") {
  const Tree tree;
  tree.Write("proc/self/cgroup", "9:hugetlb,memory:/docker/abc\n");
  tree.Write("sys/fs/cgroup/memory/memory.limit_in_bytes", "2147483648\n");
  CHECK(tree.Limit() == 2048);
}

TEST_CASE("files in another format set no limit", "[container_memory]") {
  const Tree tree;
  tree.Write("proc/self/cgroup", "nonsense\n:\n0:x\n0::relative\n0::/../..\n");
  tree.Write("sys/fs/cgroup/memory.max", "a lot\n");
  CHECK(tree.Limit() == 16384);
}

TEST_CASE("the default follows the container and the heap", "[container_memory]") {
  const MemoryShares alone = ShareMemory({});
  CHECK(alone.stacks + alone.rest == 256 * kMb);
  CHECK(alone.stacks == 64 * kMb);
  const MemoryShares small = ShareMemory({.container = 512 * kMb});
  CHECK(small.stacks + small.rest == 512 * kMb / 10);
  const MemoryShares heap = ShareMemory({.container = 16384 * kMb, .max_heap = 64 * kMb});
  CHECK(heap.stacks + heap.rest == 16 * kMb);
  CHECK(heap.stacks == 4 * kMb);
  const MemoryShares no_samples = ShareMemory({.samples = false});
  CHECK(no_samples.stacks == 0);
  CHECK(no_samples.rest == 256 * kMb);
}

TEST_CASE("memory= is all there is, samples-memory= a part of it", "[container_memory]") {
  const MemoryShares given = ShareMemory({.memory = 1000 * kMb, .container = 512 * kMb});
  CHECK(given.stacks == 64 * kMb);
  CHECK(given.rest == 936 * kMb);
  const MemoryShares both = ShareMemory({.memory = 100 * kMb, .samples_memory = 70 * kMb});
  CHECK(both.stacks == 70 * kMb);
  CHECK(both.rest == 30 * kMb);
  const MemoryShares stacks = ShareMemory({.samples_memory = 512 * kMb});
  CHECK(stacks.stacks == 512 * kMb);
  CHECK(stacks.rest == 192 * kMb);
}

}  // namespace
}  // namespace iprof::vm
