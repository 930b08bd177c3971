#include "agent/vm/cells/stack_reservoir.h"

#include <algorithm>
#include <array>
#include <bit>
#include <cmath>
#include <utility>

namespace iprof::vm {
namespace {

constexpr uint32_t kLargestMeanLog2 = 28;  // twice the mean fits an int

double PartFor(uint64_t executions) {
  return std::pow(static_cast<double>(std::max<uint64_t>(executions, 1)), 2.0 / 3);
}

}  // namespace

StackReservoir::StackReservoir(std::span<const uint64_t> executions, size_t most_in_all,
                               uint64_t seed, const std::vector<bool>& is_call)
    : most_in_all_(most_in_all), random_(static_cast<std::minstd_rand::result_type>(seed)) {
  sites_.reserve(executions.size());
  const auto kind_of = [&](size_t site) { return size_t{site < is_call.size() && is_call[site]}; };
  std::array<double, 2> sums{};  // of branches, of calls
  for (size_t site = 0; site < executions.size(); ++site)
    sums[kind_of(site)] += PartFor(executions[site]);
  const double kinds = sums[0] > 0 && sums[1] > 0 ? 2 : 1;
  for (size_t site = 0; site < executions.size(); ++site) {
    const uint64_t expected = executions[site];
    const double part = PartFor(expected) / sums[kind_of(site)] / kinds;
    const auto stacks = static_cast<uint64_t>(part * double{kExpectedOfAll});
    const uint64_t mean =
        std::max<uint64_t>(expected / std::clamp(stacks, kLeastExpected, kMostExpected), 1);
    const auto log2 = static_cast<uint32_t>(std::bit_width(mean) - 1);
    sites_.push_back({part, std::min(log2, kLargestMeanLog2)});
  }
}

void StackReservoir::Add(uint32_t site, const TakenStack& stack, size_t affordable) {
  Site& s = sites_[site];
  s.stacks.push_back(stack);
  ++taken_;
  ++kept_;
  if (!std::exchange(s.is_used, true)) used_parts_ += s.part;
  const size_t limit = std::min(affordable, most_in_all_);
  const auto its_own = static_cast<size_t>(static_cast<double>(kept_) * s.part / used_parts_);
  const bool makes_way = kept_ >= limit && s.stacks.size() > its_own;
  if (makes_way || s.stacks.size() >= kMostStacks) Thin(s);
  if (kept_ <= most_in_all_ || s.stacks.empty()) return;
  s.stacks.pop_back();
  --kept_;
}

void StackReservoir::Thin(Site& site) {
  if (site.mean_log2 == kLargestMeanLog2) {  // can only be left out
    site.stacks.pop_back();
    --kept_;
    return;
  }
  kept_ -= std::erase_if(site.stacks, [&](const TakenStack&) { return random_() % 2 == 0; });
  ++site.mean_log2;
}

uint32_t StackReservoir::DrawDistance(uint32_t site) {
  // From 0 to twice the mean less two: its own execution is one more.
  const auto most = static_cast<uint32_t>(2 * MeanOf(site) - 2);
  return std::uniform_int_distribution<uint32_t>(0, most)(random_);
}

void StackReservoir::Forget() {
  for (Site& site : sites_) {
    site.stacks = {};
    site.is_used = false;
  }
  used_parts_ = 0;
  taken_ = 0;
  kept_ = 0;
}

size_t StackReservoir::bytes() const {
  size_t bytes = sites_.capacity() * sizeof(Site);
  for (const Site& site : sites_) bytes += site.stacks.capacity() * sizeof(TakenStack);
  return bytes;
}

}  // namespace iprof::vm
