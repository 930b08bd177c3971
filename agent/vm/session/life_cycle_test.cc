#include "agent/vm/session/life_cycle.h"

#include <atomic>
#include <catch2/catch.hpp>
#include <map>
#include <string>
#include <thread>
#include <vector>

namespace iprof::vm {
namespace {

SessionState State(size_t i) { return static_cast<SessionState>(i); }
SessionEvent Event(size_t i) { return static_cast<SessionEvent>(i); }

// "> recording" if the event is legal, otherwise its answer.
std::string Cell(SessionState state, SessionEvent event) {
  const Transition found = Look(state, event);
  if (found.is_legal) return "> " + std::string(NameOf(found.next));
  CHECK(found.next == state);
  return std::string(found.answer);
}

// Every cell of the table, as the agent's documentation describes it. "": ignored silently.
TEST_CASE("each event in each state") {
  const std::string loaded = "already loaded in this JVM; the options of the first load stand";
  const std::string over = "the program is ending";
  const std::string nothing = "nothing is being recorded";
  const std::string early = "the agent is still being loaded";
  const std::string stopped = "the recording is being stopped";
  const std::string resumed = "the recording is being started";
  const std::string runs = "the recording is running already";
  const std::map<std::string, std::vector<std::string>> expected{
      // idle, starting, recording, stopping, stopped, resuming, ended
      {"load", {"> starting", loaded, loaded, stopped, loaded, loaded, over}},
      {"attach", {"> starting", loaded, loaded, stopped, loaded, loaded, over}},
      {"started", {"", "> recording", "", "", "", "> recording", ""}},
      {"prepared", {"", "> stopped", "", "", "", "", ""}},
      {"start failed", {"", "> idle", "", "", "", "> stopped", ""}},
      {"VMStart", {"", "> starting", "> recording", "", "", "", ""}},
      {"VMInit", {"", "> starting", "> recording", "", "", "", ""}},
      {"dump", {nothing, early, "> recording", stopped, "> stopped", resumed, over}},
      {"stop", {nothing, early, "> stopping", stopped, nothing, resumed, over}},
      {"stopped", {"", "", "", "> stopped", "", "", ""}},
      {"start", {nothing, early, runs, stopped, "> resuming", resumed, over}},
      {"reset", {nothing, early, "> recording", stopped, "> stopped", resumed, over}},
      {"VMDeath", {"> ended", "> ended", "> ended", "> ended", "> ended", "> ended", ""}},
      {"unload", {"> idle", "> ended", "> ended", "> ended", "> ended", "> ended", "> ended"}},
  };
  REQUIRE(expected.size() == kSessionEvents);
  for (size_t e = 0; e < kSessionEvents; ++e) {
    const std::string event(NameOf(Event(e)));
    INFO(event);
    REQUIRE(expected.contains(event));
    for (size_t s = 0; s < kSessionStates; ++s) {
      INFO(NameOf(State(s)));
      CHECK(Cell(State(s), Event(e)) == expected.at(event)[s]);
    }
  }
}

TEST_CASE("nothing begins any more once the program has ended") {
  LifeCycle life;
  REQUIRE(life.Take(SessionEvent::kVmDeath).is_legal);
  for (size_t e = 0; e < kSessionEvents; ++e) {
    life.Take(Event(e));
    INFO(NameOf(Event(e)));
    CHECK(life.state() == SessionState::kEnded);
  }
}

TEST_CASE("a session runs from load to stop, and again from start to stop") {
  LifeCycle life;
  for (int round = 0; round < 3; ++round) {
    CHECK(life.state() == (round == 0 ? SessionState::kIdle : SessionState::kStopped));
    CHECK(life.Take(round == 0 ? SessionEvent::kAttach : SessionEvent::kStart).is_legal);
    CHECK(life.state() == (round == 0 ? SessionState::kStarting : SessionState::kResuming));
    CHECK(life.Take(SessionEvent::kStarted).is_legal);
    const LifeCycle::Taken again = life.Take(SessionEvent::kAttach);
    CHECK_FALSE(again.is_legal);
    CHECK(again.from == SessionState::kRecording);
    CHECK(again.answer == "already loaded in this JVM; the options of the first load stand");
    CHECK(life.Take(SessionEvent::kDump).is_legal);
    CHECK(life.state() == SessionState::kRecording);
    CHECK(life.Take(SessionEvent::kStop).is_legal);
    CHECK_FALSE(life.Take(SessionEvent::kDump).is_legal);
    CHECK(life.Take(SessionEvent::kStopped).is_legal);
  }
}

TEST_CASE("of many starts and stops at one moment exactly one is legal") {
  LifeCycle life;
  std::atomic<int> loads{0};
  std::atomic<int> stops{0};
  const auto race = [&](SessionEvent event, std::atomic<int>& won) {
    std::atomic<bool> go{false};
    std::vector<std::thread> threads;
    for (int i = 0; i < 8; ++i) {
      threads.emplace_back([&] {
        while (!go) std::this_thread::yield();
        if (life.Take(event).is_legal) ++won;
      });
    }
    go = true;
    for (std::thread& thread : threads) thread.join();
  };
  for (int round = 0; round < 50; ++round) {
    race(round == 0 ? SessionEvent::kAttach : SessionEvent::kStart, loads);
    REQUIRE(life.Take(SessionEvent::kStarted).is_legal);
    race(SessionEvent::kStop, stops);
    REQUIRE(life.Take(SessionEvent::kStopped).is_legal);
  }
  CHECK(loads == 50);
  CHECK(stops == 50);
}

}  // namespace
}  // namespace iprof::vm
