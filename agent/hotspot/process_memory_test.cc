#include "agent/hotspot/process_memory.h"

#include <dlfcn.h>
#include <linux/filter.h>
#include <linux/seccomp.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

#include <catch2/catch.hpp>
#include <cerrno>
#include <cstddef>
#include <cstring>
#include <fstream>
#include <iterator>
#include <string>

#include "agent/hotspot/block_cache.h"
#include "agent/hotspot/elf_image.h"
#include "agent/hotspot/process_libraries.h"

namespace iprof::hotspot {
namespace {

constexpr size_t kPage = 4096;

Address AddressOf(const void* at) { return static_cast<Address>(reinterpret_cast<uintptr_t>(at)); }

// Two pages; the second one cannot be read.
char* PageBeforeHole() {
  void* pages =
      mmap(nullptr, 2 * kPage, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
  REQUIRE(pages != MAP_FAILED);
  REQUIRE(mprotect(static_cast<char*>(pages) + kPage, kPage, PROT_NONE) == 0);
  return static_cast<char*>(pages);
}

// A child process that differs from this one in one variable, and waits.
class Child {
 public:
  explicit Child(std::string* text) {
    int ready[2];
    REQUIRE(pipe(ready) == 0);
    pid_ = fork();
    if (pid_ == 0) {
      *text = "the child's";
      static_cast<void>(!write(ready[1], "x", 1));
      for (;;) pause();
    }
    char byte = 0;
    REQUIRE(read(ready[0], &byte, 1) == 1);
    close(ready[0]);
    close(ready[1]);
  }
  ~Child() {
    kill(pid_, SIGKILL);
    waitpid(pid_, nullptr, 0);
  }
  Child(const Child&) = delete;
  Child& operator=(const Child&) = delete;
  pid_t pid() const { return pid_; }

 private:
  pid_t pid_ = 0;
};

TEST_CASE("reads of a bad address fail, and so do those that begin with a good one") {
  const ProcessMemory memory(getpid());
  char* page = PageBeforeHole();
  std::memset(page, 'x', kPage);
  std::memcpy(page + kPage - 8, "at last", 8);
  char into[16] = {};
  CHECK(memory.Read(AddressOf(page + kPage - 8), into, 8));
  CHECK(std::string(into) == "at last");
  CHECK_FALSE(memory.Read(AddressOf(page + kPage - 8), into, 9));
  CHECK_FALSE(memory.Read(AddressOf(page + kPage), into, 1));
  CHECK_FALSE(memory.Read(0, into, 1));
  CHECK_FALSE(memory.Read(UINT64_MAX - 3, into, 8));
  CHECK(memory.Load<char>(AddressOf(page)) == 'x');
}

TEST_CASE("texts end at their zero byte, at the limit, or at the end of what can be read") {
  const ProcessMemory memory(getpid());
  char* page = PageBeforeHole();
  std::memset(page, 'x', kPage);
  std::memcpy(page + kPage - 8, "at last", 8);
  CHECK(memory.Text(AddressOf(page + kPage - 8)) == "at last");
  CHECK(memory.Text(AddressOf(page + kPage - 8), 7) == "at last");
  CHECK_FALSE(memory.Text(AddressOf(page + kPage - 8), 6));
  CHECK(memory.Text(AddressOf(page), kPage)->size() == kPage - 1);
  page[kPage - 1] = 'x';
  CHECK_FALSE(memory.Text(AddressOf(page + kPage - 8)));
  CHECK_FALSE(memory.Text(UINT64_MAX - 1));
}

TEST_CASE("another process is read, and its libraries' symbols are found in its memory") {
  std::string text = "the parent's";
  const Child child(&text);
  const ProcessMemory memory(child.pid());
  if (const Status status = memory.Check(AddressOf(&text)); !status.ok()) {
    WARN("not tested here: " << status.message());
    return;
  }
  CHECK(memory.Text(AddressOf(text.data())) == "the child's");
  std::ifstream file("/proc/" + std::to_string(child.pid()) + "/maps");
  const std::string maps{std::istreambuf_iterator<char>(file), {}};
  // mapped in the child too, because it is a fork
  void* const here = dlsym(RTLD_DEFAULT, "getppid");
  Dl_info info;
  REQUIRE(dladdr(here, &info) != 0);
  const std::string path = info.dli_fname;
  const auto bases = BasesOf(path.substr(path.rfind('/') + 1), maps);
  REQUIRE(bases.size() == 1);
  const BlockCache cache(memory);
  const auto image = ElfImage::Read(cache, bases[0]);
  INFO(image.status().message());
  REQUIRE(image.ok());
  CHECK(image->Find("getppid") == AddressOf(here));
}

// For this process, from now on.
bool ForbidVmReadv(uint32_t error) {
  sock_filter program[] = {
      BPF_STMT(BPF_LD | BPF_W | BPF_ABS, offsetof(seccomp_data, nr)),
      BPF_JUMP(BPF_JMP | BPF_JEQ | BPF_K, SYS_process_vm_readv, 0, 1),
      BPF_STMT(BPF_RET | BPF_K, SECCOMP_RET_ERRNO | error),
      BPF_STMT(BPF_RET | BPF_K, SECCOMP_RET_ALLOW),
  };
  const sock_fprog filter{static_cast<unsigned short>(std::size(program)), program};
  return prctl(PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0) == 0 &&
         prctl(PR_SET_SECCOMP, SECCOMP_MODE_FILTER, &filter) == 0;
}

enum Outcome { kWrong = 1, kReads, kNoFilter };

// Its own memory, and bad addresses of it.
Outcome ReadItselfWithout(uint32_t error) {
  if (!ForbidVmReadv(error)) return kNoFilter;
  const ProcessMemory memory(getpid());
  const std::string text = "it can be read";
  char byte = 0;
  // Nothing is mapped there, and there the kernel is.
  const Address beyond[] = {0, 16, uint64_t{1} << 62, UINT64_MAX - 8};
  for (const Address bad : beyond) {
    if (memory.Read(bad, &byte, 1)) return kWrong;
  }
  void* gone = mmap(nullptr, kPage, PROT_READ, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
  munmap(gone, kPage);
  if (memory.Read(AddressOf(gone), &byte, 1)) return kWrong;
  return memory.Check(AddressOf(text.data())).ok() && memory.Text(AddressOf(text.data())) == text
             ? kReads
             : kWrong;
}

TEST_CASE("a process reads itself where process_vm_readv is not allowed, or missing") {
  const int error = GENERATE(EPERM, ENOSYS);
  const pid_t pid = fork();
  if (pid == 0) _exit(ReadItselfWithout(static_cast<uint32_t>(error)));
  int status = 0;
  REQUIRE(waitpid(pid, &status, 0) == pid);
  REQUIRE(WIFEXITED(status));
  if (WEXITSTATUS(status) == kNoFilter) {
    WARN("not tested here: the system takes no seccomp filter");
    return;
  }
  CHECK(WEXITSTATUS(status) == kReads);
}

TEST_CASE("a process that is not there is said to be so") {
  const pid_t pid = fork();
  if (pid == 0) _exit(0);
  waitpid(pid, nullptr, 0);
  const Status status = ProcessMemory(pid).Check(0x1000);
  CHECK(status.message().find("there is no process " + std::to_string(pid)) != std::string::npos);
  char byte = 0;
  CHECK_FALSE(ProcessMemory(pid).Read(0x1000, &byte, 1));
}

}  // namespace
}  // namespace iprof::hotspot
