#include "cli/views/export/stacks.h"

#include <fmt/core.h>

#include <iterator>

namespace iprof {
namespace {

uint64_t Key(MethodIndex method, uint32_t number) {
  return uint64_t{static_cast<uint32_t>(method)} << 32 | number;
}

}  // namespace

std::string FrameText(std::string_view name, char also) {
  std::string out;
  for (const char c : name) {
    const auto byte = static_cast<unsigned char>(c);
    if (c == also || byte < 0x20 || byte == 0x7F) {
      fmt::format_to(std::back_inserter(out), "\\x{:02x}", byte);
    } else {
      out += c;
    }
  }
  return out;
}

FramePlaces::FramePlaces(const Profile& profile) : profile_(profile) {}

size_t FramePlaces::NumberOf(const Frame& frame) {
  const auto [position, is_new_position] =
      by_position_.try_emplace(Key(frame.method, static_cast<uint32_t>(frame.bci)), 0);
  if (!is_new_position) return position->second;
  const int32_t line =
      std::max<int32_t>(profile_.notes().LineOf(frame.method, frame.bci).value_or(0), 0);
  const auto [place, is_new] =
      by_line_.try_emplace(Key(frame.method, static_cast<uint32_t>(line)), places_.size());
  if (is_new) places_.push_back({frame.method, line});
  position->second = place->second;
  return place->second;
}

}  // namespace iprof
