#include "writer/profile/image/file_shares.h"

#include <algorithm>

namespace iprof {
namespace {

int64_t WeightOf(const EntryDecl& entry) {
  const size_t width = RecordKindOf(entry.table) == RecordKind::kCount        ? 1
                       : RecordKindOf(entry.table) == RecordKind::kSuccessors ? 3
                                                                              : 2;
  int64_t weight = 0;
  for (size_t i = width - 1; i < entry.values.size(); i += width) {
    weight = SaturatingAdd(weight, std::max<int64_t>(entry.values[i], 0));
  }
  return weight;
}

}  // namespace

void FileShares::AddEntry(const EntryDecl& entry) {
  frames_.clear();
  if (entry.table != Table::kMonitors) {
    for (const RawFrame& frame : entry.frames) {
      const auto use = uses_.find(frame.method);
      if (use == uses_.end()) return;
      frames_.push_back(&use->second);
    }
  }
  const int64_t weight = WeightOf(entry);
  for (const ImageTarget target : kImageTargets) {
    shares_.by_target[static_cast<size_t>(target)].Add(entry.table, frames_, weight, target);
  }
}

void FileShares::AddKey(std::string_view key, std::string_view json) {
  if (section_.Add(key, json)) shares_.note = ImageNote::Of(section_);
}

}  // namespace iprof
