#include "cli/jvm_options.h"

#include <fmt/format.h>

#include <charconv>
#include <string>

namespace iprof::cli {
namespace {

constexpr int kMostSeconds = 24 * 3600;

// Decimal and positive. Gives what is wrong with the text, or nothing.
std::string ParsePositive(const std::string& text, int most, std::string_view what, int& number) {
  const char* const end = text.data() + text.size();
  const auto parsed = std::from_chars(text.data(), end, number);
  if (parsed.ec == std::errc() && parsed.ptr == end && number > 0 && number <= most) return {};
  return fmt::format("'{}' is no {}", text, what);
}

std::string ParsePid(const std::string& text, int& pid) {
  return ParsePositive(text, 1 << 30, "process id ('iprof list' shows them)", pid);
}

std::string ParseSeconds(const std::string& text, int& seconds) {
  return ParsePositive(text, kMostSeconds, "time in whole seconds from 1 to 86400", seconds);
}

}  // namespace

CLI::Option* AddPid(CLI::App& app, pid_t& pid) {
  return app
      .add_option_function<std::string>(
          "pid",
          [&pid](const std::string& text) {
            int parsed = 0;
            if (ParsePid(text, parsed).empty()) pid = parsed;
          },
          "The process id of the JVM")
      ->required()
      ->type_name("PID")
      ->check([](const std::string& text) {
        int ignored = 0;
        return ParsePid(text, ignored);
      });
}

CLI::Option* AddTimeout(CLI::App& app, jvm::AttachTimeouts& timeouts) {
  return app
      .add_option_function<std::string>(
          "--timeout",
          [&timeouts](const std::string& text) {
            int seconds = 0;
            if (!ParseSeconds(text, seconds).empty()) return;
            timeouts.listen = timeouts.answer = std::chrono::seconds(seconds);
          },
          "How long to wait for the JVM (default: 10 until it listens, 300 for its answer)")
      ->type_name("SECONDS")
      ->check([](const std::string& text) {
        int ignored = 0;
        return ParseSeconds(text, ignored);
      });
}

}  // namespace iprof::cli
