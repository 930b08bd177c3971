#include "cli/terminal/progress.h"

#include <fmt/core.h>
#include <unistd.h>

#include <algorithm>
#include <cstdlib>
#include <cstring>

#include "cli/terminal/terminal_text.h"

namespace iprof::cli {
namespace {

constexpr auto kQuietTime = std::chrono::seconds(1);
constexpr auto kRedrawEvery = std::chrono::milliseconds(100);
constexpr size_t kBarWidth = 30;
constexpr size_t kTextWidth = 38;  // with bar and percentage less than 80

bool CanDraw(int fd) {
  const char* term = std::getenv("TERM");
  return term != nullptr && std::strcmp(term, "dumb") != 0 && isatty(fd) == 1;
}

void WriteTerminal(int fd, std::string_view text) {
  // If the terminal is gone, ignore the failure.
  [[maybe_unused]] const ssize_t written = write(fd, text.data(), text.size());
}

}  // namespace

std::string ProgressLine(std::string_view what, uint64_t done, uint64_t total,
                         std::string_view unit) {
  std::string text = EscapeForTerminal(what);
  if (text.size() > kTextWidth) text = "..." + text.substr(text.size() - kTextWidth + 3);
  if (total == 0) return fmt::format("{} {}  {}", done, unit, text);
  const uint64_t bounded = std::min(done, total);
  const double share = static_cast<double>(bounded) / static_cast<double>(total);
  const auto filled = static_cast<size_t>(share * static_cast<double>(kBarWidth));
  return fmt::format("[{:#<{}}{:.<{}}] {:3.0f}%  {}", "", filled, "", kBarWidth - filled,
                     share * 100, text);
}

Progress::Progress(const Console& console, std::string what)
    : fd_(console.err_fd()),
      what_(std::move(what)),
      enabled_(CanDraw(console.err_fd())),
      next_draw_(Clock::now() + kQuietTime) {}

Progress::~Progress() {
  if (drawn_) WriteTerminal(fd_, "\r\x1b[K");
}

void Progress::Update(uint64_t done, uint64_t total, std::string_view unit) {
  if (!enabled_) return;
  const Clock::time_point now = Clock::now();
  if (now < next_draw_) return;
  next_draw_ = now + kRedrawEvery;
  drawn_ = true;
  WriteTerminal(fd_, "\r" + ProgressLine(what_, done, total, unit) + "\x1b[K");
}

}  // namespace iprof::cli
