#include "agent/harvest/harvest_facts.h"

#include <unistd.h>

#include <algorithm>
#include <charconv>
#include <ctime>
#include <optional>
#include <string>

#include "writer/base/utc_time.h"

namespace iprof::hotspot {
namespace {

// What stands behind the name of the program, which is in parentheses and may contain anything.
std::string_view BehindName(std::string_view stat) {
  const size_t name_end = stat.rfind(") ");
  return name_end == std::string_view::npos ? std::string_view() : stat.substr(name_end + 2);
}

// The text's word number `n` as a number, or 0.
double Word(std::string_view text, int n) {
  for (; n > 0; --n) text.remove_prefix(std::min(text.find(' ') + 1, text.size()));
  double value = 0;
  std::from_chars(text.data(), text.data() + text.size(), value);
  return value;
}

// Its word number `n`, which counts clock ticks.
std::optional<double> SecondsAt(std::string_view stat, int n) {
  if (stat.empty()) return std::nullopt;
  return Word(stat, n) / static_cast<double>(sysconf(_SC_CLK_TCK));
}

int64_t Permille(uint64_t part, uint64_t all) {
  return all == 0 ? 0 : static_cast<int64_t>((part * 1000 + all / 2) / all);
}

}  // namespace

HarvestNote NoteOf(const HarvestedProgram& program, int64_t age_s) {
  const HarvestCounts& counts = program.counts;
  HarvestNote note;
  note.without_data_permille =
      Permille(counts.without_data, counts.without_data + counts.method_datas);
  note.left_out_permille = Permille(counts.failed, counts.method_datas);
  note.type_width = program.type_rows;
  note.jvm_age_s = age_s;
  note.time = UtcTextOfSeconds(std::time(nullptr));
  note.trained = program.is_trained;
  note.methods_trained = static_cast<int64_t>(counts.trained);
  note.methods_trained_unknown = static_cast<int64_t>(counts.trained_unknown);
  note.methods_with_data = static_cast<int64_t>(counts.method_datas - counts.failed);
  note.methods_without_data = static_cast<int64_t>(counts.without_data);
  note.methods_failed = static_cast<int64_t>(counts.failed);
  note.sites_left_out = static_cast<int64_t>(counts.checks_unknown);
  note.lambdas_left_out = static_cast<int64_t>(counts.unnamed_lambdas);
  note.classes_left_out = static_cast<int64_t>(counts.left_out_classes);
  return note;
}

int64_t AgeSeconds(std::string_view stat, double now_s) {
  constexpr int kStartTime = 19;
  const auto started_s = SecondsAt(BehindName(stat), kStartTime);
  return started_s ? std::max<int64_t>(0, static_cast<int64_t>(now_s - *started_s)) : 0;
}

int64_t CpuMs(std::string_view stat) {
  constexpr int kUserTime = 11, kSystemTime = 12;
  const auto user_s = SecondsAt(BehindName(stat), kUserTime);
  const auto system_s = SecondsAt(BehindName(stat), kSystemTime);
  if (!user_s || !system_s) return HarvestNote::kUnknownCpu;
  return static_cast<int64_t>(1000 * (*user_s + *system_s));
}

int64_t AgeSeconds(std::string_view stat) {
  timespec now{};
  if (clock_gettime(CLOCK_BOOTTIME, &now) != 0) return 0;
  return AgeSeconds(stat, static_cast<double>(now.tv_sec) + static_cast<double>(now.tv_nsec) / 1e9);
}

}  // namespace iprof::hotspot
