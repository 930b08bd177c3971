// Console: the output of a command: buffered standard output, messages on standard error, colour.
//
// Guarantees:
//  - A closed pipe (`iprof show x | head`) ends output silently; the command's exit code does
//    not change.
//  - Any other failed write (disk full) is remembered and becomes exit code 4 with one message.
//  - Colour only on a terminal, and not if NO_COLOR is set and not empty or TERM is dumb; --color
//    overrides both.
//  - Messages are escaped: a file name or a name from a profile cannot send control sequences to
//    the terminal.
// Threads: one, except Warn and Error, which write one line at a time from any thread.
// Failure: as above; Finish returns the exit code. Throws nothing but std::bad_alloc.
#pragma once

#include <fmt/core.h>

#include <iterator>
#include <string>
#include <string_view>

#include "cli/terminal/exit_code.h"
#include "writer/base/status.h"

namespace iprof::cli {

enum class ColorMode { kAuto, kAlways, kNever };

class Console {
 public:
  explicit Console(int out_fd = 1, int err_fd = 2);
  ~Console();
  Console(const Console&) = delete;
  Console& operator=(const Console&) = delete;

  void SetColor(ColorMode mode);
  // From now on, lines and messages that are wider than the terminal are broken between words. What is for a file or for
  // another program stays as it is.
  void WrapLines();
  int out_fd() const { return out_fd_; }
  int err_fd() const { return err_fd_; }

  template <typename... Args>
  void Print(fmt::format_string<Args...> format, Args&&... args) {
    fmt::format_to(std::back_inserter(buffer_), format, std::forward<Args>(args)...);
    if (buffer_.size() >= kFlushAt) Flush();
  }
  void Write(std::string_view text);

  // Prints a bold line with colour, otherwise plain text.
  void Heading(std::string_view text);
  std::string Bold(std::string_view text) const;

  void Warn(std::string_view message);
  // Prints the message of the status and returns its exit code.
  ExitCode Error(const Status& status);

  void Flush();
  // True once the reader of our output has closed the pipe: long output may stop early.
  bool broken_pipe() const { return broken_pipe_; }
  // Flushes, and returns the exit code of the process, given the one that the command wants.
  ExitCode Finish(ExitCode wanted);

 private:
  static constexpr size_t kFlushAt = 1 << 16;

  void Message(std::string_view kind, std::string_view color, std::string_view message);

  int out_fd_;
  int err_fd_;
  std::string buffer_;
  bool colored_ = false;
  bool err_colored_ = false;
  size_t out_width_ = 0;  // of lines; 0: of any width
  size_t err_width_ = 0;
  bool broken_pipe_ = false;
  int write_errno_ = 0;
};

}  // namespace iprof::cli
