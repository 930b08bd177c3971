// What is said of a process while it lives, while it ends, and afterwards.
#include "cli/jvm/process.h"

#include <signal.h>
#include <sys/resource.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

#include <catch2/catch.hpp>
#include <chrono>
#include <future>
#include <string>
#include <thread>

#include "cli/jvm/fake_jvm.h"
#include "cli/jvm/running_jvm.h"
#include "cli/jvm/target_wait.h"

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
  CHECK(process->LivesOn().ok());
}

TEST_CASE("what this process lacks is not taken for the end of another one") {
  const FakeJvm fake;
  const Result<Process> process = Process::Open(fake.pid());
  REQUIRE(process.ok());
  rlimit before{};
  REQUIRE(getrlimit(RLIMIT_NOFILE, &before) == 0);
  const rlimit none{3, before.rlim_max};
  REQUIRE(setrlimit(RLIMIT_NOFILE, &none) == 0);
  const bool has_ended = process->HasEnded();
  const std::string lives = process->LivesOn().message();
  const std::string looked = LookAt(*process).status().message();
  const std::string waited = TargetWait(*process, std::chrono::seconds(1)).Pause().message();
  setrlimit(RLIMIT_NOFILE, &before);
  CHECK_FALSE(has_ended);
  const std::string expected =
      "cannot read /proc/" + std::to_string(fake.pid()) + "/status: Too many open files";
  CHECK(lives == expected);
  CHECK(looked == expected);
  CHECK(waited == expected);
}

TEST_CASE("a process goes on without its first thread") {
  const pid_t child = fork();
  if (child == 0) {
    std::thread([] { usleep(600'000'000); }).detach();
    syscall(SYS_exit, 0);  // of this thread only
  }
  const Result<Process> process = Process::Open(child);
  REQUIRE(process.ok());
  while (process->ReadStatus()->state != 'Z') usleep(1000);
  CHECK_FALSE(process->HasEnded());
  const std::string expected = Named(child) +
                               " goes on without its first thread, by which the kernel shows its "
                               "memory";
  CHECK(process->LivesOn().message() == expected);
  CHECK(LookAt(*process).status().message() == expected);
  kill(child, SIGKILL);
  CHECK(process->EndsNow());
  CHECK(waitpid(child, nullptr, 0) == child);
}

TEST_CASE("of a process that is ending, what cannot be read is its end") {
  const FakeJvm fake;
  const Result<Process> process = Process::Open(fake.pid());
  REQUIRE(process.ok());
  std::thread end([&] {
    usleep(10'000);
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
  const Result<ProcessStatus> status =
      kthreadd.ok() ? kthreadd->ReadStatus() : Result<ProcessStatus>(kthreadd.status());
  if (!status.ok() || status->has_ended() || status->has_memory) {
    WARN("no thread of the kernel is to be seen");
    return;
  }
  const std::string expected =
      "process 2 has no memory: it is ending, or it is a thread of the kernel";
  CHECK(LookAt(*kthreadd).status().message() == expected);
  CHECK(kthreadd->LivesOn().message() == expected);
  CHECK(kthreadd->Read(kGone).status().message() == expected);
}

TEST_CASE("an interrupt ends the wait for an end") {
  const Result<Process> own = Process::Open(getpid());
  REQUIRE(own.ok());
  const auto before = signal(SIGTERM, [](int) {});
  {
    const HeldSignals held;
    kill(getpid(), SIGTERM);
    const auto start = std::chrono::steady_clock::now();
    for (int i = 0; i < 100; ++i) CHECK_FALSE(own->EndsNow());
    CHECK(std::chrono::steady_clock::now() - start <
          std::chrono::seconds(25));  // half of the waits
  }
  signal(SIGTERM, before);
}

TEST_CASE("the number of a thread is not that of a process") {
  std::promise<pid_t> number;
  std::promise<void> done;
  std::thread thread([&] {
    number.set_value(static_cast<pid_t>(syscall(SYS_gettid)));
    done.get_future().wait();
  });
  const pid_t id = number.get_future().get();
  const Result<Process> process = Process::Open(id);
  done.set_value();
  thread.join();
  REQUIRE_FALSE(process.ok());
  CHECK(process.status().message() == std::to_string(id) + " is a thread of " + Named(getpid()));
}

}  // namespace
}  // namespace iprof::jvm
