#include "writer/base/run_id.h"

#include <linux/random.h>

#include <charconv>
#include <cstddef>

namespace iprof {
namespace {

constexpr size_t kDigits = 16;  // of one of both numbers
constexpr int kBase = 16;

void Append(uint64_t number, std::string* text) {
  constexpr std::string_view kHex = "0123456789abcdef";
  for (size_t digit = kDigits; digit-- > 0;) *text += kHex[(number >> (4 * digit)) % kBase];
}

bool Read(std::string_view digits, uint64_t* number) {
  const char* const end = digits.data() + digits.size();
  const auto [read, error] = std::from_chars(digits.data(), end, *number, kBase);
  return error == std::errc() && read == end;
}

}  // namespace

RunId RunId::Make(SystemCalls& calls) {
  RunId id;
  const ssize_t got = calls.Getrandom(&id, sizeof id, GRND_NONBLOCK);
  return got == static_cast<ssize_t>(sizeof id) ? id : RunId();
}

RunId RunId::Parse(std::string_view text) {
  RunId id;
  const bool is_one = text.size() == 2 * kDigits && Read(text.substr(0, kDigits), &id.high) &&
                      Read(text.substr(kDigits), &id.low);
  return is_one ? id : RunId();
}

std::string RunId::Text() const {
  std::string text;
  if (!is_known()) return text;
  Append(high, &text);
  Append(low, &text);
  return text;
}

}  // namespace iprof
