#include "writer/profile/sureness.h"

#include <algorithm>
#include <bit>
#include <functional>

#include "writer/base/grouped.h"

namespace iprof {
namespace {

constexpr char kMostMark = 'Z';
static_assert(kMostMark - 'A' == Sureness::kMostLog);
constexpr char kCallsCounted = '+';

char LetterOf(Sureness::Kind kind, uint8_t doubt) {
  switch (kind) {
    case Sureness::Kind::kExact:
      return 'e';
    case Sureness::Kind::kBounded:
      return 'b';
    case Sureness::Kind::kEstimated:
      return static_cast<char>(kMostMark - doubt);
    case Sureness::Kind::kGuessed:
      return 'g';
    case Sureness::Kind::kAbsent:
    case Sureness::Kind::kUnknown:
      break;
  }
  return '-';
}

}  // namespace

Sureness Sureness::EstimatedFrom(uint64_t executions) {
  if (executions == 0) return Sureness(Kind::kGuessed);
  Sureness made(Kind::kEstimated);
  const auto log = std::min<uint64_t>(std::bit_width(executions) - 1, kMostLog);
  made.doubt_ = static_cast<uint8_t>(kMostLog - log);
  return made;
}

std::string Sureness::Mark() const {
  std::string mark(1, LetterOf(kind_, doubt_));
  if (has_only_counted_calls()) mark += kCallsCounted;
  return mark;
}

std::optional<Sureness> Sureness::OfMark(std::string_view mark) {
  if (mark.size() == 2 && mark[1] == kCallsCounted) {
    const std::optional<Sureness> rest = OfMark(mark.substr(0, 1));
    if (!rest || *rest <= Bounded() || *rest == Unknown()) return std::nullopt;
    return Of(Bounded(), *rest);
  }
  if (mark.size() != 1) return std::nullopt;
  const char letter = mark.front();
  if (letter >= 'A' && letter <= kMostMark) return EstimatedFrom(uint64_t{1} << (letter - 'A'));
  for (const Kind kind : {Kind::kExact, Kind::kBounded, Kind::kGuessed, Kind::kUnknown}) {
    if (LetterOf(kind, 0) == letter) return Sureness(kind);
  }
  return std::nullopt;
}

std::string Sureness::Describe() const {
  std::string text(NameOf(kind_));
  if (kind_ == Kind::kEstimated)
    text += " from " + Counted(executions(), "execution", "executions");
  if (has_only_counted_calls()) text += ", but for the calls";
  return text;
}

std::string_view NameOf(Sureness::Kind kind) {
  switch (kind) {
    case Sureness::Kind::kAbsent:
      return "absent";
    case Sureness::Kind::kExact:
      return "exact";
    case Sureness::Kind::kBounded:
      return "bounded";
    case Sureness::Kind::kEstimated:
      return "estimated";
    case Sureness::Kind::kGuessed:
      return "guessed";
    case Sureness::Kind::kUnknown:
      return "unknown";
  }
  return {};
}

DoubtfulCalls DoubtfulOf(const std::vector<std::pair<double, Sureness>>& methods) {
  constexpr double kMostOf = 0.9;
  double all = 0;
  double doubtful = 0;
  std::vector<std::pair<double, uint64_t>> found;  // calls, executions
  for (const auto& [calls, sureness] : methods) {
    all += calls;
    if (!sureness.calls().IsDoubtful() || calls <= 0) continue;
    doubtful += calls;
    found.emplace_back(calls, sureness.executions());
  }
  if (found.empty()) return {};
  std::sort(found.begin(), found.end(), std::greater<>());
  DoubtfulCalls result{.share = doubtful / all, .executions = found.front().second};
  double held = 0;
  for (const auto& [calls, executions] : found) {
    if (held >= kMostOf * doubtful) break;
    held += calls;
    ++result.methods;
  }
  return result;
}

}  // namespace iprof
