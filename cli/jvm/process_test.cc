// What is said of a process while it lives, while it ends, and afterwards.
#include "cli/jvm/process.h"

#include <signal.h>
#include <sys/wait.h>
#include <unistd.h>

#include <catch2/catch.hpp>
#include <string>
#include <thread>

#include "cli/jvm/fake_jvm.h"
#include "cli/jvm/running_jvm.h"

namespace iprof::jvm {
namespace {

// What the kernel answers for a file or a folder of a process that is ending.
constexpr char kGone[] = "no such file";

std::string Named(pid_t pid) { return "process " + std::to_string(pid); }

TEST_CASE("of a process that lives, what cannot be read is named") {
  const Result<Process> process = Process::Open(getpid());
  REQUIRE(process.ok());
  CHECK(process->Read(kGone).status().message() == "cannot read /proc/" + std::to_string(getpid()) +
                                                       "/no such file: No such file or directory");
  CHECK_FALSE(process->EndsNow());
}

TEST_CASE("of a process that is ending, what cannot be read is its end") {
  const FakeJvm fake;
  const Result<Process> process = Process::Open(fake.pid());
  REQUIRE(process.ok());
  std::thread end([&] {
    usleep(50'000);
    kill(fake.pid(), SIGKILL);
  });
  SECTION("a file") {
    CHECK(process->Read(kGone).status().message() == Named(fake.pid()) + " has ended");
  }
  SECTION("a folder") {
    CHECK(process->OpenFolder(kGone).status().message() == Named(fake.pid()) + " has ended");
  }
  end.join();
}

TEST_CASE("a JVM whose memory is being freed has ended, and is not taken for another program") {
  FakeJvm::Part part;
  part.memory = size_t{64} << 20;  // to free it takes some milliseconds
  const FakeJvm fake(part);
  const Result<Process> process = Process::Open(fake.pid());
  REQUIRE(process.ok());
  REQUIRE(LookAt(*process).ok());
  kill(fake.pid(), SIGKILL);
  const std::string expected = Named(fake.pid()) + " has ended";
  bool was_over = false;
  while (!was_over) {
    was_over = process->HasEnded();
    const Result<RunningJvm> seen = LookAt(*process);
    if (!seen.ok()) CHECK(seen.status().message() == expected);
  }
  CHECK(LookAt(*process).status().message() == expected);
}

TEST_CASE("a thread of the kernel has no memory, like a process that is ending") {
  const Result<Process> kthreadd = Process::Open(2);
  if (!kthreadd.ok() || !kthreadd->ReadStatus().ok() || kthreadd->ReadStatus()->has_memory) {
    WARN("no thread of the kernel is to be seen");
    return;
  }
  CHECK(LookAt(*kthreadd).status().message() ==
        "process 2 has no memory: it is ending, or it is a thread of the kernel");
}

}  // namespace
}  // namespace iprof::jvm
