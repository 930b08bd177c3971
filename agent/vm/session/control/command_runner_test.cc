#include "agent/vm/session/control/command_runner.h"

#include <algorithm>
#include <atomic>
#include <catch2/catch.hpp>
#include <chrono>
#include <condition_variable>
#include <cstdlib>
#include <memory>
#include <mutex>
#include <stdexcept>
#include <string>
#include <thread>
#include <vector>

#include "agent/vm/jvmti/fake_jvm.h"
#include "writer/profile/io/byte_stream.h"

namespace iprof::vm {
namespace {

using namespace std::chrono_literals;
using control::Answer;
using control::Command;
using control::Outcome;

// Answers as they come.
class Answers : public Caller, public std::enable_shared_from_this<Answers> {
 public:
  std::shared_ptr<Caller> Here() { return shared_from_this(); }
  void Answer(const control::Answer& answer) override {
    Add(answer.command + ": " + answer.message);
  }
  void Report(const control::Progress& /*progress*/) override {}
  ByteSink& profile() override { return sink_; }
  bool HasSaved() override { return false; }
  bool IsThere() const override { return true; }
  void Add(const std::string& text) {
    const std::lock_guard lock(mutex_);
    all_.push_back(text);
    changed_.notify_all();
  }
  std::vector<std::string> First(size_t count) {
    std::unique_lock lock(mutex_);
    changed_.wait_for(lock, 1min, [&] { return all_.size() >= count; });
    return all_;
  }

 private:
  std::mutex mutex_;
  std::condition_variable changed_;
  std::vector<std::string> all_;
  StringSink sink_;
};

std::vector<std::string> Sorted(std::vector<std::string> texts) {
  std::sort(texts.begin(), texts.end());
  return texts;
}

struct Fixture {
  // They live for the whole process, as in the agent: a thread may still be leaving them.
  static FakeJvm& Jvm() {
    static FakeJvm& jvm = *new FakeJvm;
    return jvm;
  }
  std::shared_ptr<Answers> shared_answers = std::make_shared<Answers>();
  Answers& answers = *shared_answers;
  std::shared_ptr<Answers> shared_ran = std::make_shared<Answers>();  // the commands, in order
  std::shared_ptr<std::atomic<bool>> shared_held = std::make_shared<std::atomic<bool>>(false);
  std::atomic<bool>& held = *shared_held;
  std::shared_ptr<CommandRunner> runner = CommandRunner::Make(
      Jvm().vm(),
      [held = shared_held, ran = shared_ran](JNIEnv* jni, const Command& command,
                                             const std::shared_ptr<Caller>&) -> Answer {
        const std::string verb(VerbName(command.wish));
        ran->Add(verb);
        if (verb == "reset") throw std::runtime_error("no memory");
        if (verb == "harvest") throw 1;
        while (*held && verb == "stop") std::this_thread::sleep_for(1ms);
        return {verb, Outcome::kDone, jni == nullptr ? "unattached" : "ran"};
      },
      [answers = shared_answers](const std::string& why) { answers->Add(why); });
};

}  // namespace

TEST_CASE("Each command gets one answer, in order of arrival", "[command_runner]") {
  Fixture f;
  f.held = true;
  f.runner->Submit("command=stop", f.answers.Here());
  f.runner->Submit("command=dump", f.answers.Here());
  f.runner->Submit("command=start", f.answers.Here());
  f.held = false;
  CHECK(f.answers.First(3).size() == 3);
  CHECK(f.shared_ran->First(3) == std::vector<std::string>{"stop", "dump", "start"});
}

TEST_CASE("A command that waits too long names the one that runs", "[command_runner]") {
  Fixture f;
  f.held = true;
  f.runner->Submit("command=stop", f.answers.Here());
  f.shared_ran->First(1);
  f.runner->Submit("command=status,timeout=10ms", f.answers.Here());
  CHECK(f.answers.First(1).front() ==
        "status: the command waited too long: 'stop' is still running");
  f.held = false;
  CHECK(f.answers.First(2).back() == "stop: ran");
}

TEST_CASE("Bad commands and exceptions become answers", "[command_runner]") {
  Fixture f;
  f.runner->Submit("command=sotp", f.answers.Here());
  CHECK(f.answers.First(1).front().find("sotp") != std::string::npos);
  f.runner->Submit("command=reset", f.answers.Here());
  CHECK(f.answers.First(2).back() == "reset: no memory");
  f.runner->Submit("command=harvest,out=/tmp/x.iprof", f.answers.Here());
  CHECK(f.answers.First(3).back() == "harvest: unknown exception");
}

TEST_CASE("A scheduled command runs after its time, unless it is cancelled", "[command_runner]") {
  Fixture f;
  f.runner->Schedule(1ms, {control::Reset()});
  CHECK(f.answers.First(1).front() == "the command 'reset' was not carried out: no memory");
  f.runner->Schedule(1h, {control::Reset()});
  f.runner->Cancel();
  f.runner->Schedule(1ms, {control::Reset()});
  CHECK(f.answers.First(2).size() == 2);
}

TEST_CASE("A scheduled command waits as long as the one that runs", "[command_runner]") {
  Fixture f;
  f.held = true;
  f.runner->Submit("command=stop", f.answers.Here());
  f.shared_ran->First(1);
  for (size_t i = 0; i < CommandQueue::kMostWaiting; ++i)
    f.runner->Submit("command=status", f.answers.Here());
  Command start{control::Start()};
  start.timeout = 0ms;
  f.runner->Schedule(1ms, start);
  std::this_thread::sleep_for(100ms);  // a command that gives up has done so by then
  f.held = false;
  const auto ran = f.shared_ran->First(CommandQueue::kMostWaiting + 2);
  REQUIRE(ran.size() == CommandQueue::kMostWaiting + 2);
  CHECK(ran.back() == "start");
}

TEST_CASE("A scheduled command that waits for its turn can be cancelled and replaced",
          "[command_runner]") {
  Fixture f;
  f.held = true;
  f.runner->Submit("command=stop", f.answers.Here());
  f.shared_ran->First(1);
  f.runner->Schedule(1ms, {control::Dump()});
  std::this_thread::sleep_for(100ms);  // it waits for its turn
  SECTION("by a cancel") { f.runner->Cancel(); }
  SECTION("by another schedule") { f.runner->Schedule(1h, {control::Start()}); }
  f.runner->Submit("command=status", f.answers.Here());
  f.held = false;
  // A command gives up its turn before it answers, so the answers come in any order.
  CHECK(Sorted(f.answers.First(2)) == std::vector<std::string>{"status: ran", "stop: ran"});
  CHECK(f.shared_ran->First(2) == std::vector<std::string>{"stop", "status"});
  f.runner->Cancel();
}

TEST_CASE("At the end the commands that wait are refused", "[command_runner]") {
  Fixture f;
  f.held = true;
  f.runner->Submit("command=stop", f.answers.Here());
  f.shared_ran->First(1);
  f.runner->Submit("command=dump", f.answers.Here());
  f.runner->Close();
  CHECK(f.answers.First(1).front() == "dump: the program is ending");
  f.held = false;
  f.answers.First(2);
}

TEST_CASE("A JVM that takes no more threads is told from one that is ending", "[command_runner]") {
  Fixture f;
  f.Jvm().attaches = false;
  f.runner->Submit("command=status", f.answers.Here());
  CHECK(f.answers.First(1).back() == "status: the JVM takes no more threads");
  f.runner->Close();
  f.runner->Submit("command=status", f.answers.Here());
  CHECK(f.answers.First(2).back() == "status: the program is ending");
  f.Jvm().attaches = true;
}

}  // namespace iprof::vm
