// For tests: the agent in a FakeJvm, and commands to it.
//
// Guarantees: it speaks as an agent does, with the product's own Channel. A test says what it does with a command.
// Threads: one in the test; in the fake, an agent acts on a thread of its own.
// Failure: what a test's tool then hears.
//
// Example: a JVM whose agent closes the connection without an answer.
//   FakeJvm::Part part = WithAgent();
//   part.answer = Loads([](control::Channel&, const control::Command&) {});
//   CHECK(WhyNot(FakeJvm(part)).find("closed the connection without an answer") != std::string::npos);
#pragma once

#include <sys/types.h>

#include <chrono>
#include <functional>
#include <string>

#include "cli/jvm/agent_control.h"
#include "cli/jvm/fake_jvm.h"

namespace iprof::jvm {

constexpr AttachTimeouts kPatient{std::chrono::seconds(60), std::chrono::seconds(60)};
constexpr AttachTimeouts kShortAnswer{std::chrono::seconds(60), std::chrono::milliseconds(500)};
constexpr uid_t kSomebody = 65534;
// What a JVM answers to a load.
constexpr char kLoaded[] = "0\nreturn code: 0\n";
constexpr char kForbidden[] =
    "0\nDynamic agent loading is not enabled. Use -XX:+EnableDynamicAgentLoading to launch target "
    "VM.";

// In the fake.

// What an agent does with a command that it was given; `channel` is its connection.
using Act = std::function<void(control::Channel& channel, const control::Command& command)>;

// Waits for a minute.
Status WaitLong(int fd, short events);

// An agent's connection to the tool at this socket; not open if the agent cannot connect.
OwnedFd ConnectToTool(const std::string& path);

// Connects at once, and acts on a thread of its own, as the tool speaks when the JVM has answered. False: there is no tool.
bool HearCall(const std::string& call, const Act& act);

void SayAnswer(control::Channel& channel, const control::Answer& answer);

// Does as an agent does. Its message is how long the command may wait, or whether a profile that it sent is saved.
void Obey(control::Channel& channel, const control::Command& command);

// The agent's options in a request "load|PATH|true|OPTIONS".
std::string OptionsIn(const std::string& request);

// In the test.

// A JVM's answers, whose agent acts so when it is called.
std::function<std::string(const std::string&)> Loads(const Act& act);

// A JVM whose agent obeys.
FakeJvm::Part WithAgent();

bool IsRoot();

Result<control::Answer> Send(const FakeJvm& fake, control::Wish wish,
                             const AttachTimeouts& timeouts = kPatient,
                             const TakeProfile& take = {});

// The failure of a command.
std::string WhyNot(const FakeJvm& fake, const AttachTimeouts& timeouts = kPatient);

// As messages name it: "process 4711".
std::string NameOf(const FakeJvm& fake);

// Takes all of a profile.
TakeProfile Into(std::string& text);

std::string ReadFile(const std::string& path);

}  // namespace iprof::jvm
