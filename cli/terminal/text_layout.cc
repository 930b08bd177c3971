#include "cli/terminal/text_layout.h"

#include <sys/ioctl.h>
#include <unistd.h>

#include <algorithm>
#include <charconv>
#include <cstdlib>

namespace iprof::cli {
namespace {

constexpr size_t kLeastWidth = 60;
constexpr size_t kMostWidth = 10'000;
constexpr std::string_view kEllipsis = "…";

bool IsContinuation(char c) { return (static_cast<unsigned char>(c) & 0xC0) == 0x80; }

size_t FromEnvironment() {
  const char* columns = std::getenv("COLUMNS");
  if (columns == nullptr) return 0;
  size_t width = 0;
  const std::string_view text(columns);
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), width);
  return error == std::errc() && end == text.data() + text.size() ? width : 0;
}

// A number and its "%" are one word.
size_t EndOfWord(std::string_view text) {
  size_t end = text.find(' ');
  while (end != std::string_view::npos && text.substr(end).starts_with(" %"))
    end = text.find(' ', end + 1);
  return std::min(end, text.size());
}

}  // namespace

size_t WidthOfTerminal(int fd) {
  winsize terminal{};
  if (isatty(fd) != 1) return 0;
  size_t width = FromEnvironment();
  if (width == 0 && ioctl(fd, TIOCGWINSZ, &terminal) == 0) width = terminal.ws_col;
  return width == 0 ? Layout().width : std::clamp(width, kLeastWidth, kMostWidth);
}

std::string WithoutWideLines(std::string_view text, size_t width) {
  std::string out;
  while (!text.empty()) {
    const size_t end = text.find('\n');
    const std::string_view line = text.substr(0, end);
    text.remove_prefix(std::min(line.size() + 1, text.size()));
    if (end == std::string_view::npos || WidthOf(line) <= width) {
      out.append(line).append(end == std::string_view::npos ? "" : "\n");
      continue;
    }
    const size_t begin = std::min(line.find_first_not_of(' '), line.size());
    constexpr size_t kMore = 2;
    out += Paragraph(std::string(begin + kMore, ' '), line.substr(begin), {width, false})
               .substr(kMore);
  }
  return out;
}

Layout LayoutOf(const Console& console) {
  size_t width = FromEnvironment();
  winsize terminal{};
  if (width == 0 && ioctl(console.out_fd(), TIOCGWINSZ, &terminal) == 0) width = terminal.ws_col;
  return width == 0 ? Layout() : Layout{std::clamp(width, kLeastWidth, kMostWidth), true};
}

size_t WidthOf(std::string_view text) {
  return text.size() - static_cast<size_t>(std::ranges::count_if(text, IsContinuation));
}

std::string CutTo(std::string_view text, size_t width) {
  if (text.size() <= width || WidthOf(text) <= width) return std::string(text);
  if (width == 0) return {};
  const size_t behind = (width - 1) / 2;
  size_t end = 0;
  for (size_t columns = behind + 1; columns < width; ++columns) {
    do {
      ++end;
    } while (IsContinuation(text[end]));
  }
  size_t begin = text.size();
  for (size_t columns = 0; columns < behind; ++columns) {
    do {
      --begin;
    } while (IsContinuation(text[begin]));
  }
  return fmt::format("{}{}{}", text.substr(0, end), kEllipsis, text.substr(begin));
}

std::string Paragraph(std::string_view first, std::string_view text, const Layout& layout) {
  const size_t indent = WidthOf(first);
  const size_t room = std::max<size_t>(layout.Left(indent), 1);
  std::string out(first);
  size_t used = 0;
  while (!text.empty()) {
    const size_t end = EndOfWord(text);
    const std::string word = CutTo(text.substr(0, end), layout.cuts ? room : SIZE_MAX);
    text.remove_prefix(std::min(end + 1, text.size()));
    const size_t columns = WidthOf(word);
    if (used > 0 && used + 1 + columns > room) {
      out.append("\n").append(indent, ' ');
      used = 0;
    }
    if (used > 0) out += ' ';
    out += word;
    used += columns + (used > 0 ? 1 : 0);
  }
  return out + "\n";
}

std::string PercentOf(int64_t part, int64_t total) {
  if (part == 0 || total == 0) return "0.0 %";
  const double percent = 100 * static_cast<double>(part) / static_cast<double>(total);
  if (percent < 0.05) return "<0.1 %";
  return part < total && percent >= 99.95 ? ">99.9 %" : fmt::format("{:.1f} %", percent);
}

}  // namespace iprof::cli
