// The process ends in an orderly way, and only its status is another one.
#include "agent/vm/session/exit_status.h"

#include <sys/wait.h>
#include <unistd.h>

#include <catch2/catch.hpp>
#include <cstdio>
#include <cstdlib>
#include <string>

namespace {

int end_of_output = -1;

void Say(const char* text) {
  if (write(end_of_output, text, 1) != 1) std::abort();
}

}  // namespace

TEST_CASE("the status is replaced, and all that an exit does is done once") {
  int ends[2];
  REQUIRE(pipe(ends) == 0);
  const pid_t child = fork();
  if (child == 0) {
    end_of_output = ends[1];
    FILE* const buffered = fdopen(dup(ends[1]), "w");
    std::atexit([] { Say("1"); });
    iprof::vm::ReplaceExitStatus(iprof::vm::kProfileLostStatus);
    iprof::vm::ReplaceExitStatus(iprof::vm::kProfileLostStatus);
    std::atexit([] { Say("2"); });
    std::fputs("b", buffered);  // stdio writes it last
    std::exit(3);
  }
  close(ends[1]);
  int status = 0;
  REQUIRE(waitpid(child, &status, 0) == child);
  CHECK(WIFEXITED(status));
  CHECK(WEXITSTATUS(status) == 74);
  char said[16] = {};
  CHECK(read(ends[0], said, sizeof said) == 3);
  CHECK(std::string(said) == "21b");
  close(ends[0]);
}
