#include "writer/control/command.h"

#include <fmt/core.h>

#include <algorithm>
#include <array>
#include <charconv>
#include <type_traits>
#include <utility>
#include <vector>

#include "writer/base/join_text.h"
#include "writer/base/nearest_name.h"
#include "writer/base/option_text.h"

namespace iprof::control {
namespace {

using std::chrono::milliseconds;

// In the order of Wish.
constexpr std::array<std::string_view, 7> kVerbs = {"status", "start",   "stop",   "reset",
                                                    "dump",   "harvest", "refresh"};
constexpr std::string_view kCommand = "command=";
constexpr std::array<std::string_view, 3> kSent = {"n", "plain", "gzip"};
constexpr std::array<std::string_view, 2> kForgotten = {"all", "samples"};

// The options of each command: visit(name, member, most), where `most` is for numbers.

template <typename Visit>
void VisitOptions(Describe& /*wish*/, Visit /*visit*/) {}
template <typename Visit>
void VisitOptions(Start& wish, Visit visit) {
  visit("duration", wish.duration, 0);
  visit("window", wish.window, 0);
  visit("folder", wish.folder, 0);
  visit("out", wish.out, 0);
}
template <typename Visit>
void VisitOptions(ProfileWish& wish, Visit visit) {
  visit("send", wish.sent, 0);
  visit("out", wish.out, 0);
}
template <typename Visit>
void VisitOptions(Reset& wish, Visit visit) {
  visit("only", wish.only, 0);
}
template <typename Visit>
void VisitOptions(Harvest& wish, Visit visit) {
  visit("estimate", wish.estimate, 0);
  visit("receivers-max-lost", wish.receivers_max_lost, 1000);
  visit("target", wish.target, 99);
  VisitOptions(static_cast<ProfileWish&>(wish), visit);
}
template <typename Visit>
void VisitOptions(Refresh& wish, Visit visit) {
  visit("share", wish.share, 1000);
}
template <typename Visit>
void VisitAll(Command& command, Visit visit) {
  visit("timeout", command.timeout, 0);
  visit("progress", command.progress, 0);
  std::visit([&](auto& wish) { VisitOptions(wish, visit); }, command.wish);
}

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

// Each Parse returns why not, as it follows "option 'x' "; empty: the member has the value.

std::string Parse(std::string_view text, std::string& path, int64_t /*most*/) {
  path.clear();
  for (size_t at = 0; at < text.size(); ++at) {
    if (text[at] != '%') {
      path += text[at];
      continue;
    }
    unsigned byte = 0;
    const char* const digits = text.data() + at + 1;
    if (text.size() - at < 3 || std::from_chars(digits, digits + 2, byte, 16).ptr != digits + 2) {
      return "must write a percent sign as %25";
    }
    path += static_cast<char>(byte);
    at += 2;
  }
  if (!path.starts_with('/')) return "must be an absolute path";
  return path.find('\0') == std::string::npos ? "" : "must not contain a zero byte";
}

std::string Parse(std::string_view text, milliseconds& time, int64_t /*most*/) {
  int64_t number = 0;
  const char* const end = text.data() + text.size();
  const auto parsed = std::from_chars(text.data(), end, number);
  const std::string_view unit(parsed.ptr, static_cast<size_t>(end - parsed.ptr));
  const int64_t unit_ms = unit == "ms" ? 1 : unit == "s" ? 1000 : 0;
  if (parsed.ec != std::errc() || unit_ms == 0 || number < 0 ||
      number > kLongestTime.count() / unit_ms) {
    return "must be a number with a unit, ms or s, and at most a day";
  }
  time = milliseconds(number * unit_ms);
  return "";
}

std::string Parse(std::string_view text, int64_t& number, int64_t most) {
  const char* const end = text.data() + text.size();
  int64_t value = 0;
  const auto parsed = std::from_chars(text.data(), end, value);
  if (parsed.ec != std::errc() || parsed.ptr != end || value < 0 || value > most)
    return fmt::format("must be a number from 0 to {}", most);
  number = value;
  return "";
}

std::string Parse(std::string_view text, bool& flag, int64_t /*most*/) {
  if (text != "y" && text != "n") return "must be y or n";
  flag = text == "y";
  return "";
}

template <typename Enum, size_t kCount>
std::string ParseWord(std::string_view text, const std::array<std::string_view, kCount>& words,
                      Enum& value) {
  const auto found = std::find(words.begin(), words.end(), text);
  if (found == words.end()) return fmt::format("must be {}", JoinText(words, " or "));
  value = static_cast<Enum>(found - words.begin());
  return "";
}
std::string Parse(std::string_view text, Sent& sent, int64_t /*most*/) {
  return ParseWord(text, kSent, sent);
}
std::string Parse(std::string_view text, Forgotten& forgotten, int64_t /*most*/) {
  return ParseWord(text, kForgotten, forgotten);
}

std::string TextOf(const std::string& path) { return Escaped(path); }
std::string TextOf(milliseconds time) {
  const int64_t ms = time.count();
  return ms % 1000 == 0 ? fmt::format("{}s", ms / 1000) : fmt::format("{}ms", ms);
}
std::string TextOf(int64_t number) { return std::to_string(number); }
std::string TextOf(bool flag) { return flag ? "y" : "n"; }
std::string TextOf(Sent sent) { return std::string(kSent[static_cast<size_t>(sent)]); }
std::string TextOf(Forgotten forgotten) {
  return std::string(kForgotten[static_cast<size_t>(forgotten)]);
}

template <size_t kIndex = 0>
Wish NewWish(size_t index) {
  if constexpr (kIndex + 1 < std::variant_size_v<Wish>) {
    if (index != kIndex) return NewWish<kIndex + 1>(index);
  }
  return Wish(std::in_place_index<kIndex>);
}

Result<Wish> ParseVerb(std::string_view text) {
  const auto found = std::find(kVerbs.begin(), kVerbs.end(), text);
  if (found != kVerbs.end()) return NewWish(static_cast<size_t>(found - kVerbs.begin()));
  std::string message = fmt::format("there is no command '{}'", ShownOption(text));
  const std::string_view nearest = NearestName(text, {kVerbs.begin(), kVerbs.end()});
  if (!nearest.empty()) message += fmt::format("; did you mean '{}'?", nearest);
  return Bad(std::move(message));
}

// Whether any command has this option.
bool IsOption(std::string_view name) {
  bool is_known = false;
  for (size_t i = 0; i < kVerbs.size(); ++i) {
    Command each{.wish = NewWish(i)};
    VisitAll(each, [&](std::string_view known, auto&, int64_t) { is_known |= known == name; });
  }
  return is_known;
}

Status Store(std::string_view name, std::string_view value, Command& command) {
  bool is_taken = false;
  std::string why;
  VisitAll(command, [&](std::string_view known, auto& member, int64_t most) {
    if (known != name) return;
    is_taken = true;
    why = Parse(value, member, most);
  });
  if (!why.empty())
    return Bad(fmt::format("option '{}' {}, not '{}'", name, why, ShownOption(value)));
  if (is_taken) return {};
  if (!IsOption(name)) return Bad(fmt::format("a command has no option '{}'", ShownOption(name)));
  return Bad(fmt::format("command '{}' takes no {}=", VerbName(command.wish), name));
}

Status Check(const Command& command) {
  const ProfileWish* const profile = ProfileOf(command.wish);
  if (profile == nullptr) return {};
  if (!profile->out.empty() && profile->sent != Sent::kNo)
    return Bad("a profile is written to out= or sent (send=), not both");
  if (std::holds_alternative<Harvest>(command.wish) && profile->out.empty() &&
      profile->sent == Sent::kNo)
    return Bad("command 'harvest' needs out= or send=");
  return {};
}

}  // namespace

std::string_view VerbName(const Wish& wish) { return kVerbs[wish.index()]; }

const ProfileWish* ProfileOf(const Wish& wish) {
  return std::visit(
      [](const auto& each) -> const ProfileWish* {
        if constexpr (std::is_base_of_v<ProfileWish, std::decay_t<decltype(each)>>) return &each;
        return nullptr;
      },
      wish);
}

std::string CallTo(std::string_view socket) { return std::string(kCommand) + Escaped(socket); }

std::string CalledTo(std::string_view options) {
  for (const std::string_view item : SplitOptions(options)) {
    if (!item.starts_with(kCommand)) continue;
    std::string socket;
    const std::string_view text = item.substr(kCommand.size());
    return Parse(text, socket, 0).empty() ? socket : std::string(text);
  }
  return {};
}

Result<Command> ParseCommand(std::string_view text) {
  if (text.size() > kLongestCommand) {
    return Bad(fmt::format("a command has at most {} bytes, not {}", kLongestCommand, text.size()));
  }
  const std::vector<std::string_view> items = SplitOptions(text);
  if (items.empty() || !items.front().starts_with(kCommand))
    return Bad("a command must begin with command=");
  Result<Wish> wish = ParseVerb(items.front().substr(kCommand.size()));
  if (!wish.ok()) return wish.status();
  Command command{.wish = std::move(*wish)};
  std::vector<std::string_view> given{"command"};
  for (size_t i = 1; i < items.size(); ++i) {
    const size_t equals = std::min(items[i].find('='), items[i].size());
    const std::string_view name = items[i].substr(0, equals);
    if (equals == items[i].size())
      return Bad(fmt::format("a command has no option '{}'", ShownOption(name)));
    if (std::find(given.begin(), given.end(), name) != given.end())
      return Bad(fmt::format("option '{}' is given twice", ShownOption(name)));
    given.push_back(name);
    if (Status stored = Store(name, items[i].substr(equals + 1), command); !stored.ok())
      return stored;
  }
  if (Status status = Check(command); !status.ok()) return status;
  return command;
}

std::string FormatCommand(const Command& command) {
  std::string text = fmt::format("{}{}", kCommand, VerbName(command.wish));
  Command given = command;
  Command usual{.wish = NewWish(command.wish.index())};
  std::vector<std::string> defaults;
  VisitAll(usual,
           [&](std::string_view, auto& member, int64_t) { defaults.push_back(TextOf(member)); });
  size_t at = 0;
  VisitAll(given, [&](std::string_view name, auto& member, int64_t) {
    const std::string value = TextOf(member);
    if (value != defaults[at++]) text += fmt::format(",{}={}", name, value);
  });
  return text;
}

}  // namespace iprof::control
