#include "agent/sampling/core/sample_signal.h"

#include <sys/wait.h>
#include <unistd.h>

#include <catch2/catch.hpp>
#include <initializer_list>

namespace iprof::sampling {
namespace {

void First(int, siginfo_t*, void*) {}
void Second(int, siginfo_t*, void*) {}
void Third(int, siginfo_t*, void*) {}

// Resets the handlers of these signals, including those of this test and of earlier samplers.
void Reset(std::initializer_list<int> signals) {
  for (const int signal : signals) ::signal(signal, SIG_DFL);
}

TEST_CASE("signals are read by name and number") {
  CHECK(ParseSignal("SIGPROF").value() == SIGPROF);
  CHECK(ParseSignal("PROF").value() == SIGPROF);
  CHECK(ParseSignal("SIGRTMIN+3").value() == SIGRTMIN + 3);
  CHECK(ParseSignal("RTMAX-2").value() == SIGRTMAX - 2);
  CHECK(ParseSignal("40").value() == 40);
}

TEST_CASE("what cannot be used for sampling is refused") {
  for (const char* bad : {"SIGKILL", "SEGV", "9", "11", "33", "0", "-1", "65", "", "SIGRTMIN+99",
                          "SIGRTMIN+-1", "RTMAX-99999999999", "prof", "4x"}) {
    CAPTURE(bad);
    CHECK(ParseSignal(bad).status().code() == Code::kUsage);
  }
}

TEST_CASE("names read back as the same signal") {
  for (int signal = 1; signal <= SIGRTMAX; ++signal) {
    const Result<int> parsed = ParseSignal(SignalName(signal));
    if (parsed.ok()) CHECK(*parsed == signal);
  }
}

TEST_CASE("a free signal is chosen, one in use is refused, one's own may be taken again") {
  Reset({SIGURG, SIGWINCH});
  const Result<int> mine = TakeSignal(0, First);
  REQUIRE(mine.ok());
  CHECK(*mine == SIGURG);
  CHECK_FALSE(EndsProcessByDefault(*mine));
  CHECK(TakeSignal(*mine, First).ok());
  const Status refused = TakeSignal(*mine, Second).status();
  CHECK(refused.code() == Code::kUsage);
  CHECK(refused.message().find(SignalName(*mine)) != std::string::npos);
  const Result<int> other = TakeSignal(0, Second);
  REQUIRE(other.ok());
  CHECK(*other != *mine);
  CHECK_FALSE(EndsProcessByDefault(*other));
  // A signal that could end the process is taken only if the user names it.
  CHECK(TakeSignal(0, Third).status().code() == Code::kLimit);
  const Result<int> named = TakeSignal(SIGRTMIN + 3, Third);
  REQUIRE(named.ok());
  CHECK(EndsProcessByDefault(*named));
  Reset({SIGURG, SIGWINCH, SIGRTMIN + 3});
}

TEST_CASE("the owners of a signal are told apart") {
  Reset({SIGURG});
  REQUIRE(TakeSignal(SIGURG, First).ok());
  CHECK(OwnerOf(SIGURG, First) == SignalOwner::kUs);
  CHECK(OwnerOf(SIGURG, Second) == SignalOwner::kOther);
  ::signal(SIGURG, SIG_IGN);
  CHECK(OwnerOf(SIGURG, First) == SignalOwner::kIgnored);
  ::signal(SIGURG, [](int) {});
  CHECK(OwnerOf(SIGURG, First) == SignalOwner::kOther);
  ::signal(SIGURG, SIG_DFL);
  CHECK(OwnerOf(SIGURG, First) == SignalOwner::kDefault);
  CHECK(LossText(SIGURG, SignalOwner::kDefault) ==
        "something else in this process has reset SIGURG, the sampling signal, to its default "
        "action");
}

// EndsProcessByDefault must agree with the kernel.
TEST_CASE("a signal that is said not to end the process does not") {
  for (const int signal : {SIGURG, SIGWINCH, SIGCHLD, SIGCONT, SIGPROF, SIGRTMIN, SIGRTMAX}) {
    CAPTURE(SignalName(signal));
    const pid_t child = fork();
    REQUIRE(child >= 0);
    if (child == 0) {
      ::signal(signal, SIG_DFL);
      raise(signal);
      _exit(7);
    }
    int status = 0;
    REQUIRE(waitpid(child, &status, 0) == child);
    CHECK((WIFEXITED(status) && WEXITSTATUS(status) == 7) == !EndsProcessByDefault(signal));
  }
}

TEST_CASE("an ignored signal counts as in use") {
  ::signal(SIGRTMAX - 5, SIG_IGN);
  CHECK_FALSE(TakeSignal(SIGRTMAX - 5, First).ok());
  ::signal(SIGRTMAX - 5, SIG_DFL);
}

TEST_CASE("while the handler runs only synchronous signals can come") {
  Reset({SIGURG});
  const Result<int> mine = TakeSignal(0, First);
  REQUIRE(mine.ok());
  struct sigaction action {};
  sigaction(*mine, nullptr, &action);
  CHECK(sigismember(&action.sa_mask, SIGPROF) == 1);
  CHECK(sigismember(&action.sa_mask, SIGSEGV) == 0);
  CHECK((action.sa_flags & SA_RESTART) != 0);
  Reset({*mine});
}

}  // namespace
}  // namespace iprof::sampling
