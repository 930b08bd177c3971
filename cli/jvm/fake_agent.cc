#include "cli/jvm/fake_agent.h"

#include <poll.h>
#include <sys/socket.h>
#include <sys/un.h>
#include <unistd.h>

#include <algorithm>
#include <catch2/catch.hpp>
#include <cstring>
#include <fstream>
#include <functional>
#include <iterator>
#include <string>
#include <thread>
#include <utility>

namespace iprof::jvm {

using control::Outcome;

std::string ReadFile(const std::string& path) {
  std::ifstream file(path);
  return {std::istreambuf_iterator<char>(file), {}};
}

Status WaitLong(int fd, short events) {
  pollfd waited{fd, events, 0};
  return poll(&waited, 1, 60'000) > 0 ? Status() : Status(Code::kIo, "the tool says nothing");
}

OwnedFd ConnectToTool(const std::string& path) {
  sockaddr_un address{};
  address.sun_family = AF_UNIX;
  std::memcpy(address.sun_path, path.data(), std::min(path.size(), sizeof address.sun_path - 1));
  OwnedFd connection(socket(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0));
  if (connect(connection.get(), reinterpret_cast<const sockaddr*>(&address), sizeof address) != 0)
    connection.Close();
  return connection;
}

bool HearCall(const std::string& call, const Act& act) {
  OwnedFd connection = ConnectToTool(control::CalledTo(call));
  if (!connection.is_open()) return false;
  const auto channel = std::make_shared<control::Channel>(std::move(connection), WaitLong);
  std::thread([channel, act] {
    static_cast<void>(channel->Say(control::FormatGreeting()));
    const Result<std::string> text = channel->HearGreeting(control::Peer::kTool);
    if (!text.ok()) return;
    const Result<control::Command> command = control::ParseCommand(*text);
    if (command.ok()) act(*channel, *command);
  }).detach();
  return true;
}

void SayAnswer(control::Channel& channel, const control::Answer& answer) {
  static_cast<void>(channel.Send(control::Kind::kAnswer, control::FormatAnswer(answer)));
}

void Obey(control::Channel& channel, const control::Command& command) {
  std::string said = std::to_string(command.timeout.count());
  const control::ProfileWish* const profile = ProfileOf(command.wish);
  if (profile != nullptr && profile->sent != control::Sent::kNo) {
    control::ProfileSink sink(channel);
    static_cast<void>(sink.Write("the profile"));
    static_cast<void>(sink.Finish());
    const Result<control::Message> saved = channel.Hear();
    said = !saved.ok()                            ? "not saved: " + saved.status().message()
           : saved->kind == control::Kind::kSaved ? "saved"
                                                  : "not saved";
  }
  SayAnswer(channel, {std::string(VerbName(command.wish)), Outcome::kDone, said});
}

std::string OptionsIn(const std::string& request) { return request.substr(request.rfind('|') + 1); }

std::function<std::string(const std::string&)> Loads(const Act& act) {
  return [act](const std::string& request) -> std::string {
    if (!request.starts_with("load|")) return "-1\n";
    return HearCall(OptionsIn(request), act) ? kLoaded : "0\nreturn code: -1\n";
  };
}

FakeJvm::Part WithAgent() {
  FakeJvm::Part part;
  part.maps = "libiprofagent.so";
  part.answer = Loads(Obey);
  return part;
}

bool IsRoot() {
  if (geteuid() == 0) return true;
  WARN("not root: roots and users of other processes are not tested");
  return false;
}

Result<control::Answer> Send(const FakeJvm& fake, control::Wish wish,
                             const AttachTimeouts& timeouts, const TakeProfile& take) {
  return SendCommand({fake.pid(), {}}, {.wish = std::move(wish)}, timeouts, take);
}

std::string WhyNot(const FakeJvm& fake, const AttachTimeouts& timeouts) {
  const Result<control::Answer> answer = Send(fake, control::Describe(), timeouts);
  return answer.ok() ? "it was answered" : answer.status().message();
}

std::string NameOf(const FakeJvm& fake) { return "process " + std::to_string(fake.pid()); }

TakeProfile Into(std::string& text) {
  return [&text](ByteSource& profile) {
    char bytes[100];
    for (;;) {
      const Result<size_t> count = profile.Read(bytes, sizeof bytes);
      if (!count.ok() || *count == 0) return count.status();
      text.append(bytes, *count);
    }
  };
}

}  // namespace iprof::jvm
