#include "writer/records/site_assembly.h"

#include <fmt/core.h>

#include <algorithm>
#include <cmath>
#include <iterator>
#include <utility>

#include "writer/names/java_names.h"
#include "writer/names/type_names.h"

namespace iprof {
namespace {

constexpr size_t kMostExamples = 20;

// A place in a class record takes five bytes. So in a file that someone made, a million of them could have the number
// of one site with thousands of types, and its counts a million times would fill the memory.
constexpr size_t kFewTypes = 4;

uint64_t Listed(const TypeCounts::Site& site) {
  uint64_t sum = 0;
  for (const auto& [type, count] : site.types) sum += count;
  return sum;
}

// Of all objects at a site, those of classes that are not listed.
uint16_t RestPermille(uint64_t lost, uint64_t listed) {
  const auto rest = static_cast<double>(lost);
  const double share = rest / (rest + static_cast<double>(listed));
  return static_cast<uint16_t>(std::lround(PositionNotes::kWhole * share));
}

// "java/util/List" and "get": "java.util.List.get".
std::string NameOf(const CallTarget& target) {
  std::string name = ToUtf8(target.owner);
  std::replace(name.begin(), name.end(), '/', '.');
  return name + "." + ToUtf8(target.name);
}

}  // namespace

void SiteAssembly::NoteLine(const ClassRecord& klass, const CountedMethod& method, uint32_t bci,
                            MethodIndex index) {
  if (!method.has_lines) return;
  if (lines_of_ != &method) ReadLines(klass.LinesOf(method), &lines_);
  lines_of_ = &method;
  const auto after =
      std::upper_bound(lines_.begin(), lines_.end(), bci,
                       [](uint32_t wanted, const LineStart& start) { return wanted < start.bci; });
  if (after == lines_.begin()) return;
  profile_.notes().SetLine(index, static_cast<Bci>(bci),
                           static_cast<int32_t>(std::prev(after)->line));
}

void SiteAssembly::Add(const ClassRecord& klass, const CountedMethod& method, MethodIndex index,
                       double factor) {
  for (const ClassSite& site : klass.SitesOf(method)) {
    const TypeCounts::Site* counts = Take(site, factor);
    if (counts == nullptr) continue;
    if (site.kind == SiteKind::kMonitor) {
      AddMonitors(*counts);
    } else {
      WriteSite(klass, method, index, site, *counts);
    }
  }
}

void SiteAssembly::AddMonitorsOnly(const ClassRecord& klass, const CountedMethod& method) {
  for (const ClassSite& site : klass.SitesOf(method)) {
    const TypeCounts::Site* counts = site.kind == SiteKind::kMonitor ? Take(site) : nullptr;
    if (counts != nullptr) AddMonitors(*counts);
  }
}

void SiteAssembly::AddStaticMonitor(uint64_t calls) {
  if (options_.monitors && calls > 0) monitors_["java.lang.Class"] += calls;
}

uint64_t SiteAssembly::ObjectsIn(const ClassRecord& klass, const CountedMethod& method) const {
  uint64_t sum = 0;
  for (const ClassSite& site : klass.SitesOf(method)) {
    const TypeCounts::Site* counts = types_.Find(site.number);
    if (counts != nullptr) sum += Listed(*counts) + counts->lost;
  }
  return sum;
}

// The counts of a site; null if it has none, or if another site has them already.
const TypeCounts::Site* SiteAssembly::Take(const ClassSite& site, double factor) {
  const TypeCounts::Site* const counts = types_.Find(site.number);
  if (counts == nullptr) return nullptr;
  if (counts->types.size() > kFewTypes && !taken_.insert(site.number).second) {
    ++claimed_again_;
    return nullptr;
  }
  if (factor == 1) return counts;
  scaled_ = *counts;
  for (auto& [type, count] : scaled_.types) count = ScaledCount(count, factor);
  scaled_.lost = ScaledCount(scaled_.lost, factor);
  return &scaled_;
}

TypeIndex SiteAssembly::TypeNamed(uint32_t name) {
  if (name >= type_of_name_.size()) type_of_name_.resize(size_t{2} * name + 1);
  std::optional<TypeIndex>& type = type_of_name_[name];
  if (!type) type = profile_.AddType(types_.TypeName(name));
  return *type;
}

void SiteAssembly::AddMonitors(const TypeCounts::Site& site) {
  for (const auto& [type, count] : site.types)
    monitors_[std::string(types_.TypeName(type))] += count;
  monitors_lost_ += site.lost;
}

void SiteAssembly::WriteSite(const ClassRecord& klass, const CountedMethod& method,
                             MethodIndex index, const ClassSite& site,
                             const TypeCounts::Site& counts) {
  const uint64_t listed = Listed(counts);
  const auto lost = static_cast<double>(counts.lost);
  if (listed == 0 || lost > options_.max_lost * (lost + static_cast<double>(listed))) {
    ++left_out_;
    if (left_out_examples_.size() < kMostExamples) {
      left_out_examples_.push_back(
          fmt::format("{} at bci {}: {} of {} objects of unknown class",
                      JavaMethodName(InternalName(klass.name), method.name, method.descriptor),
                      site.bci, counts.lost, counts.lost + listed));
    }
    return;
  }
  std::vector<std::pair<uint32_t, uint64_t>>& order = order_;
  order.assign(counts.types.begin(), counts.types.end());
  std::sort(order.begin(), order.end(), [this](const auto& a, const auto& b) {
    return a.second != b.second ? a.second > b.second
                                : types_.TypeName(a.first) < types_.TypeName(b.first);
  });
  std::vector<TypeCount>& made = made_;
  made.clear();
  for (const auto& [name, count] : order) made.push_back({TypeNamed(name), Clamped(count)});
  const auto bci = static_cast<Bci>(site.bci);
  if (site.kind == SiteKind::kReceiver) {
    entries_.AddReceivers(index, bci, made);
  } else {
    profile_.AddTypeCounts(Table::kInstanceOfs, profile_.AddContext(kNoContext, index, bci), made);
  }
  NoteLine(klass, method, site.bci, index);
  profile_.notes().SetRest(index, static_cast<Bci>(site.bci), RestPermille(counts.lost, listed));
  if (site.target != 0 && site.target <= klass.targets.size())
    profile_.notes().SetCallee(index, static_cast<Bci>(site.bci),
                               NameOf(klass.targets[site.target - 1]));
  ++written_;
}

void SiteAssembly::WriteMonitors() {
  if (monitors_.empty()) return;
  std::vector<std::pair<uint64_t, std::string_view>> order;
  for (const auto& [name, count] : monitors_) order.emplace_back(count, name);
  std::sort(order.begin(), order.end(), [](const auto& a, const auto& b) {
    return a.first != b.first ? a.first > b.first : a.second < b.second;
  });
  std::vector<TypeCount> made;
  for (const auto& [count, name] : order) made.push_back({profile_.AddType(name), Clamped(count)});
  profile_.AddTypeCounts(Table::kMonitors, profile_.AddMonitorContext(), made);
}

void SiteAssembly::AddTo(AssemblyResult& statistics) const {
  statistics.sites_written = written_;
  statistics.sites_left_out = left_out_;
  statistics.damaged_records += claimed_again_;
  statistics.monitors_lost = monitors_lost_;
  statistics.sites_left_out_examples = left_out_examples_;
}

}  // namespace iprof
