// ListeningTool: for tests, a tool that has called and listens at its socket.
//
// Threads: one. Failure: the test fails.
#pragma once

#include <poll.h>
#include <sys/socket.h>
#include <sys/un.h>

#include <catch2/catch.hpp>
#include <cstring>
#include <optional>
#include <string>
#include <string_view>
#include <utility>

#include "writer/base/open_file.h"
#include "writer/control/answer.h"
#include "writer/control/channel.h"

namespace iprof::vm {

class ListeningTool {
 public:
  explicit ListeningTool(const std::string& path)
      : listener_(socket(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0)) {
    sockaddr_un address{};
    address.sun_family = AF_UNIX;
    REQUIRE(path.size() < sizeof address.sun_path);
    std::memcpy(address.sun_path, path.data(), path.size());
    REQUIRE(bind(listener_.get(), reinterpret_cast<const sockaddr*>(&address), sizeof address) ==
            0);
    REQUIRE(listen(listener_.get(), 4) == 0);
  }

  // The agent's connection; nullopt: it did not come, and calls come at once.
  std::optional<OwnedFd> Accept() {
    pollfd waited{listener_.get(), POLLIN, 0};
    if (poll(&waited, 1, 0) != 1) return std::nullopt;
    return OwnedFd(accept4(listener_.get(), nullptr, nullptr, SOCK_CLOEXEC));
  }
  // Gives the command, if there is one, to who has connected.
  void Say(std::string_view command = {}) {
    std::optional<OwnedFd> accepted = Accept();
    REQUIRE(accepted);
    agent_.emplace(std::move(*accepted), [](int fd, short events) {
      pollfd waited{fd, events, 0};
      return poll(&waited, 1, 60'000) > 0 ? Status() : Status(Code::kIo, "no answer");
    });
    if (!command.empty()) REQUIRE(agent_->Say(control::FormatGreeting(command)).ok());
    REQUIRE(agent_->HearGreeting(control::Peer::kAgent).ok());
  }
  // Whether there is no answer yet.
  bool Waits(int most_ms) {
    pollfd waited{agent_->fd(), POLLIN, 0};
    return poll(&waited, 1, most_ms) == 0;
  }
  Result<control::Answer> Hear() {
    const Result<control::Message> message = agent_->Hear();
    return message.ok() ? control::ParseAnswer(message->payload) : message.status();
  }
  Result<control::Answer> Ask(std::string_view command = {}) {
    Say(command);
    return Hear();
  }

 private:
  OwnedFd listener_;
  std::optional<control::Channel> agent_;
};

}  // namespace iprof::vm
