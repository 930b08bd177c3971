#include "cli/jvm/attach_protocol.h"

#include <fmt/core.h>

#include <charconv>
#include <optional>

namespace iprof::jvm {
namespace {

constexpr size_t kArgumentsOfVersion1 = 3;
constexpr size_t kMostBytesOfVersion1 = 1024;       // of an argument
constexpr size_t kMostBytesOfVersion2 = 256 << 10;  // of a whole request
constexpr int kBadVersion = 101;

// The number that a text begins with.
std::optional<int> LeadingNumber(std::string_view text, std::string_view& rest) {
  int number = 0;
  const char* const end = text.data() + text.size();
  const auto parsed = std::from_chars(text.data(), end, number);
  if (parsed.ec != std::errc()) return std::nullopt;
  rest = std::string_view(parsed.ptr, static_cast<size_t>(end - parsed.ptr));
  return number;
}

// One line of at most 300 bytes, for messages.
std::string Excerpt(std::string_view text) {
  while (!text.empty() && (text.back() == '\n' || text.back() == ' ')) text.remove_suffix(1);
  std::string out(text.substr(0, 300));
  for (char& c : out) {
    if (c == '\n') c = ' ';
  }
  return out;
}

std::string Joined(const RequestWords& words) {
  std::string body;
  for (const std::string& word : words) body.append(word).push_back('\0');
  return body;
}

}  // namespace

bool FitsVersion1(const RequestWords& words) {
  if (words.size() > 1 + kArgumentsOfVersion1) return false;
  for (const std::string& word : words) {
    if (word.size() > kMostBytesOfVersion1) return false;
  }
  return true;
}

Result<std::string> EncodeRequest(ProtocolVersion version, const RequestWords& words) {
  for (const std::string& word : words) {
    if (word.find('\0') != std::string::npos) {
      return Status(Code::kUsage, "a request to a JVM cannot hold a zero byte");
    }
  }
  if (version == ProtocolVersion::k1) {
    if (words.empty() || words.size() > 1 + kArgumentsOfVersion1) {
      return Status(Code::kInternal, "a request needs a command and at most three arguments");
    }
    for (const std::string& word : words) {
      if (word.size() <= kMostBytesOfVersion1) continue;
      return Status(Code::kLimit,
                    fmt::format("this JVM takes at most {} bytes of options or path, and there are "
                                "{} (JDK 25 and later take more): shorten them",
                                kMostBytesOfVersion1, word.size()));
    }
    RequestWords padded = words;
    padded.resize(1 + kArgumentsOfVersion1);
    return std::string("1") + '\0' + Joined(padded);
  }
  const std::string body = Joined(words);
  if (body.size() > kMostBytesOfVersion2) {
    return Status(Code::kLimit, fmt::format("a JVM takes at most {} bytes in one request, and "
                                            "there are {}: shorten the options",
                                            kMostBytesOfVersion2, body.size()));
  }
  return std::string("2") + '\0' + std::to_string(body.size()) + '\0' + body;
}

Result<Answer> ParseAnswer(std::string_view bytes) {
  Answer answer;
  std::string_view rest;
  const auto code = LeadingNumber(bytes, rest);
  if (!code || !rest.starts_with('\n')) {
    return Status(Code::kUnsupported,
                  bytes.empty()
                      ? std::string("it closed the connection without an answer: it is ending, or "
                                    "takes no requests of this user and group")
                      : fmt::format("its answer is not one of HotSpot: '{}'", Excerpt(bytes)));
  }
  answer.code = *code;
  answer.text = rest.substr(1);
  if (answer.code == kBadVersion) {
    return Status(Code::kUnsupported, "it does not know this version of the attach protocol");
  }
  return answer;
}

ProtocolVersion VersionIn(const Answer& answer) {
  std::string_view rest;
  const auto version = LeadingNumber(answer.text, rest);
  return answer.code == 0 && version && *version >= 2 ? ProtocolVersion::k2 : ProtocolVersion::k1;
}

// JDK 17 answers with a code other than 0, later ones with 0 and the same text.
bool ForbidsLoading(const Answer& answer) {
  return answer.text.starts_with("Dynamic agent loading is not enabled");
}

Status JudgeLoad(const Answer& answer, std::string_view library) {
  constexpr std::string_view kReturnCode = "return code: ";
  const std::string_view text = answer.text;
  if (ForbidsLoading(answer)) {
    return Status(
        Code::kUnsupported,
        "it runs with -XX:-EnableDynamicAgentLoading, which forbids loading agents: start "
        "it with -agentpath, or without that flag");
  }
  if (text.find("only permitted in the live phase") != std::string_view::npos) {
    return Status(Code::kIo, "it takes no agents now: it is ending, or is still starting");
  }
  if (text.starts_with(kReturnCode)) {
    std::string_view rest;
    const auto code = LeadingNumber(text.substr(kReturnCode.size()), rest);
    if (answer.code == 0 && code == 0) return Status();
    if (code && *code != 0) {
      return Status(Code::kUnsupported,
                    "the agent refused to start: the program's standard error, or the file of "
                    "log=, says why");
    }
  }
  if (text.find(" was not loaded.") != std::string_view::npos) {
    const size_t line = text.find('\n');
    const std::string_view reason = line == std::string_view::npos ? text : text.substr(line + 1);
    return Status(Code::kIo, fmt::format("the JVM cannot load {}: {}", library,
                                         Excerpt(reason.empty() ? text : reason)));
  }
  return Status(Code::kUnsupported,
                fmt::format("the JVM did not load the agent: it answered '{}' with code {}",
                            Excerpt(text), answer.code));
}

}  // namespace iprof::jvm
