#include "writer/ops/flat_profile.h"

#include <algorithm>
#include <map>
#include <string_view>
#include <unordered_map>
#include <utility>

#include "writer/names/type_names.h"

namespace iprof {
namespace {

struct Sums {
  int64_t self = 0;
  int64_t total = 0;
  uint64_t last_sample = 0;  // already counted for this sample
};

class Flattening {
 public:
  Flattening(const Profile& profile, FlatKey key, const ProfileFilter& filter)
      : profile_(profile), key_(key) {
    for (const MethodIndex method : MethodsOf(profile))
      is_wanted_.push_back(filter.Wants(profile, method));
  }

  FlatProfile Run() {
    FlatProfile flat;
    flat.has_lines = !profile_.notes().empty();
    for (const EntryIndex entry : EntriesOf(profile_, Table::kSamples)) {
      const int64_t count = profile_.EntryCount(Table::kSamples, entry);
      flat.total = SaturatingAdd(flat.total, count);
      ++sample_;
      bool innermost = true;
      profile_.ForEachFrame(profile_.EntryContext(Table::kSamples, entry), [&](const Frame& frame) {
        const bool is_self = std::exchange(innermost, false);
        if (!is_wanted_[static_cast<size_t>(frame.method)]) return;
        Sums& sums = sums_[KeyOf(frame)];
        if (is_self) sums.self = SaturatingAdd(sums.self, count);
        if (sums.last_sample == sample_) return;
        sums.last_sample = sample_;
        sums.total = SaturatingAdd(sums.total, count);
      });
    }
    for (const auto& [key, sums] : sums_) flat.rows.push_back(RowOf(key, sums));
    std::sort(flat.rows.begin(), flat.rows.end(), [](const FlatRow& a, const FlatRow& b) {
      if (a.self != b.self) return a.self > b.self;
      if (a.total != b.total) return a.total > b.total;
      return a.name < b.name;
    });
    return flat;
  }

 private:
  // The number of a method or package and, if requested, a bci or a line.
  using Key = std::pair<uint32_t, int64_t>;
  static constexpr int64_t kNoLine = -1;

  Key KeyOf(const Frame& frame) {
    if (key_ == FlatKey::kPosition) return {static_cast<uint32_t>(frame.method), frame.bci};
    if (key_ == FlatKey::kMethod) return {static_cast<uint32_t>(frame.method), 0};
    if (key_ == FlatKey::kLine) return {static_cast<uint32_t>(frame.method), LineOf(frame)};
    const auto [at, is_new] = package_of_.try_emplace(static_cast<uint32_t>(frame.method), 0U);
    if (is_new) {
      const std::string_view package =
          PackageOf(profile_.TypeName(profile_.DeclaringType(frame.method)));
      const std::string name(package.empty() ? "(default)" : package);
      const auto found = std::find(packages_.begin(), packages_.end(), name);
      at->second = static_cast<uint32_t>(found - packages_.begin());
      if (found == packages_.end()) packages_.push_back(name);
    }
    return {at->second, 0};
  }

  int64_t LineOf(const Frame& frame) const {
    const auto line = profile_.notes().LineOf(frame.method, frame.bci);
    return line ? *line : kNoLine;
  }

  FlatRow RowOf(const Key& key, const Sums& sums) const {
    FlatRow row;
    row.self = sums.self;
    row.total = sums.total;
    if (key_ == FlatKey::kPackage) {
      row.name = packages_[key.first];
      return row;
    }
    row.method = MethodIndex{key.first};
    row.name = profile_.DescribeMethod(row.method);
    if (key_ == FlatKey::kPosition) row.bci = static_cast<Bci>(key.second);
    if (key_ == FlatKey::kLine && key.second != kNoLine)
      row.line = static_cast<int32_t>(key.second);
    if (row.bci || row.line) row.name += ":" + std::to_string(key.second);
    return row;
  }

  const Profile& profile_;
  const FlatKey key_;
  std::map<Key, Sums> sums_;
  std::unordered_map<uint32_t, uint32_t> package_of_;
  std::vector<std::string> packages_;
  std::vector<bool> is_wanted_;  // by method
  uint64_t sample_ = 0;
};

}  // namespace

FlatProfile ComputeFlatProfile(const Profile& profile, FlatKey key, const ProfileFilter& filter) {
  return Flattening(profile, key, filter).Run();
}

}  // namespace iprof
