#include "cli/terminal/console.h"

#include <unistd.h>

#include <cerrno>
#include <cstdlib>
#include <cstring>

#include "cli/terminal/terminal_text.h"
#include "cli/terminal/text_layout.h"

namespace iprof::cli {
namespace {

bool WantsColor(int fd) {
  const char* no_color = std::getenv("NO_COLOR");
  if (no_color != nullptr && *no_color != '\0') return false;
  const char* term = std::getenv("TERM");
  if (term == nullptr || std::strcmp(term, "dumb") == 0) return false;
  return isatty(fd) == 1;
}

// 0, or the errno of the write that failed.
int WriteAll(int fd, std::string_view text) {
  while (!text.empty()) {
    const ssize_t n = write(fd, text.data(), text.size());
    if (n < 0) {
      if (errno == EINTR) continue;
      return errno;
    }
    text.remove_prefix(static_cast<size_t>(n));
  }
  return 0;
}

}  // namespace

Console::Console(int out_fd, int err_fd) : out_fd_(out_fd), err_fd_(err_fd) {
  SetColor(ColorMode::kAuto);
}

Console::~Console() { Flush(); }

void Console::SetColor(ColorMode mode) {
  colored_ = mode == ColorMode::kAlways || (mode == ColorMode::kAuto && WantsColor(out_fd_));
  err_colored_ = mode == ColorMode::kAlways || (mode == ColorMode::kAuto && WantsColor(err_fd_));
}

void Console::WrapLines() {
  out_width_ = WidthOfTerminal(out_fd_);
  err_width_ = WidthOfTerminal(err_fd_);
}

void Console::Write(std::string_view text) {
  buffer_.append(text);
  if (buffer_.size() >= kFlushAt) Flush();
}

std::string Console::Bold(std::string_view text) const {
  return colored_ ? fmt::format("\x1b[1m{}\x1b[0m", text) : std::string(text);
}

void Console::Heading(std::string_view text) { Print("{}\n", Bold(text)); }

void Console::Message(std::string_view kind, std::string_view color, std::string_view message) {
  const std::string text = EscapeForTerminal(message);
  const std::string plain = fmt::format("iprof: {}: ", kind);
  std::string line = plain + text + "\n";
  if (err_width_ > 0) line = WithoutWideLines(line, err_width_);
  if (err_colored_)
    line.replace(0, plain.size(), fmt::format("iprof: \x1b[{}m{}:\x1b[0m ", color, kind));
  // If standard error itself fails, there is no way to report it.
  (void)WriteAll(err_fd_, line);
}

void Console::Warn(std::string_view message) { Message("warning", "33", message); }

ExitCode Console::Error(const Status& status) {
  Message("error", "31", status.message());
  return ExitCodeOf(status.code());
}

void Console::Flush() {
  if (buffer_.empty()) return;
  if (!broken_pipe_ && write_errno_ == 0) {
    const int error =
        WriteAll(out_fd_, out_width_ > 0 ? WithoutWideLines(buffer_, out_width_) : buffer_);
    if (error == EPIPE) {
      broken_pipe_ = true;
    } else {
      write_errno_ = error;
    }
  }
  buffer_.clear();
}

ExitCode Console::Finish(ExitCode wanted) {
  Flush();
  if (write_errno_ == 0) return wanted;
  return Error(Status(
      Code::kIo, fmt::format("cannot write to standard output: {}", std::strerror(write_errno_))));
}

}  // namespace iprof::cli
