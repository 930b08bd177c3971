#include "writer/profile/io/format_version.h"

#include <algorithm>
#include <charconv>
#include <string>
#include <system_error>

#include "writer/profile/io/profile_place.h"

namespace iprof {

Result<FormatVersion> ParseFormatVersion(std::string_view text) {
  const auto* const found = std::find(kFormatVersions.begin(), kFormatVersions.end(), text);
  if (found != kFormatVersions.end())
    return static_cast<FormatVersion>(found - kFormatVersions.begin());
  std::string names;
  for (const std::string_view name : kFormatVersions)
    names.append(names.empty() ? "" : " or ").append(name);
  return Status(Code::kUsage, "unknown format version \"" + std::string(text) + "\": use " + names);
}

size_t EntriesWithoutTable(const Profile& profile, FormatVersion version) {
  size_t entries = 0;
  for (const Table table : kAllTables) {
    if (!HasTable(version, table)) entries += profile.entry_count(table);
  }
  return entries;
}

FormatVersion SmallestVersionFor(const Profile& profile) {
  FormatVersion smallest = FormatVersion::k1_0_0;
  for (const Table table : kAllTables) {
    if (profile.entry_count(table) != 0) smallest = std::max(smallest, FirstVersionWith(table));
  }
  return smallest;
}

Status CheckVersion(std::string_view version) {
  const auto unsupported = [&](const char* why) {
    return Status(Code::kUnsupported, "iprof version " + ShortQuoted(version) + " " + why);
  };
  int parts[3] = {};
  const char* at = version.data();
  const char* const end = at + version.size();
  for (int i = 0; i < 3; ++i) {
    const bool digit = at != end && *at >= '0' && *at <= '9';
    const auto parsed = std::from_chars(at, end, parts[i]);
    if (!digit || parsed.ec != std::errc()) {
      return {Code::kBadInput,
              "found the version " + ShortQuoted(version) + ", expected one such as \"1.0.0\""};
    }
    at = parsed.ptr;
    if (i < 2 && (at == end || *at++ != '.')) {
      return {Code::kBadInput,
              "found the version " + ShortQuoted(version) + ", expected one such as \"1.0.0\""};
    }
  }
  if (at != end && *at != '-' && *at != '+') {
    return {Code::kBadInput,
            "found the version " + ShortQuoted(version) + ", expected one such as \"1.0.0\""};
  }
  if (parts[0] == 1 || (parts[0] == 0 && parts[1] == 4)) return {};
  if (parts[0] == 0 && parts[1] == 2)
    return unsupported("is from 2022 and has other keys; 0.4.0 and 1.x can be read");
  return unsupported("cannot be read; 0.4.0 and 1.x can");
}

}  // namespace iprof
