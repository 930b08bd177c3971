#include "writer/control/command.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <charconv>
#include <limits>
#include <utility>
#include <vector>

#include "writer/base/nearest_name.h"
#include "writer/base/option_text.h"

namespace iprof::control {
namespace {

using std::chrono::milliseconds;

constexpr std::array<std::string_view, 8> kVerbs = {"start",  "stop",    "reset",   "dump",
                                                    "status", "harvest", "refresh", "saved"};
constexpr std::array<std::string_view, 11> kOptions = {
    "command", "timeout", "out",  "reply",    "duration", "estimate", "receivers-max-lost",
    "target",  "share",   "only", "recording"};
constexpr std::string_view kOnlySamples = "samples";
constexpr int64_t kMostPerMille = 1000;
constexpr int64_t kMostTarget = 99;
constexpr int64_t kMostRecordings = std::numeric_limits<int64_t>::max();

Status Bad(std::string message) { return Status(Code::kUsage, std::move(message)); }

std::string Escaped(std::string_view path) {
  std::string out;
  for (const char c : path) {
    if (c == ',' || c == '%' || IsControlCharacter(c)) {
      out += fmt::format("%{:02X}", static_cast<unsigned char>(c));
    } else {
      out += c;
    }
  }
  return out;
}

Result<std::string> ParsePath(std::string_view name, std::string_view text) {
  const auto bad = [&](std::string_view why) {
    return Bad(fmt::format("option '{}' {}, not '{}'", name, why, ShownOption(text)));
  };
  std::string path;
  for (size_t at = 0; at < text.size(); ++at) {
    if (text[at] != '%') {
      path += text[at];
      continue;
    }
    unsigned byte = 0;
    const char* const digits = text.data() + at + 1;
    if (text.size() - at < 3 || std::from_chars(digits, digits + 2, byte, 16).ptr != digits + 2) {
      return bad("must write a percent sign as %25");
    }
    path += static_cast<char>(byte);
    at += 2;
  }
  if (!path.starts_with('/')) return bad("must be an absolute path");
  if (path.find('\0') != std::string::npos) return bad("must not contain a zero byte");
  return path;
}

Result<milliseconds> ParseTime(std::string_view name, std::string_view text) {
  int64_t number = 0;
  const char* const end = text.data() + text.size();
  const auto parsed = std::from_chars(text.data(), end, number);
  const std::string_view unit(parsed.ptr, static_cast<size_t>(end - parsed.ptr));
  const int64_t unit_ms = unit == "ms" ? 1 : unit == "s" ? 1000 : 0;
  if (parsed.ec != std::errc() || unit_ms == 0 || number < 0 ||
      number > kLongestTime.count() / unit_ms) {
    return Bad(
        fmt::format("option '{}' must be a number with a unit, ms or s, and at most a day, "
                    "not '{}'",
                    name, ShownOption(text)));
  }
  return milliseconds(number * unit_ms);
}

Result<int64_t> ParseNumber(std::string_view name, std::string_view text, int64_t most) {
  int64_t number = 0;
  const char* const end = text.data() + text.size();
  const auto parsed = std::from_chars(text.data(), end, number);
  if (parsed.ec == std::errc() && parsed.ptr == end && number >= 0 && number <= most) return number;
  return Bad(fmt::format("option '{}' must be a number from 0 to {}, not '{}'", name, most,
                         ShownOption(text)));
}

Result<bool> ParseOnly(std::string_view name, std::string_view text) {
  if (text == kOnlySamples) return true;
  return Bad(
      fmt::format("option '{}' must be {}, not '{}'", name, kOnlySamples, ShownOption(text)));
}

// The command that an option belongs to.
Verb TakerOf(std::string_view option) {
  if (option == "share") return Verb::kRefresh;
  if (option == "recording") return Verb::kSaved;
  return option == "only" ? Verb::kReset : Verb::kHarvest;
}

Result<bool> ParseYesNo(std::string_view name, std::string_view text) {
  if (text == "y" || text == "n") return text == "y";
  return Bad(fmt::format("option '{}' must be y or n, not '{}'", name, ShownOption(text)));
}

std::string TimeText(milliseconds time) {
  const int64_t ms = time.count();
  return ms % 1000 == 0 ? fmt::format("{}s", ms / 1000) : fmt::format("{}ms", ms);
}

Result<Verb> ParseVerb(std::string_view text) {
  if (const auto verb = VerbNamed(text)) return *verb;
  std::string message = fmt::format("there is no command '{}'", ShownOption(text));
  const std::string_view nearest = NearestName(text, {kVerbs.begin(), kVerbs.end()});
  if (!nearest.empty()) message += fmt::format("; did you mean '{}'?", nearest);
  return Bad(std::move(message));
}

template <typename T>
Status Assign(Result<T> parsed, T& target) {
  if (parsed.ok()) target = std::move(*parsed);
  return parsed.status();
}

Status Store(std::string_view name, std::string_view value, Command& command) {
  if (name == "command") return Assign(ParseVerb(value), command.verb);
  if (name == "timeout") return Assign(ParseTime(name, value), command.timeout);
  if (name == "duration") return Assign(ParseTime(name, value), command.duration);
  if (name == "estimate") return Assign(ParseYesNo(name, value), command.estimate);
  if (name == "receivers-max-lost")
    return Assign(ParseNumber(name, value, kMostPerMille), command.receivers_max_lost);
  if (name == "share") return Assign(ParseNumber(name, value, kMostPerMille), command.share);
  if (name == "target") return Assign(ParseNumber(name, value, kMostTarget), command.target);
  if (name == "only") return Assign(ParseOnly(name, value), command.only_samples);
  if (name == "recording")
    return Assign(ParseNumber(name, value, kMostRecordings), command.recording);
  if (name == "out") return Assign(ParsePath(name, value), command.out);
  return Assign(ParsePath(name, value), command.reply);
}

}  // namespace

std::string_view VerbName(Verb verb) { return kVerbs[static_cast<size_t>(verb)]; }

std::optional<Verb> VerbNamed(std::string_view name) {
  const auto found = std::find(kVerbs.begin(), kVerbs.end(), name);
  if (found == kVerbs.end()) return std::nullopt;
  return static_cast<Verb>(found - kVerbs.begin());
}

bool IsCommand(std::string_view options) {
  const auto items = SplitOptions(options);
  return std::any_of(items.begin(), items.end(),
                     [](std::string_view item) { return item.starts_with("command="); });
}

bool NeedsNoAgent(std::string_view options) {
  const auto items = SplitOptions(options);
  return std::any_of(items.begin(), items.end(), [](std::string_view item) {
    return item == "command=harvest" || item == "command=refresh";
  });
}

Result<Command> ParseCommand(std::string_view text) {
  if (text.size() > kLongestCommand) {
    return Bad(fmt::format("a command has at most {} bytes, not {}", kLongestCommand, text.size()));
  }
  Command command;
  std::array<bool, kOptions.size()> given{};
  for (const std::string_view item : SplitOptions(text)) {
    const size_t equals = std::min(item.find('='), item.size());
    const std::string_view name = item.substr(0, equals);
    const auto known = std::find(kOptions.begin(), kOptions.end(), name);
    if (equals == item.size() || known == kOptions.end()) {
      return Bad(fmt::format("a command has no option '{}'", ShownOption(name)));
    }
    bool& seen = given[static_cast<size_t>(known - kOptions.begin())];
    if (std::exchange(seen, true)) return Bad(fmt::format("option '{}' is given twice", name));
    const Status stored = Store(name, item.substr(equals + 1), command);
    if (!stored.ok()) return stored;
  }
  if (!given[0]) return Bad("a command must begin with command=");
  constexpr std::array kWithOut = {Verb::kStart, Verb::kStop, Verb::kDump, Verb::kHarvest};
  const bool takes_out =
      std::find(kWithOut.begin(), kWithOut.end(), command.verb) != kWithOut.end();
  if (!command.out.empty() && !takes_out) {
    return Bad(fmt::format("command '{}' takes no out=", VerbName(command.verb)));
  }
  if (command.duration.count() != 0 && command.verb != Verb::kStart) {
    return Bad(fmt::format("command '{}' takes no duration=", VerbName(command.verb)));
  }
  if (command.verb == Verb::kHarvest && command.out.empty())
    return Bad("command 'harvest' needs out=");
  if (command.verb == Verb::kSaved && command.recording == 0)
    return Bad("command 'saved' needs recording=");
  for (size_t i = 5; i < kOptions.size(); ++i) {
    if (given[i] && command.verb != TakerOf(kOptions[i]))
      return Bad(fmt::format("command '{}' takes no {}=", VerbName(command.verb), kOptions[i]));
  }
  return command;
}

std::string FormatCommand(const Command& command) {
  std::string text = fmt::format("command={}", VerbName(command.verb));
  if (command.timeout != kDefaultTimeout) text += ",timeout=" + TimeText(command.timeout);
  if (command.duration.count() != 0) text += ",duration=" + TimeText(command.duration);
  if (command.verb == Verb::kHarvest) {
    text += fmt::format(",estimate={},receivers-max-lost={},target={}",
                        command.estimate ? 'y' : 'n', command.receivers_max_lost, command.target);
  }
  if (command.only_samples) text += fmt::format(",only={}", kOnlySamples);
  if (command.verb == Verb::kSaved) text += fmt::format(",recording={}", command.recording);
  if (command.verb == Verb::kRefresh) text += fmt::format(",share={}", command.share);
  if (!command.out.empty()) text += ",out=" + Escaped(command.out);
  if (!command.reply.empty()) text += ",reply=" + Escaped(command.reply);
  return text;
}

}  // namespace iprof::control
