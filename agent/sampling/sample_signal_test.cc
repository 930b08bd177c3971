#include "agent/sampling/sample_signal.h"

#include <catch2/catch.hpp>

namespace iprof::sampling {
namespace {

void First(int, siginfo_t*, void*) {}
void Second(int, siginfo_t*, void*) {}

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
  const Result<int> mine = TakeSignal(0, First);
  REQUIRE(mine.ok());
  CHECK(*mine >= SIGRTMIN);
  CHECK(TakeSignal(*mine, First).ok());
  const Status refused = TakeSignal(*mine, Second).status();
  CHECK(refused.code() == Code::kUsage);
  CHECK(refused.message().find(SignalName(*mine)) != std::string::npos);
  const Result<int> other = TakeSignal(0, Second);
  REQUIRE(other.ok());
  CHECK(*other != *mine);
}

TEST_CASE("an ignored signal counts as in use") {
  ::signal(SIGRTMAX - 5, SIG_IGN);
  CHECK_FALSE(TakeSignal(SIGRTMAX - 5, First).ok());
  ::signal(SIGRTMAX - 5, SIG_DFL);
}

TEST_CASE("while the handler runs only synchronous signals can come") {
  const Result<int> mine = TakeSignal(0, First);
  REQUIRE(mine.ok());
  struct sigaction action {};
  sigaction(*mine, nullptr, &action);
  CHECK(sigismember(&action.sa_mask, SIGPROF) == 1);
  CHECK(sigismember(&action.sa_mask, SIGSEGV) == 0);
  CHECK((action.sa_flags & SA_RESTART) != 0);
}

}  // namespace
}  // namespace iprof::sampling
