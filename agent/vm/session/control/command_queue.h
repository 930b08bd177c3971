// CommandQueue: lets commands run one at a time, in order of arrival.
//
// A command takes its place when it arrives, and later waits for its turn on a thread of its own. While the queue
// is held, only commands that change nothing get the turn.
//
// Guarantees: at most one command has the turn. A command that gives up, or whose place is destroyed,
// holds up no other. After Close, every command is refused, also while the queue is held.
// Threads: any; no lock is held while a command runs. A place is used by one thread at a time.
// Failure: Wait says which command was running when the time was over, or that the JVM was still starting.
#pragma once

#include <chrono>
#include <condition_variable>
#include <cstdint>
#include <deque>
#include <mutex>
#include <string>
#include <string_view>

#include "writer/base/status.h"

namespace iprof::vm {

class CommandQueue {
 public:
  // At most this many commands wait. More would only time out.
  static constexpr size_t kMostWaiting = 32;

  // Whether that limit holds for a command. kAsks: it does, and a command that changes nothing waits for no Release.
  enum class Entry : uint8_t { kLimited, kAlways, kAsks };

  // A place in the queue, and then the turn. Its end lets the next command run.
  class Place {
   public:
    Place(CommandQueue& queue, std::string_view name, Entry entry = Entry::kLimited);
    ~Place();
    Place(const Place&) = delete;
    Place& operator=(const Place&) = delete;

    // Waits for the turn. On failure (kLimit: too long or too many, kUsage: closed) the place is lost.
    Status Wait(std::chrono::milliseconds timeout);

   private:
    CommandQueue& queue_;
    const std::string name_;
    const bool asks_;
    const uint64_t number_;
    bool has_turn_ = false;
  };

  CommandQueue() = default;
  CommandQueue(const CommandQueue&) = delete;
  CommandQueue& operator=(const CommandQueue&) = delete;

  // From now on commands wait until Release: the JVM is starting. A command that runs goes on.
  void Hold();
  void Release();

  // The commands that wait give up at once. The one that runs goes on.
  void Close();

 private:
  static constexpr uint64_t kNoPlace = 0;

  uint64_t Arrive(Entry entry);
  bool IsNext(uint64_t number, bool asks) const;
  void Leave(uint64_t number);

  std::mutex mutex_;  // guards all that follows
  std::condition_variable changed_;
  uint64_t arrived_ = 0;
  std::deque<uint64_t> waiting_;  // numbers, in order of arrival
  std::string running_;           // the name; empty: none
  bool is_held_ = false;
  bool is_closed_ = false;
};

}  // namespace iprof::vm
