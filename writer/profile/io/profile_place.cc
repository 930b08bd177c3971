#include "writer/profile/io/profile_place.h"

#include <algorithm>

#include "writer/profile/io/writer.h"

namespace iprof {
namespace {

bool IsWord(std::string_view key) {
  return !key.empty() && std::all_of(key.begin(), key.end(), [](char c) {
    return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') || c == '_';
  });
}

void AppendPathKey(std::string_view key, std::string* path) {
  if (IsWord(key)) {
    path->append(".").append(key);
    return;
  }
  path->append("[");
  AppendJsonString(key.substr(0, 80), path);
  path->append("]");
}

}  // namespace

std::string ShortQuoted(std::string_view text) {
  std::string out;
  AppendJsonString(text.substr(0, 60), &out);
  if (text.size() > 60) out.append("...");
  return out;
}

std::string JsonPath(const Place& place) {
  std::string path = "$";
  if (!place.section.empty()) AppendPathKey(place.section, &path);
  const auto append_index = [&path](int64_t index) {
    if (index >= 0) path.append("[").append(std::to_string(index)).append("]");
  };
  append_index(place.index);
  if (!place.member.empty()) AppendPathKey(place.member, &path);
  append_index(place.member_index);
  return path;
}

std::string FormatViolation(std::string_view file, const Violation& violation) {
  std::string text(file);
  text.append(": byte ").append(std::to_string(violation.place.offset)).append(", ");
  text.append(JsonPath(violation.place)).append(": found ").append(violation.found);
  return text.append(", expected ").append(violation.expected);
}

}  // namespace iprof
