// The versions of the iprof format: those that can be read, and those that are written.
//
// A new version that is written is one more enumerator and one more name here, and what it adds is in
// FirstVersionWith. Options, help, commands and the raw file follow. Example: an instanceof entry is written into 1.1.0
// and left out of 1.0.0, because FirstVersionWith(Table::kInstanceOfs) is k1_1_0.
//
// Guarantees: pure. Threads: any. Failure: a Status with a message that names the version.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <string_view>

#include "writer/base/status.h"
#include "writer/profile/model.h"

namespace iprof {

// Those that are written, ascending.
enum class FormatVersion : uint8_t {
  k1_0_0,
  k1_1_0,  // adds instanceOfProfiles, in the consumer's spelling
};
inline constexpr std::array<std::string_view, 2> kFormatVersions{"1.0.0", "1.1.0"};

constexpr std::string_view FormatVersionName(FormatVersion version) {
  return kFormatVersions[static_cast<size_t>(version)];
}
// One of kFormatVersions; anything else is kUsage.
Result<FormatVersion> ParseFormatVersion(std::string_view text);

constexpr FormatVersion FirstVersionWith(Table table) {
  return table == Table::kInstanceOfs ? FormatVersion::k1_1_0 : FormatVersion::k1_0_0;
}
constexpr bool HasTable(FormatVersion version, Table table) {
  return version >= FirstVersionWith(table);
}
// Entries of the profile for which the version has no table.
size_t EntriesWithoutTable(const Profile& profile, FormatVersion version);
// The smallest version that can represent the whole profile.
FormatVersion SmallestVersionFor(const Profile& profile);

// We read versions 0.4.0 and 1.x. Other versions give kUnsupported, and text that is not a version
// kBadInput, with a message that names it.
Status CheckVersion(std::string_view version);

}  // namespace iprof
