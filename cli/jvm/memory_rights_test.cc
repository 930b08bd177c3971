// Each reason why the memory of another process may not be read has a sentence that says what helps.
#include "cli/jvm/memory_rights.h"

#include <signal.h>

#include <catch2/catch.hpp>
#include <string>
#include <thread>

#include "cli/jvm/fake_jvm.h"

namespace iprof::jvm {
namespace {

std::string Explained(const ReadingRights& rights) {
  return ExplainUnreadable("process 4711", rights);
}

TEST_CASE("yama forbids it to the same user, and to root without the capability") {
  CHECK(Explained({.ptrace_scope = 1}) ==
        "the memory of process 4711 may not be read: kernel.yama.ptrace_scope is 1: add --attach, "
        "run iprof as root or with CAP_SYS_PTRACE, or set kernel.yama.ptrace_scope=0");
  CHECK(Explained({.is_root = true, .ptrace_scope = 2}) ==
        "the memory of process 4711 may not be read: kernel.yama.ptrace_scope is 2: add --attach, "
        "run iprof with CAP_SYS_PTRACE (in a container: --cap-add=SYS_PTRACE), or set "
        "kernel.yama.ptrace_scope=0");
}

TEST_CASE("where yama forbids it to all, no right helps") {
  for (const bool is_root : {false, true}) {
    CHECK(Explained({.is_root = is_root, .has_capability = is_root, .ptrace_scope = 3}) ==
          "the memory of process 4711 may not be read: kernel.yama.ptrace_scope is 3, which "
          "forbids it to all: add --attach");
  }
}

TEST_CASE("seccomp is told from missing rights") {
  CHECK(Explained({.allows_call = false, .is_root = true, .has_capability = true}) ==
        "the memory of process 4711 may not be read: a seccomp filter forbids process_vm_readv, "
        "and /proc/PID/mem cannot be read: allow that call in the seccomp profile of the "
        "container, run 'iprof harvest' on its host, or add --attach");
  // Without the call, the same rights are needed.
  CHECK(Explained({.allows_call = false, .ptrace_scope = 1}) == Explained({.ptrace_scope = 1}));
}

TEST_CASE("a container's root lacks the capability") {
  CHECK(Explained({.is_root = true, .ptrace_scope = 0}) ==
        "the memory of process 4711 may not be read: add --attach, or run iprof with "
        "CAP_SYS_PTRACE (in a container: --cap-add=SYS_PTRACE)");
  CHECK(Explained({}) ==
        "the memory of process 4711 may not be read: add --attach, or run iprof as root or with "
        "CAP_SYS_PTRACE");
}

TEST_CASE("with all rights, a security module is left") {
  CHECK(Explained({.is_root = true, .has_capability = true, .ptrace_scope = 1}) ==
        "the memory of process 4711 may not be read: a security module of the system forbids it: "
        "add --attach");
}

TEST_CASE("the memory of a process that is ending is not a matter of rights") {
  FakeJvm::Part part;
  part.memory = size_t{64} << 20;  // to free it takes some milliseconds
  const FakeJvm fake(part);
  const Result<Process> process = Process::Open(fake.pid());
  REQUIRE(process.ok());
  kill(fake.pid(), SIGKILL);
  for (Result<ProcessStatus> status = process->ReadStatus(); status.ok() && status->has_memory;
       status = process->ReadStatus()) {
    std::this_thread::yield();
  }
  CHECK(WhyUnreadable(*process).message() ==
        "process " + std::to_string(fake.pid()) + " has ended");
}

TEST_CASE("the value of yama's setting") {
  CHECK(ParsePtraceScope("1\n") == 1);
  CHECK(ParsePtraceScope("0") == 0);
  CHECK(ParsePtraceScope("") == -1);
  CHECK(ParsePtraceScope("none") == -1);
}

}  // namespace
}  // namespace iprof::jvm
