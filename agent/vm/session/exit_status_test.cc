// The process ends in an orderly way, and only its status is another one.
#include "agent/vm/session/exit_status.h"

#include <sys/wait.h>
#include <unistd.h>

#include <catch2/catch.hpp>
#include <cstdio>
#include <cstdlib>
#include <string>
#include <utility>

namespace {

int end_of_output = -1;

void Say(const char* text) {
  if (write(end_of_output, text, 1) != 1) std::abort();
}

// The status of a child process that runs this and then calls exit(3), and what it said.
template <typename Body>
std::pair<int, std::string> StatusAfter(Body body) {
  int ends[2];
  REQUIRE(pipe(ends) == 0);
  const pid_t child = fork();
  if (child == 0) {
    end_of_output = ends[1];
    body();
    std::exit(3);
  }
  close(ends[1]);
  int status = 0;
  REQUIRE(waitpid(child, &status, 0) == child);
  REQUIRE(WIFEXITED(status));
  char said[16] = {};
  CHECK(read(ends[0], said, sizeof said - 1) >= 0);
  close(ends[0]);
  return {WEXITSTATUS(status), said};
}

}  // namespace

TEST_CASE("the status can be replaced while the process exits already") {
  const auto [status, said] = StatusAfter([] {
    std::atexit([] { Say("1"); });
    std::atexit([] { iprof::vm::ReplaceExitStatus(iprof::vm::kProfileLostStatus); });
    std::atexit([] { Say("2"); });
  });
  CHECK(status == 74);
  CHECK(said == "21");
}

TEST_CASE("the status is replaced, and all that an exit does is done once") {
  const auto [status, said] = StatusAfter([] {
    FILE* const buffered = fdopen(dup(end_of_output), "w");
    std::atexit([] { Say("1"); });
    iprof::vm::ReplaceExitStatus(iprof::vm::kProfileLostStatus);
    iprof::vm::ReplaceExitStatus(iprof::vm::kProfileLostStatus);
    std::atexit([] { Say("2"); });
    std::fputs("b", buffered);  // stdio writes it last
  });
  CHECK(status == 74);
  CHECK(said == "21b");
}
