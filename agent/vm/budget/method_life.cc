#include "agent/vm/budget/method_life.h"

#include <algorithm>
#include <array>

namespace iprof::vm {
namespace {

using Cell = std::optional<MethodState>;

constexpr Cell kCo = MethodState::kCounted;
constexpr Cell kFr = MethodState::kFrozen;
constexpr Cell kTh = MethodState::kThawing;
constexpr Cell kMi = MethodState::kMissing;
constexpr Cell kUn = MethodState::kUncalled;
constexpr Cell kBa = MethodState::kBarred;
constexpr Cell kNo = std::nullopt;

// clang-format off
constexpr std::array<std::array<Cell, kMethodStates>, kMethodEvents> kTable{{
    //                counted  frozen  thawing  missing  uncalled  barred
    /* froze      */ {{kFr,    kNo,    kNo,     kFr,     kFr,      kNo}},
    /* not found  */ {{kMi,    kNo,    kNo,     kMi,     kMi,      kNo}},
    /* not called */ {{kUn,    kNo,    kNo,     kUn,     kUn,      kNo}},
    /* refused    */ {{kBa,    kBa,    kFr,     kBa,     kBa,      kNo}},
    /* thaw       */ {{kNo,    kTh,    kNo,     kNo,     kCo,      kNo}},
    /* thawed     */ {{kNo,    kNo,    kCo,     kNo,     kNo,      kNo}},
}};
// clang-format on

bool IsEstimated(MethodState state) {
  return state == MethodState::kFrozen || state == MethodState::kThawing;
}

}  // namespace

std::string_view NameOf(MethodState state) {
  constexpr std::array<std::string_view, kMethodStates> kNames{"counted", "frozen",   "thawing",
                                                               "missing", "uncalled", "barred"};
  return kNames[static_cast<size_t>(state)];
}

std::string_view NameOf(MethodEvent event) {
  constexpr std::array<std::string_view, kMethodEvents> kNames{"froze",   "not found", "not called",
                                                               "refused", "thaw",      "thawed"};
  return kNames[static_cast<size_t>(event)];
}

std::optional<MethodState> Next(MethodState state, MethodEvent event) {
  return kTable[static_cast<size_t>(event)][static_cast<size_t>(state)];
}

MethodState MethodLives::StateOf(CounterIndex first) const {
  const auto found = lives_.find(first);
  return found == lives_.end() ? MethodState::kCounted : found->second.state;
}

bool MethodLives::IsFrozen(CounterIndex first) const { return IsEstimated(StateOf(first)); }

std::string_view MethodLives::ClassOfFrozen(CounterIndex first) const {
  const auto found = lives_.find(first);
  return found != lives_.end() && IsEstimated(found->second.state) ? found->second.class_name
                                                                   : std::string_view();
}

std::vector<CounterIndex> MethodLives::Frozen() const {
  std::vector<CounterIndex> frozen;
  for (const auto& [first, life] : lives_) {
    if (IsEstimated(life.state)) frozen.push_back(first);
  }
  return frozen;
}

std::optional<WhyKept> MethodLives::WhyNot(CounterIndex first, const std::string& class_name,
                                           double now_s) const {
  const auto found = lives_.find(first);
  const MethodState state = StateOf(first);
  const bool rests = found != lives_.end() && found->second.until_s > now_s;
  if (state == MethodState::kBarred) return WhyKept::kUnchangeable;
  if (state == MethodState::kMissing && rests) return WhyKept::kMissing;
  const auto swapped = swapped_.find(class_name);
  if (swapped != swapped_.end() &&
      std::any_of(swapped->second.begin(), swapped->second.end(),
                  [&](CounterIndex method) { return lives_.at(method).swaps >= kMostSwaps; }))
    return WhyKept::kSwapped;
  if (state == MethodState::kUncalled && rests) return WhyKept::kUncalled;
  return std::nullopt;
}

bool MethodLives::Take(MethodEvent event, CounterIndex first, double now_s) {
  const std::optional<MethodState> next = Next(StateOf(first), event);
  if (next) Move(lives_[first], *next, now_s);
  return next.has_value();
}

void MethodLives::Move(Life& life, MethodState next, double now_s) {
  frozen_ += IsEstimated(next) ? 1 : 0;
  frozen_ -= IsEstimated(life.state) ? 1 : 0;
  const bool is_again = next == MethodState::kMissing && life.state == next;
  life.rests_s = is_again ? 2 * life.rests_s : kRest;
  life.until_s = now_s + life.rests_s;
  life.state = next;
}

void MethodLives::Freeze(const std::string& class_name, std::span<const CounterIndex> froze,
                         double now_s) {
  std::set<CounterIndex>& methods = swapped_[class_name];
  for (const CounterIndex first : froze) {
    if (!Take(MethodEvent::kFroze, first, now_s)) continue;
    lives_[first].class_name = class_name;
    methods.insert(first);
  }
  for (const CounterIndex method : methods) ++lives_[method].swaps;
}

void MethodLives::Thaw(const std::set<std::string, std::less<>>& but, double now_s) {
  swapped_.clear();
  for (auto& [first, life] : lives_) {
    life.swaps = 0;
    const std::optional<MethodState> next = Next(life.state, MethodEvent::kThaw);
    const bool stays = IsEstimated(life.state) && but.contains(life.class_name);
    if (next && !stays) Move(life, *next, now_s);
  }
}

void MethodLives::Release(CounterRange range) {
  const auto from = lives_.lower_bound(range.first);
  const auto to =
      lives_.lower_bound(CounterIndex{static_cast<uint32_t>(range.first) + range.count});
  for (auto method = from; method != to; ++method) {
    const auto swapped = swapped_.find(method->second.class_name);
    if (swapped != swapped_.end()) {
      swapped->second.erase(method->first);
      if (swapped->second.empty()) swapped_.erase(swapped);
    }
    frozen_ -= IsEstimated(method->second.state) ? 1 : 0;
  }
  lives_.erase(from, to);
}

}  // namespace iprof::vm
