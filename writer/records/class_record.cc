#include "writer/records/class_record.h"

#include <algorithm>

namespace iprof {
namespace {

template <typename Has>
std::span<const uint8_t> PartOf(const ClassRecord& klass, const CountedMethod& method, Has has,
                                uint32_t CountedMethod::*offset, std::span<const uint8_t> all) {
  const auto after = klass.methods.begin() + (&method - klass.methods.data()) + 1;
  const auto next = std::find_if(after, klass.methods.end(), has);
  const size_t begin = method.*offset;
  const size_t end = next == klass.methods.end() ? all.size() : (*next).*offset;
  if (end <= begin || end > all.size()) return {};
  return all.subspan(begin, end - begin);
}

}  // namespace

bool CountedMethod::IsStaticSynchronized() const {
  constexpr uint16_t kBoth = 0x0008 | 0x0020;  // ACC_STATIC, ACC_SYNCHRONIZED
  return (access & kBoth) == kBoth;
}

std::string_view ClassRecord::Keep(std::string_view text) {
  // Small at first: many versions of a class with few texts may be in memory at once.
  constexpr size_t kFirstBlock = 64;
  constexpr size_t kMostBlock = 2048;
  if (blocks_.empty() || text.size() > left_) {
    const size_t block = blocks_.empty() ? kFirstBlock : std::min(2 * block_size_, kMostBlock);
    left_ = std::max(block, text.size());
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
  return PartOf(
      *this, method, [](const CountedMethod& m) { return m.counters > 0; }, &CountedMethod::record,
      records);
}

std::span<const uint8_t> ClassRecord::LinesOf(const CountedMethod& method) const {
  return PartOf(
      *this, method, [](const CountedMethod& m) { return m.has_lines; }, &CountedMethod::lines,
      lines);
}

bool ClassRecord::operator==(const ClassRecord& other) const {
  return name == other.name && super_name == other.super_name && hash == other.hash &&
         access == other.access && methods == other.methods && callees == other.callees &&
         targets == other.targets && sites == other.sites && left_out == other.left_out &&
         positions == other.positions && lines == other.lines && records == other.records;
}

}  // namespace iprof
