#include "cli/live/jvm_options.h"

#include <fmt/core.h>

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

OptionRow AddPid(OptionList& options, pid_t& pid) {
  return options
      .AddParsed(
          "pid", [&pid](const std::string& text) { return ParsePid(text, pid); },
          "The process id of the JVM")
      .Required()
      .Takes("PID");
}

OptionRow AddPidOrCore(OptionList& options, pid_t& pid, std::string& core) {
  return options
      .AddParsed(
          "pid",
          [&pid, &core](const std::string& text) {
            const size_t sign = text.starts_with('-') ? 1 : 0;
            const bool is_number = text.find_first_not_of("0123456789", sign) == std::string::npos;
            if (is_number) return ParsePid(text, pid);
            core = text;
            return std::string();
          },
          "The process id of the JVM, or its core file")
      .Required()
      .Takes("PID|CORE");
}

OptionRow AddTimeout(OptionList& options, jvm::AttachTimeouts& timeouts) {
  return options
      .AddParsed(
          "--timeout",
          [&timeouts](const std::string& text) {
            int seconds = 0;
            std::string problem = ParseSeconds(text, seconds);
            if (problem.empty()) timeouts.listen = timeouts.answer = std::chrono::seconds(seconds);
            return problem;
          },
          "How long to wait for the JVM (default: 10 until it listens, 300 for its answer)")
      .Takes("SECONDS");
}

}  // namespace iprof::cli
