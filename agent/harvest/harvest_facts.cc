#include "agent/harvest/harvest_facts.h"

#include <unistd.h>

#include <algorithm>
#include <charconv>
#include <ctime>
#include <string>

#include "writer/base/utc_time.h"

namespace iprof::hotspot {
namespace {

// The text's word number `n` as a number, or 0.
double Word(std::string_view text, int n) {
  for (; n > 0; --n) text.remove_prefix(std::min(text.find(' ') + 1, text.size()));
  double value = 0;
  std::from_chars(text.data(), text.data() + text.size(), value);
  return value;
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
  // The name of the program, in parentheses, may contain anything.
  const size_t name_end = stat.rfind(") ");
  if (name_end == std::string_view::npos) return 0;
  constexpr int kStartTime = 19;  // behind the name
  const double started_s =
      Word(stat.substr(name_end + 2), kStartTime) / static_cast<double>(sysconf(_SC_CLK_TCK));
  return std::max<int64_t>(0, static_cast<int64_t>(now_s - started_s));
}

int64_t AgeSeconds(std::string_view stat) {
  timespec now{};
  if (clock_gettime(CLOCK_BOOTTIME, &now) != 0) return 0;
  return AgeSeconds(stat, static_cast<double>(now.tv_sec) + static_cast<double>(now.tv_nsec) / 1e9);
}

}  // namespace iprof::hotspot
