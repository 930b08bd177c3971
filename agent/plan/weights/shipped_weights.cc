#include "agent/plan/weights/shipped_weights.h"

#include <fmt/core.h>

#include <algorithm>
#include <cmath>
#include <string>

#include "agent/plan/weights/code_shape.h"

namespace iprof::instrument {
namespace {

constexpr char kUnknown = '.';
constexpr double kStep = 4;  // between two characters
constexpr double kMiddle = 4.5;

// Takes the text up to the next space.
std::string_view Word(std::string_view& text) {
  const size_t end = std::min(text.find(' '), text.size());
  const std::string_view word = text.substr(0, end);
  text.remove_prefix(std::min(end + 1, text.size()));
  return word;
}

bool Is(std::string_view word, const MethodNames& names) {
  return word.size() == names.name.size() + names.descriptor.size() &&
         word.starts_with(names.name) && word.ends_with(names.descriptor);
}

}  // namespace

double WeightOfText(char text) { return std::pow(kStep, text - '0' - kMiddle); }

void ShippedWeights::Weigh(const MethodNames& names, const MethodGraph& method,
                           std::span<double> weights) const {
  if (method.recorded_count() == 0) return;
  const auto klass = std::lower_bound(
      table_.begin(), table_.end(), names.klass,
      [](const ShippedClass& c, std::string_view wanted) { return c.name < wanted; });
  if (klass == table_.end() || klass->name != names.klass) return;
  std::string hash;  // of the method's shape, once it is needed
  for (std::string_view rest = klass->methods; !rest.empty();) {
    const std::string_view word = Word(rest);
    const std::string_view shape = Word(rest);
    const std::string_view text = Word(rest);
    if (!Is(word, names)) continue;
    if (hash.empty()) hash = fmt::format("{:08x}", HashOfShape(method.code()));
    if (shape != hash) continue;  // the next may be the same method in another JDK
    size_t at = 0;
    for (uint32_t n = 0; n < method.recorded_count(); ++n) {
      const MethodGraph::Recorded recorded = method.recorded(n);
      if (recorded.is_call) continue;
      const size_t length = recorded.edge_count == 2 ? 1 : recorded.edge_count;
      const std::string_view ways = text.substr(std::min(at, text.size()), length);
      at += length;
      if (ways.size() != length || ways[0] == kUnknown || weights[recorded.first_edge] >= 0)
        continue;
      for (uint32_t i = 0; i < recorded.edge_count; ++i)
        weights[recorded.first_edge + i] = i < length ? WeightOfText(ways[i]) : 1;
    }
    return;
  }
}

}  // namespace iprof::instrument
