#include "writer/flow/uncounted_flow.h"

#include <algorithm>
#include <cmath>
#include <utility>

#include "writer/flow/flow_solver.h"

namespace iprof {
namespace {

// In methods that call each other, each round follows the calls one step. So that thousands of steps take few
// rounds, each kLeap rounds the entries leap to where their growth leads.
constexpr int kMostRounds = 2000;
constexpr int kLeap = 32;
constexpr double kTolerance = 1e-6;
// What comes from outside depends on what is explained, and the other way round.
constexpr int kGrowthRounds = 4;
constexpr double kMostSelfGain = 1 - 1e-6;

class Settler {
 public:
  explicit Settler(const UncountedFlow& flow)
      : methods_(flow.methods),
        callers_(flow.methods.size()),
        self_(flow.methods.size()),
        steps_(flow.methods.size()) {
    for (const UncountedMethod& method : methods_) total_.push_back(method.counted);
    for (const FlowEdge& edge : flow.edges) {
      if (methods_[edge.to].is_settled) continue;
      if (edge.from == edge.to) {
        self_[edge.to] = std::min(self_[edge.to] + edge.gain, kMostSelfGain);
      } else {
        callers_[edge.to].emplace_back(edge.from, edge.gain);
      }
    }
  }

  std::vector<double> Run() {
    for (int attempt = 0; attempt < kGrowthRounds; ++attempt) {
      for (int round = 0; round < kMostRounds; ++round) {
        if (Round(round % kLeap == kLeap - 1) < kTolerance) break;
      }
      if (!Grow()) break;
    }
    return std::move(total_);
  }

 private:
  double Missing(uint32_t m) const { return std::max(total_[m] - methods_[m].counted, 0.0); }

  // By all calls of others.
  double Explained(uint32_t m) const {
    double sum = methods_[m].explained;
    for (const auto& [from, gain] : callers_[m]) sum += Missing(from) * gain;
    return sum;
  }

  // Follows all calls one step; returns the largest relative change.
  double Round(bool leaps) {
    double change = 0;
    for (uint32_t m = 0; m < methods_.size(); ++m) {
      const UncountedMethod& method = methods_[m];
      if (method.is_settled) continue;
      const double outside = method.outside * growth_;
      const double most = std::min(std::max(method.explained + outside, method.most), kMostTotal);
      const double inflow = (Explained(m) + outside - self_[m] * method.counted) / (1 - self_[m]);
      double total = std::max(std::min(inflow, most), method.counted);
      const double step = total - total_[m];
      if (leaps && step > 0 && steps_[m] > step) {
        // The steps are a geometric series.
        const double rest = step * step / (steps_[m] - step);
        total = std::max(std::min(total + rest, most), method.counted);
      }
      steps_[m] = step;
      change = std::max(change, std::abs(total - total_[m]) / std::max(total, 1.0));
      total_[m] = total;
    }
    return change;
  }

  // Returns false if nothing is usual.
  bool Grow() {
    double now = 0;
    double usual = 0;
    for (uint32_t m = 0; m < methods_.size(); ++m) {
      if (methods_[m].is_settled) continue;
      now += Explained(m) + self_[m] * Missing(m);
      usual += methods_[m].usual_explained;
    }
    if (usual <= 0) return false;
    growth_ = now / usual;
    return true;
  }

  const std::vector<UncountedMethod>& methods_;
  std::vector<std::vector<std::pair<uint32_t, double>>> callers_;  // other than itself; gain
  std::vector<double> self_;                                       // how often it calls itself
  std::vector<double> steps_;                                      // the last change
  std::vector<double> total_;
  double growth_ = 1;
};

}  // namespace

std::vector<double> SettleUncounted(const UncountedFlow& flow) { return Settler(flow).Run(); }

}  // namespace iprof
