// LoadedAgent: for tests, the agent loaded into a JVM that the test drives.
//
// Guarantees: ends the session's threads before the JVM is destroyed, and removes its folder and log.
// Threads: one. Failure: the test fails.
#pragma once

#include <unistd.h>

#include <catch2/catch.hpp>
#include <cstdlib>
#include <filesystem>
#include <memory>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "agent/settings/temporary_log.h"
#include "agent/vm/jvmti/fake_jvm.h"
#include "agent/vm/session/agent.h"
#include "writer/base/temporary_folder.h"
#include "writer/profile/io/byte_stream.h"

namespace iprof::vm {

struct LoadedAgent {
  FakeJvm jvm;
  TemporaryFolder folder;
  TemporaryLog log;
  Agent agent;
  std::filesystem::path out = folder.path() / "x.iprof";
  std::filesystem::path raw;  // empty: beside out

  ~LoadedAgent() {
    // Ends the session's threads before the JVM is destroyed.
    agent.OnVmDeath(jvm.jni());
  }

  Status Load(std::string_view text, SessionEvent event = SessionEvent::kLoad) {
    Agent::Attempt attempt(agent, event);
    REQUIRE(attempt.is_legal());
    auto parsed = ParseOptions(text);
    REQUIRE(parsed.ok());
    auto file_log = std::make_unique<Log>();
    file_log->SetVerbosity(2);
    REQUIRE(file_log->Open(log.path()).ok());
    return attempt.Start(
        jvm.vm(), std::move(*JvmtiEnvironment::Open(jvm.vm())),
        {.options = parsed->options, .out_path = out.string(), .raw_path = raw.string()},
        std::move(file_log));
  }
  bool Says(std::string_view part) const {
    for (const std::string& line : log.lines())
      if (line.find(part) != std::string::npos) return true;
    return false;
  }
};

// force=always: nothing runs in this JVM, so nothing is counted.
inline constexpr std::string_view kCalls =
    "jdk=n,branches=n,receivers=n,monitors=n,samples=n,force=always";

// Runs a command.
inline control::Answer Tell(LoadedAgent& l, std::string_view text,
                            const std::shared_ptr<Caller>& caller = nullptr) {
  const auto command = control::ParseCommand(text);
  REQUIRE(command.ok());
  return l.agent.Execute(l.jvm.jni(), *command, caller);
}

// A tool that takes profiles, and saves them or not.
class TakingTool final : public Caller {
 public:
  explicit TakingTool(bool saves = true) : saves_(saves) {}
  void Answer(const control::Answer& answer) override { answers.push_back(answer); }
  void Report(const control::Progress& progress) override { heard.push_back(progress); }
  ByteSink& profile() override { return taken_; }
  bool HasSaved() override { return saves_; }
  bool IsThere() const override { return is_there; }
  bool HasProfile() { return !taken_.text().empty(); }

  bool is_there = true;
  std::vector<control::Answer> answers;
  std::vector<control::Progress> heard;

 private:
  const bool saves_;
  StringSink taken_;
};

}  // namespace iprof::vm
