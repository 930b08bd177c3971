#include "agent/vm/session/control/command_queue.h"

#include <fmt/core.h>

#include <algorithm>

namespace iprof::vm {

CommandQueue::Place::Place(CommandQueue& queue, std::string_view name, Entry entry)
    : queue_(queue), name_(name), asks_(entry == Entry::kAsks), number_(queue.Arrive(entry)) {}

CommandQueue::Place::~Place() {
  if (!has_turn_) {
    queue_.Leave(number_);
    return;
  }
  const std::lock_guard lock(queue_.mutex_);
  queue_.running_.clear();
  queue_.changed_.notify_all();
}

Status CommandQueue::Place::Wait(std::chrono::milliseconds timeout) {
  std::unique_lock lock(queue_.mutex_);
  if (number_ == kNoPlace)
    return {Code::kLimit,
            fmt::format("{} commands are waiting already: try again later", kMostWaiting)};
  const bool in_time = queue_.changed_.wait_for(
      lock, timeout, [this] { return queue_.is_closed_ || queue_.IsNext(number_, asks_); });
  if (queue_.is_closed_) return {Code::kUsage, "the program is ending"};
  if (!in_time) {
    if (queue_.is_held_)
      return {Code::kLimit, "the command waited too long: the JVM is still starting"};
    if (queue_.running_.empty())
      return {Code::kLimit, "the command waited too long for those before it"};
    return {Code::kLimit,
            fmt::format("the command waited too long: '{}' is still running", queue_.running_)};
  }
  queue_.waiting_.erase(std::find(queue_.waiting_.begin(), queue_.waiting_.end(), number_));
  queue_.running_ = name_;
  has_turn_ = true;
  return {};
}

uint64_t CommandQueue::Arrive(Entry entry) {
  const std::lock_guard lock(mutex_);
  if (entry != Entry::kAlways && waiting_.size() >= kMostWaiting) return kNoPlace;
  waiting_.push_back(++arrived_);
  return arrived_;
}

// While the queue is held, only a command that changes nothing is next.
bool CommandQueue::IsNext(uint64_t number, bool asks) const {
  if (!running_.empty()) return false;
  return is_held_ ? asks : waiting_.front() == number;
}

void CommandQueue::Leave(uint64_t number) {
  const std::lock_guard lock(mutex_);
  const auto at = std::find(waiting_.begin(), waiting_.end(), number);
  if (at != waiting_.end()) waiting_.erase(at);
  changed_.notify_all();
}

void CommandQueue::Hold() {
  const std::lock_guard lock(mutex_);
  is_held_ = true;
}

void CommandQueue::Release() {
  const std::lock_guard lock(mutex_);
  is_held_ = false;
  changed_.notify_all();
}

void CommandQueue::Close() {
  const std::lock_guard lock(mutex_);
  is_closed_ = true;
  changed_.notify_all();
}

}  // namespace iprof::vm
