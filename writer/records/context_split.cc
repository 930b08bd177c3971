#include "writer/records/context_split.h"

#include <algorithm>
#include <cmath>
#include <map>
#include <numeric>

namespace iprof {
namespace {

using Counts = std::vector<uint64_t>;  // by outcome

uint64_t Sum(const Counts& counts) {
  return std::accumulate(counts.begin(), counts.end(), uint64_t{0});
}

// Whether `share` is no likely value of what `some` of `all` estimates (Wilson's score interval).
bool IsUnlikely(double share, double some, double all) {
  const double square = kDeviations * kDeviations;
  const double part = some / all;
  const double middle = part + square / (2 * all);
  const double width = kDeviations * std::sqrt(part * (1 - part) / all + square / (4 * all * all));
  return std::abs(share * (1 + square / all) - middle) > width;
}

bool Differ(const Counts& some, const Counts& others) {
  const auto all = static_cast<double>(Sum(some));
  const auto all_others = static_cast<double>(Sum(others));
  if (all == 0 || all_others == 0) return false;
  for (size_t i = 0; i < some.size(); ++i) {
    const double share = static_cast<double>(others[i]) / all_others;
    const auto here = static_cast<double>(some[i]);
    if (std::abs(here / all - share) > kLeastShift && IsUnlikely(share, here, all)) return true;
  }
  return false;
}

// floor(exact * part / all), for part <= all < 2^32.
uint64_t Share(uint64_t exact, uint64_t part, uint64_t all) {
  return exact / all * part + exact % all * part / all;
}

class Splitting {
 public:
  Splitting(std::span<const int64_t> exact, std::span<const OutcomeStack> stacks) : exact_(exact) {
    nodes_.emplace_back().counts.resize(exact.size());
    for (const OutcomeStack& stack : stacks) Add(stack);
  }

  std::vector<ContextCounts> Run(std::span<const OutcomeStack> stacks) {
    std::vector<CallerNumber> path;
    Write(0, path);
    Choose(0, nodes_[0].counts, path);
    own_.resize(written_.size(), Counts(exact_.size()));
    for (const OutcomeStack& stack : stacks) own_[EntryOf(stack)][stack.outcome] += stack.count;
    for (size_t outcome = 0; outcome < exact_.size(); ++outcome) Divide(outcome);
    return std::move(written_);
  }

 private:
  struct Node {
    std::map<CallerNumber, size_t> callers;
    Counts counts;
    size_t entry = kNone;
  };
  static constexpr size_t kNone = SIZE_MAX;

  void Add(const OutcomeStack& stack) {
    size_t node = 0;
    nodes_[node].counts[stack.outcome] += stack.count;
    for (const CallerNumber caller : stack.callers) {
      const auto [known, is_new] = nodes_[node].callers.try_emplace(caller, nodes_.size());
      node = known->second;
      if (is_new) nodes_.emplace_back().counts.resize(exact_.size());
      nodes_[node].counts[stack.outcome] += stack.count;
    }
  }

  void Write(size_t node, const std::vector<CallerNumber>& path) {
    nodes_[node].entry = written_.size();
    written_.push_back({path, std::vector<int64_t>(exact_.size())});
  }

  // Stacks have few frames, so this does not go deep.
  void Choose(size_t node, const Counts& shorter, std::vector<CallerNumber>& path) {
    for (const auto& [caller, child] : nodes_[node].callers) {
      path.push_back(caller);
      const bool differs = Differ(nodes_[child].counts, shorter);
      if (differs) Write(child, path);
      Choose(child, differs ? nodes_[child].counts : shorter, path);
      path.pop_back();
    }
  }

  size_t EntryOf(const OutcomeStack& stack) const {
    size_t node = 0;
    size_t entry = nodes_[node].entry;
    for (const CallerNumber caller : stack.callers) {
      node = nodes_[node].callers.at(caller);
      if (nodes_[node].entry != kNone) entry = nodes_[node].entry;
    }
    return entry;
  }

  void Divide(size_t outcome) {
    const uint64_t seen = nodes_[0].counts[outcome];
    const uint64_t all = seen > 0 ? seen : Sum(nodes_[0].counts);
    const auto exact = static_cast<uint64_t>(exact_[outcome]);
    uint64_t so_far = 0;
    for (size_t entry = 0; entry < written_.size(); ++entry) {
      const uint64_t part = seen > 0 ? own_[entry][outcome] : Sum(own_[entry]);
      if (all > 0) {
        written_[entry].counts[outcome] =
            static_cast<int64_t>(Share(exact, so_far + part, all) - Share(exact, so_far, all));
      } else if (entry == 0) {
        written_[entry].counts[outcome] = exact_[outcome];
      }
      so_far += part;
    }
  }

  const std::span<const int64_t> exact_;
  std::vector<Node> nodes_;
  std::vector<ContextCounts> written_;
  std::vector<Counts> own_;  // of each written context, without those of longer ones
};

}  // namespace

std::vector<ContextCounts> SplitByCallers(std::span<const int64_t> exact,
                                          std::span<const OutcomeStack> stacks) {
  return Splitting(exact, stacks).Run(stacks);
}

}  // namespace iprof
