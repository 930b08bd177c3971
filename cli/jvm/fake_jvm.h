// FakeJvm, for tests: a process of our own that plays the part of a HotSpot as seen from outside: a file
// "libjvm.so" mapped, a handler for SIGQUIT, the socket, and an answer to each request.
//
// Guarantees: it ends with its object. A test says what it does differently from a good JVM.
// Threads: one. Failure: the test fails.
#pragma once

#include <signal.h>
#include <sys/types.h>

#include <cstddef>
#include <functional>
#include <string>

namespace iprof::jvm {

class FakeJvm {
 public:
  struct Part {
    bool has_libjvm = true;
    bool listens = true;            // opens its socket when it is asked to
    int quit_handled_after_ms = 0;  // -1: never
    bool starts_elsewhere = false;  // has another working directory until it handles SIGQUIT
    bool loses_socket = false;      // opens its socket only when it is asked a second time
    bool drops_socket = false;      // removes its first socket after the first connection
    bool stops_when_asked = false;  // is stopped before it takes the first SIGQUIT
    bool knows_version_2 = false;
    // Gets the words of a request, joined by '|'; what it returns is sent as it is. Runs in the fake.
    std::function<std::string(const std::string&)> answer = [](const std::string& words) {
      return "0\n" + words;
    };
    bool hangs = false;        // reads a request and never answers
    bool dies = false;         // reads a request and ends
    std::string maps;          // another file that it has mapped, by the name that it gets
    size_t memory = 0;         // holds so many bytes more
    uid_t uid = 0;             // runs as this user; 0: as the test does
    bool in_own_root = false;  // its root is its folder (needs root)
    std::string tmp_link;      // in its root, /tmp is a link to this
  };

  explicit FakeJvm(Part part);
  FakeJvm() : FakeJvm(Part{}) {}
  ~FakeJvm();
  FakeJvm(const FakeJvm&) = delete;
  FakeJvm& operator=(const FakeJvm&) = delete;

  pid_t pid() const { return pid_; }
  const std::string& folder() const { return folder_; }  // also its working directory
  // Its /tmp, by a path of this process.
  std::string tmp() const;
  std::string socket_path() const;
  bool IsRunning() const;
  // Whether its working directory and its /tmp are free of what attaching puts there.
  bool IsTidy() const;
  void End();

 private:
  [[noreturn]] void Play(int ready);
  // Waits, with this signal mask, until it is asked to listen.
  int Listen(const sigset_t& before);

  Part part_;
  std::string folder_;
  pid_t pid_ = -1;
};

}  // namespace iprof::jvm
