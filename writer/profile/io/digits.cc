#include "writer/profile/io/digits.h"

#include <array>

namespace iprof {
namespace {

constexpr std::string_view kDigits =
    "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";
constexpr int kBitsOfSmall = kBitsOfDigit - 1;
constexpr uint64_t kMore = uint64_t{1} << kBitsOfSmall;

constexpr std::array<int8_t, 256> kValues = [] {
  std::array<int8_t, 256> made{};
  made.fill(-1);
  for (size_t d = 0; d < kDigits.size(); ++d)
    made[static_cast<uint8_t>(kDigits[d])] = static_cast<int8_t>(d);
  return made;
}();

}  // namespace

int ValueOfDigit(char digit) { return kValues[static_cast<uint8_t>(digit)]; }

void AppendDigits(uint64_t hash, size_t digits, std::string* out) {
  for (size_t d = 0; d < digits; ++d) {
    out->push_back(kDigits[hash >> (64 - kBitsOfDigit)]);
    hash <<= kBitsOfDigit;
  }
}

void AppendSmall(uint64_t number, std::string* out) {
  for (; number >= kMore; number >>= kBitsOfSmall)
    out->push_back(kDigits[kMore | (number & (kMore - 1))]);
  out->push_back(kDigits[number]);
}

void AppendSigned(int64_t number, std::string* out) {
  const auto bits = static_cast<uint64_t>(number);
  AppendSmall(number < 0 ? ~(bits << 1) : bits << 1, out);
}

bool DigitReader::Consume(char c) {
  if (!text_.starts_with(c)) return false;
  text_.remove_prefix(1);
  return true;
}

uint64_t DigitReader::Small() {
  uint64_t number = 0;
  for (int shift = 0; ok_ && shift < 64; shift += kBitsOfSmall) {
    const int value = text_.empty() ? -1 : ValueOfDigit(text_.front());
    if (value < 0) break;
    text_.remove_prefix(1);
    number |= (static_cast<uint64_t>(value) & (kMore - 1)) << shift;
    if ((static_cast<uint64_t>(value) & kMore) == 0) return number;
  }
  ok_ = false;
  return 0;
}

int64_t DigitReader::Signed() {
  const uint64_t bits = Small();
  return static_cast<int64_t>((bits & 1) != 0 ? ~(bits >> 1) : bits >> 1);
}

}  // namespace iprof
