#include "agent/harvest/unseen_calls.h"

#include <algorithm>

namespace iprof::hotspot {
namespace {

constexpr double kManyCalls = 1'000;  // fewer may be start-up, where HotSpot itself calls
// A method is called unseen if less than this share of its count flows in. The JDK's own parts of
// handles are called in no other way.
constexpr double kSeenShare = 0.05;
constexpr double kSeenShareOfHandles = 0.5;
constexpr double kMostGrowth = 1e6;
constexpr uint16_t kAccStatic = 0x0008;

constexpr std::string_view kHandlePackage = "java/lang/invoke/";
constexpr std::string_view kHandle = "java/lang/invoke/MethodHandle";

bool CallsThroughHandle(const HarvestedCall& call) {
  return call.owner.empty() || call.owner == kHandle || call.owner == "java/lang/invoke/VarHandle";
}

// Where a handle calls its method: MethodHandle.linkToStatic, linkToVirtual, …
bool IsLink(const HarvestedCall& call) {
  return call.owner == kHandle && call.name.starts_with("linkTo");
}

// A descriptor in the types that handles distinguish: L for objects and arrays, I for all that the
// stack holds as int, J, F, D, V. The receiver comes first.
std::string ShapeOf(std::string_view descriptor, bool has_receiver, size_t without_last = 0) {
  std::string shape = has_receiver ? "L" : "";
  for (size_t at = 1; at < descriptor.size(); ++at) {
    const char c = descriptor[at];
    if (c == ')') {
      shape.resize(shape.size() - std::min(shape.size(), without_last));
      shape += '_';
    } else if (c == 'L' || c == '[') {
      while (at < descriptor.size() && descriptor[at] == '[') ++at;
      if (at < descriptor.size() && descriptor[at] == 'L') at = descriptor.find(';', at);
      shape += 'L';
      if (at >= descriptor.size()) break;
    } else {
      shape += c == 'Z' || c == 'B' || c == 'S' || c == 'C' ? 'I' : c;
    }
  }
  return shape;
}

}  // namespace

UnseenCalls::UnseenCalls(const HarvestedProgram& program) : program_(program) {
  for (uint32_t m = 0; m < program.methods.size(); ++m) {
    const HarvestedMethod& method = program.methods[m];
    if (method.calls.empty() || program.classes[method.klass].is_previous_version) continue;
    double count = 0;
    double unknown = 0;
    for (const HarvestedCall& call : method.calls) {
      const auto executed = static_cast<double>(call.block_count);
      if (executed == 0) continue;
      if (IsLink(call)) {
        links_[call.name == "linkToStatic"][ShapeOf(call.descriptor, false, 1)] += executed;
      } else if (CallsThroughHandle(call)) {
        count += executed;
        if (!call.has_targets) unknown += executed;
      }
    }
    // What handles are made of is called by the sites that count.
    if (IsPartOfHandles(m)) continue;
    if (count > 0) sites_.push_back({m, count});
    if (unknown > 0) unknown_.push_back({m, unknown});
  }
}

bool UnseenCalls::IsPartOfHandles(uint32_t method) const {
  return program_.classes[program_.methods[method].klass].name.starts_with(kHandlePackage);
}

double UnseenCalls::Growth(const std::vector<Site>& sites, std::span<const double> factors,
                           std::span<const double> least) {
  double counted = 0;
  double executed = 0;
  for (const Site& site : sites) {
    counted += site.count * least[site.caller];
    executed += site.count * factors[site.caller];
  }
  return counted > 0 ? std::clamp(executed / counted, 1.0, kMostGrowth) : 1;
}

std::vector<double> UnseenCalls::Estimate(const FlowProblem& problem, std::span<const double> total,
                                          std::span<const double> factors,
                                          std::span<const double> least) const {
  if (sites_.empty()) return {};
  std::vector<double> inflow = problem.external;
  // How many of its counted calls a method makes itself. They come with those from outside.
  std::vector<double> own(inflow.size());
  for (const FlowEdge& edge : problem.edges) {
    if (edge.from == edge.to) {
      own[edge.to] += problem.floor[edge.to] * edge.gain;
    } else {
      inflow[edge.to] += total[edge.from] * edge.gain;
    }
  }
  // After a session of the agent, sites have a young MethodData, but parts of handles keep their counts. So parts grow only as far as
  // sites were executed more often than entries were counted. Nothing else bounds them.
  const double growth_of_parts = Growth(sites_, factors, least);
  const std::vector<double> ones(factors.size(), 1.0);
  const double growth = Growth(unknown_, factors, ones);
  std::vector<double> unseen(inflow.size());
  std::map<std::string, std::vector<uint32_t>> by_shape[2];
  for (uint32_t m = 0; m < unseen.size(); ++m) {
    if (problem.floor[m] < kManyCalls) continue;
    const HarvestedMethod& method = program_.methods[m];
    const double raw = problem.floor[m] - own[m];
    const bool is_part = IsPartOfHandles(m);
    if (inflow[m] >= (is_part ? kSeenShareOfHandles : kSeenShare) * raw) continue;
    unseen[m] = raw - inflow[m];
    if (is_part) {
      unseen[m] *= growth_of_parts;
    } else {
      const bool is_static = (method.access & kAccStatic) != 0;
      by_shape[is_static][ShapeOf(method.descriptor, !is_static)].push_back(m);
    }
  }
  for (const bool is_static : {false, true}) {
    for (const auto& [shape, callees] : by_shape[is_static]) {
      const auto links = links_[is_static].find(shape);
      if (links == links_[is_static].end()) continue;
      double counted = 0;
      for (const uint32_t m : callees) counted += IsIntrinsic(m) ? 0 : unseen[m];
      if (links->second <= counted) continue;
      for (const uint32_t m : callees)
        unseen[m] *= IsIntrinsic(m) ? std::min(growth, growth_of_parts)
                                    : std::min(growth, links->second / counted);
    }
  }
  return unseen;
}

}  // namespace iprof::hotspot
