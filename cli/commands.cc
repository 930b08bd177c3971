#include <algorithm>
#include <array>

#include "cli/entries.h"
#include "cli/files/file_entries.h"
#include "cli/live/live_entries.h"

namespace iprof::cli {

std::span<const CommandEntry> Commands() {
  static const std::array kAll = {
      kShowEntry,    kAdviseEntry,  kCheckEntry,   kMergeEntry, kDiffEntry,    kOverlapEntry,
      kTopEntry,     kReportEntry,  kConvertEntry, kListEntry,  kProfileEntry, kAttachEntry,
      kHarvestEntry, kRecoverEntry, kRefreshEntry, kStartEntry, kStopEntry,    kResetEntry,
      kDumpEntry,    kStatusEntry,  kVersionEntry, kHelpEntry,  kGenerateEntry};
  return kAll;
}

const CommandEntry* FindCommand(std::string_view name) {
  const auto all = Commands();
  const auto found = std::find_if(all.begin(), all.end(),
                                  [&](const CommandEntry& entry) { return entry.name == name; });
  return found == all.end() ? nullptr : &*found;
}

}  // namespace iprof::cli
