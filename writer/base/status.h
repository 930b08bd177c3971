// Status and Result<T>: errors as values.
//
// Guarantees: no exceptions are used for expected failures; a failed Status carries one documented
// code and one sentence that names the option, file, class or byte offset that it is about. A
// Status is cheap when ok (no allocation).
// Threads: any; there is no global state.
// Failure: none but std::bad_alloc, for the message. Reading the value of a failed Result is a bug.
#pragma once

#include <string>
#include <utility>
#include <variant>

namespace iprof {

enum class Code {
  kOk = 0,
  kUsage,        // an option or argument is unknown, malformed or contradicts another
  kBadInput,     // bytes that do not follow their format
  kNothingYet,   // empty or well-formed, but its writer has only begun: there is nothing to read
  kUnsupported,  // well-formed, but of a version or kind that we do not support
  kIo,           // the operating system failed: open, write, rename, memory …
  kLimit,        // a documented limit was reached: memory limit, depth, size
  kInternal,     // our own logic failed; always a bug
};

class [[nodiscard]] Status {
 public:
  Status() = default;
  Status(Code code, std::string message) : code_(code), message_(std::move(message)) {}

  bool ok() const { return code_ == Code::kOk; }
  Code code() const { return code_; }
  const std::string& message() const { return message_; }

 private:
  Code code_ = Code::kOk;
  std::string message_;
};

// Either a T or a failed Status.
template <typename T>
class [[nodiscard]] Result {
 public:
  Result(T value) : state_(std::in_place_index<0>, std::move(value)) {}
  Result(Status status) : state_(std::in_place_index<1>, std::move(status)) {}

  bool ok() const { return state_.index() == 0; }
  T& value() { return std::get<0>(state_); }
  const T& value() const { return std::get<0>(state_); }
  T& operator*() { return value(); }
  const T& operator*() const { return value(); }
  T* operator->() { return &value(); }
  const T* operator->() const { return &value(); }
  Status status() const { return ok() ? Status() : std::get<1>(state_); }

 private:
  std::variant<T, Status> state_;
};

}  // namespace iprof
