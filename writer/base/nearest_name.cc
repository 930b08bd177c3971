#include "writer/base/nearest_name.h"

#include <algorithm>
#include <vector>

namespace iprof {
namespace {

constexpr size_t kLongestWord = 64;

char Lower(char c) { return c >= 'A' && c <= 'Z' ? static_cast<char>(c - 'A' + 'a') : c; }

}  // namespace

size_t EditDistance(std::string_view a, std::string_view b) {
  std::vector<size_t> above2(b.size() + 1);
  std::vector<size_t> above(b.size() + 1);
  std::vector<size_t> row(b.size() + 1);
  for (size_t j = 0; j <= b.size(); ++j) above[j] = j;
  for (size_t i = 1; i <= a.size(); ++i) {
    row[0] = i;
    for (size_t j = 1; j <= b.size(); ++j) {
      const size_t replace = Lower(a[i - 1]) == Lower(b[j - 1]) ? 0 : 1;
      row[j] = std::min({above[j] + 1, row[j - 1] + 1, above[j - 1] + replace});
      if (i > 1 && j > 1 && Lower(a[i - 1]) == Lower(b[j - 2]) &&
          Lower(a[i - 2]) == Lower(b[j - 1])) {
        row[j] = std::min(row[j], above2[j - 2] + 1);
      }
    }
    above2.swap(above);
    above.swap(row);
  }
  return above[b.size()];
}

std::string_view NearestName(std::string_view word, std::span<const std::string_view> candidates) {
  if (word.empty() || word.size() > kLongestWord) return {};
  std::string_view best;
  size_t best_distance = kLongestWord + 1;
  for (std::string_view candidate : candidates) {
    if (candidate.size() > kLongestWord) continue;
    const size_t distance = EditDistance(word, candidate);
    const size_t allowed = std::max<size_t>(candidate.size() / 3, candidate.size() >= 3 ? 1 : 0);
    const bool is_beginning = word.size() >= 2 && candidate.starts_with(word);
    if ((distance <= allowed || is_beginning) && distance < best_distance) {
      best = candidate;
      best_distance = distance;
    }
  }
  return best;
}

std::string_view NearestName(std::string_view word, std::span<const std::string> candidates) {
  const std::vector<std::string_view> views(candidates.begin(), candidates.end());
  return NearestName(word, views);
}

}  // namespace iprof
