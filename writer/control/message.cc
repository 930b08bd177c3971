#include "writer/control/message.h"

#include <fmt/core.h>

#include <algorithm>
#include <charconv>

namespace iprof::control {
namespace {

constexpr std::string_view kProtocol = "iprof/";
constexpr int kVersion = 3;
constexpr size_t kHeader = 5;

uint32_t LengthIn(std::string_view header) {
  uint32_t length = 0;
  for (size_t i = 1; i < kHeader; ++i) length = length << 8 | static_cast<unsigned char>(header[i]);
  return length;
}

bool IsKnown(char letter) {
  constexpr std::string_view kLetters = "DESAP";
  return kLetters.find(letter) != std::string_view::npos;
}

Status OtherRelease(Peer peer) {
  return {Code::kUnsupported, peer == Peer::kAgent
                                  ? "the agent is of another release than this tool: use the tool "
                                    "of the agent's release"
                                  : "the tool is of another release than this agent: use the tool "
                                    "of the agent's release"};
}

}  // namespace

std::string FormatGreeting(std::string_view request) {
  return fmt::format("{}{}{}{}\n", kProtocol, kVersion, request.empty() ? "" : " ", request);
}

Result<std::string> ParseGreeting(std::string_view line, Peer peer) {
  int version = 0;
  const char* const end = line.data() + line.size();
  if (!line.starts_with(kProtocol)) return OtherRelease(peer);
  const auto parsed = std::from_chars(line.data() + kProtocol.size(), end, version);
  const bool has_end = parsed.ptr == end || *parsed.ptr == ' ';
  if (parsed.ec != std::errc() || !has_end || version != kVersion) return OtherRelease(peer);
  return std::string(parsed.ptr == end ? end : parsed.ptr + 1, end);
}

std::string RefusalForOldTools() { return fmt::format("{{\"iprofagent\":{}}}\n", kVersion); }

std::string FormatMessage(Kind kind, std::string_view payload) {
  std::string bytes(1, static_cast<char>(kind));
  for (int shift = 24; shift >= 0; shift -= 8)
    bytes += static_cast<char>(payload.size() >> shift & 0xff);
  return bytes += payload;
}

Result<std::optional<std::string>> MessageReader::NextLine() {
  const size_t end = bytes_.find('\n');
  if (std::min(end, bytes_.size()) > kLongestLine)
    return Status(Code::kBadInput, "the other side's first line is too long");
  if (end == std::string::npos) return std::optional<std::string>();
  std::string line = bytes_.substr(0, end);
  bytes_.erase(0, end + 1);
  return std::optional(std::move(line));
}

Result<std::optional<Message>> MessageReader::Next() {
  while (bytes_.size() >= kHeader) {
    const size_t length = LengthIn(bytes_);
    if (length > kLongestPayload)
      return Status(Code::kBadInput, "the other side's message is damaged, or too long");
    if (bytes_.size() < kHeader + length) break;
    const char letter = bytes_.front();
    std::string payload = bytes_.substr(kHeader, length);
    bytes_.erase(0, kHeader + length);
    if (IsKnown(letter)) return std::optional(Message{Kind{letter}, std::move(payload)});
  }
  return std::optional<Message>();
}

}  // namespace iprof::control
