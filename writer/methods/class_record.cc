#include "writer/methods/class_record.h"

#include <algorithm>

namespace iprof {

bool CountedMethod::IsStaticSynchronized() const {
  constexpr uint16_t kBoth = 0x0008 | 0x0020;  // ACC_STATIC, ACC_SYNCHRONIZED
  return (access & kBoth) == kBoth;
}

std::string_view ClassRecord::Keep(std::string_view text) {
  constexpr size_t kBlock = 2048;
  if (blocks_.empty() || text.size() > left_) {
    left_ = std::max(kBlock, text.size());
    blocks_.push_back(std::make_unique<char[]>(left_));
    block_size_ = left_;
  }
  char* at = blocks_.back().get() + (block_size_ - left_);
  std::copy(text.begin(), text.end(), at);
  left_ -= text.size();
  return {at, text.size()};
}

std::span<const ClassSite> ClassRecord::SitesOf(const CountedMethod& method) const {
  const auto number = static_cast<uint32_t>(&method - methods.data());
  const auto less = [](const ClassSite& a, const ClassSite& b) { return a.method < b.method; };
  const auto [first, last] = std::equal_range(sites.begin(), sites.end(),
                                              ClassSite{number, 0, 0, SiteKind::kReceiver}, less);
  return {first, last};
}

std::span<const uint8_t> ClassRecord::RecordOf(const CountedMethod& method) const {
  const auto after = methods.begin() + (&method - methods.data()) + 1;
  const auto next =
      std::find_if(after, methods.end(), [](const CountedMethod& m) { return m.counters > 0; });
  const size_t end = next == methods.end() ? records.size() : next->record;
  if (end <= method.record || end > records.size()) return {};
  return std::span(records).subspan(method.record, end - method.record);
}

bool ClassRecord::operator==(const ClassRecord& other) const {
  return name == other.name && super_name == other.super_name && hash == other.hash &&
         access == other.access && methods == other.methods && callees == other.callees &&
         targets == other.targets && sites == other.sites && left_out == other.left_out &&
         positions == other.positions && lines == other.lines && records == other.records;
}

}  // namespace iprof
