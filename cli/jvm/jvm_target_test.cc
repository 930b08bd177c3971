// Processes whose program is called java: what they are taken for, also while they end.
#include "cli/jvm/jvm_target.h"

#include <signal.h>
#include <spawn.h>
#include <stdlib.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <catch2/catch.hpp>
#include <filesystem>
#include <string>
#include <thread>

#include "cli/jvm/mapped_files.h"
#include "writer/base/temporary_folder.h"

namespace iprof::jvm {
namespace {

using namespace std::chrono_literals;
namespace fs = std::filesystem;

// Sleeps under the name java, with a library of this name mapped, or with none.
class Launcher {
 public:
  enum class Ready { kNamed, kAtOnce };

  explicit Launcher(const std::string& library, Ready ready = Ready::kNamed,
                    std::string name = "java") {
    std::string preload = "NOTHING=";
    if (!library.empty()) {
      fs::copy_file(SomeLibrary(), folder_ / library);
      preload = "LD_PRELOAD=" + (folder_ / library);
    }
    std::string time = "3600";
    std::string options = "JAVA_TOOL_OPTIONS=-agentlib:iprofagent=control=/a.sock";
    char* const arguments[] = {name.data(), time.data(), nullptr};
    char* const environment[] = {preload.data(), options.data(), nullptr};
    REQUIRE(posix_spawn(&pid_, "/bin/sleep", nullptr, nullptr, arguments, environment) == 0);
    // The kernel lets this process go on before it shows the new arguments.
    if (ready == Ready::kAtOnce) return;
    const Result<Process> made = Process::Open(pid_);
    REQUIRE(made.ok());
    while (!made->Read("cmdline")->starts_with(name.c_str())) std::this_thread::yield();
  }
  ~Launcher() {
    kill(pid_, SIGKILL);
    waitpid(pid_, nullptr, 0);
  }
  Launcher(const Launcher&) = delete;
  Launcher& operator=(const Launcher&) = delete;

  pid_t pid() const { return pid_; }

 private:
  // One of this process, so that it can be loaded.
  static std::string SomeLibrary() {
    const Result<Process> own = Process::Open(getpid());
    REQUIRE(own.ok());
    const auto files = MappedFiles(*own->Read("maps"));
    const auto found = std::find_if(files.begin(), files.end(), [](const MappedFile& file) {
      return file.name().starts_with("libm.so") || file.name().starts_with("libgcc_s.so");
    });
    REQUIRE(found != files.end());
    return found->path;
  }

  const TemporaryFolder folder_;
  pid_t pid_ = -1;
};

TEST_CASE("an OpenJ9 JVM is refused at once, since it never becomes another one") {
  const Launcher launcher("libj9vm29.so");
  const auto target = JvmTarget::Open(launcher.pid(), 1h);
  REQUIRE_FALSE(target.ok());
  CHECK(target.status().message() == "process " + std::to_string(launcher.pid()) +
                                         " is an OpenJ9 JVM; iprof works with HotSpot");
}

TEST_CASE("a JVM that ends has its command line and options until it is said to have ended") {
  for (int round = 0; round < 20; ++round) {
    const Launcher launcher("libjvm.so");
    const Result<Process> process = Process::Open(launcher.pid());
    REQUIRE(process.ok());
    while (!LookAt(*process).ok()) std::this_thread::yield();  // until the library is mapped
    kill(launcher.pid(), SIGKILL);
    for (bool is_over = false; !is_over;) {
      is_over = process->HasEnded();
      const Result<RunningJvm> seen = LookAt(*process);
      if (seen.ok()) {
        CHECK(seen->program == "3600");
        CHECK(seen->control == "/a.sock");
      } else {
        CHECK(seen.status().message() == process->Name() + " has ended");
      }
    }
  }
}

TEST_CASE("a launcher is given the time before it shows its name, too") {
  for (int round = 0; round < 100; ++round) {
    const Launcher launcher("libjvm.so", Launcher::Ready::kAtOnce);
    const auto target = JvmTarget::Open(launcher.pid(), 1h);
    INFO(target.status().message());
    REQUIRE(target.ok());
  }
}

TEST_CASE("a process whose program has no name is no JVM") {
  const Launcher launcher("", Launcher::Ready::kNamed, "");
  const auto target = JvmTarget::Open(launcher.pid(), 1h);
  REQUIRE_FALSE(target.ok());
  CHECK(target.status().message().ends_with(" is not a JVM: no libjvm.so is loaded in it"));
}

TEST_CASE("a launcher that loads no JVM is given the time, and then refused") {
  const Launcher launcher("");
  const auto target = JvmTarget::Open(launcher.pid(), 20ms);
  REQUIRE_FALSE(target.ok());
  CHECK(target.status().message().ends_with(" is not a JVM: no libjvm.so is loaded in it"));
}

}  // namespace
}  // namespace iprof::jvm
