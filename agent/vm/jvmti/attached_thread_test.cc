// The signals that threads of the agent take.
#include "agent/vm/jvmti/attached_thread.h"

#include <signal.h>

#include <catch2/catch.hpp>
#include <future>
#include <memory>
#include <set>

#include "agent/vm/jvmti/fake_jvm.h"

namespace iprof::vm {
namespace {

std::set<int> Blocked() {
  sigset_t mask;
  pthread_sigmask(SIG_SETMASK, nullptr, &mask);
  std::set<int> blocked;
  for (int signal = 1; signal <= SIGRTMAX; ++signal)
    if (sigismember(&mask, signal) == 1) blocked.insert(signal);
  return blocked;
}

// Shared with the thread, which may still be in set_value.
auto Answer() { return std::make_shared<std::promise<std::set<int>>>(); }

// What an attached thread blocks while its function runs.
std::set<int> BlockedAttached(FakeJvm& jvm) {
  const auto answer = Answer();
  REQUIRE(StartAttachedThread(jvm.vm(), "attached", [answer](JNIEnv*) {
            answer->set_value(Blocked());
          }).ok());
  return answer->get_future().get();
}

// This thread blocks one signal, as a thread of a program may.
struct Starter {
  sigset_t before{};
  Starter() {
    sigset_t one;
    sigemptyset(&one);
    sigaddset(&one, SIGUSR1);
    pthread_sigmask(SIG_BLOCK, &one, &before);
  }
  ~Starter() { pthread_sigmask(SIG_SETMASK, &before, nullptr); }
};

TEST_CASE("an attached thread takes the signals that its starter takes") {
  const Starter starter;
  FakeJvm jvm;
  REQUIRE(Blocked().contains(SIGUSR1));
  CHECK(BlockedAttached(jvm) == Blocked());
}

TEST_CASE("a thread that the JVM refuses, or does not know, takes no signal") {
  FakeJvm jvm;
  jvm.attaches = false;
  const auto native = Answer();
  REQUIRE(StartNativeThread("native", [native] { native->set_value(Blocked()); }).ok());
  const std::set<int> blocked = native->get_future().get();
  for (const int signal : {SIGTERM, SIGURG, SIGCHLD, SIGPROF}) CHECK(blocked.contains(signal));
  CHECK(BlockedAttached(jvm) == blocked);
}

TEST_CASE("an attached thread that a thread without signals has started takes the program's") {
  const Starter starter;
  FakeJvm jvm;
  const auto answer = Answer();
  REQUIRE(StartNativeThread("native", [answer, &jvm] {
            answer->set_value(BlockedAttached(jvm));
          }).ok());
  CHECK(answer->get_future().get() == Blocked());
}

}  // namespace
}  // namespace iprof::vm
