// The main function of this room's tests. Catch2 must not handle signals. A SIGSEGV handler is
// installed before ours, so that tests can see the chaining.
#define CATCH_CONFIG_NO_POSIX_SIGNALS
#define CATCH_CONFIG_RUNNER
#include <signal.h>
#include <unistd.h>

#include <catch2/catch.hpp>

int main(int argc, char** argv) {
  struct sigaction earlier {};
  earlier.sa_handler = [](int) { _exit(42); };
  sigaction(SIGSEGV, &earlier, nullptr);
  return Catch::Session().run(argc, argv);
}
