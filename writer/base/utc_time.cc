#include "writer/base/utc_time.h"

#include <fmt/core.h>

#include <algorithm>
#include <ctime>

namespace iprof {
namespace {

constexpr int64_t kMostSeconds = int64_t{253'402'300'800} - 1;  // in the year 9999
constexpr int64_t kMostMs = int64_t{253'402'300'800'000} - 1;

// Without what follows the seconds. `between`: date and time.
std::string TextTo(int64_t seconds, char between = 'T') {
  const auto time = static_cast<std::time_t>(seconds);
  std::tm utc{};
  gmtime_r(&time, &utc);
  return fmt::format("{:04}-{:02}-{:02}{}{:02}:{:02}:{:02}", utc.tm_year + 1900, utc.tm_mon + 1,
                     utc.tm_mday, between, utc.tm_hour, utc.tm_min, utc.tm_sec);
}

}  // namespace

std::string UtcText(int64_t ms_since_1970) {
  const int64_t ms = std::clamp<int64_t>(ms_since_1970, 0, kMostMs);
  return fmt::format("{}.{:03}Z", TextTo(ms / 1000), ms % 1000);
}

std::string UtcTextOfSeconds(int64_t seconds_since_1970) {
  return TextTo(std::clamp<int64_t>(seconds_since_1970, 0, kMostSeconds)) + 'Z';
}

std::string UtcTextForPeople(int64_t ms_since_1970) {
  return TextTo(std::clamp<int64_t>(ms_since_1970, 0, kMostMs) / 1000, ' ');
}

int64_t ParseUtcText(std::string_view text) {
  constexpr std::string_view kForm = "0000-00-00T00:00:00.000Z";
  if (text.size() != kForm.size()) return 0;
  int numbers[7] = {};  // year, month, day, hours, minutes, seconds, milliseconds
  size_t number = 0;
  for (size_t i = 0; i < text.size(); ++i) {
    if (kForm[i] != '0') {
      if (text[i] != kForm[i]) return 0;
      ++number;
      continue;
    }
    if (text[i] < '0' || text[i] > '9') return 0;
    numbers[number] = numbers[number] * 10 + (text[i] - '0');
  }
  std::tm time{};
  time.tm_year = numbers[0] - 1900;
  time.tm_mon = numbers[1] - 1;
  time.tm_mday = numbers[2];
  time.tm_hour = numbers[3];
  time.tm_min = numbers[4];
  time.tm_sec = numbers[5];
  return std::max<int64_t>(0, int64_t{timegm(&time)} * 1000 + numbers[6]);
}

}  // namespace iprof
