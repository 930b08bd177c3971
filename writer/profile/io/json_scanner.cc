#include "writer/profile/io/json_scanner.h"

#include <bit>
#include <charconv>
#include <cstring>

#include "writer/base/utf8.h"

namespace iprof {
namespace {

constexpr size_t kFirstCapacity = size_t{128} << 10;
constexpr size_t kPadding = 16;
constexpr size_t kNumberTextBytes = 40;
static_assert(std::endian::native == std::endian::little,
              "the search below counts bytes from the low end");

constexpr uint64_t kOnes = 0x0101010101010101u;
constexpr uint64_t kHighs = 0x8080808080808080u;

// High bits mark zero bytes. Marks above the lowest one may be wrong, which does not matter here.
uint64_t ZeroBytes(uint64_t word) { return (word - kOnes) & ~word & kHighs; }

// The first byte from `at` on that needs a decision inside a string: quote, backslash, control, not
// ASCII. The window's zero padding is a control byte, so this always stops.
const char* FindSpecial(const char* at) {
  for (;;) {
    uint64_t word;
    std::memcpy(&word, at, sizeof(word));
    const uint64_t special = ((word - kOnes * 0x20) & ~word & kHighs) | (word & kHighs) |
                             ZeroBytes(word ^ (kOnes * '"')) | ZeroBytes(word ^ (kOnes * '\\'));
    if (special != 0) return at + (std::countr_zero(special) >> 3);
    at += sizeof(word);
  }
}

bool IsDigit(char c) { return c >= '0' && c <= '9'; }

int HexDigit(char c) {
  if (IsDigit(c)) return c - '0';
  if (c >= 'a' && c <= 'f') return c - 'a' + 10;
  if (c >= 'A' && c <= 'F') return c - 'A' + 10;
  return -1;
}

// The four digits at text[at], or -1.
int64_t HexQuad(std::string_view text, size_t at) {
  if (text.size() < at + 4) return -1;
  int64_t value = 0;
  for (size_t i = at; i < at + 4; ++i) {
    const int digit = HexDigit(text[i]);
    if (digit < 0) return -1;
    value = value * 16 + digit;
  }
  return value;
}

}  // namespace

JsonScanner::JsonScanner(ByteSource& source, std::string_view name, const Place& place,
                         uint64_t base_offset)
    : source_(source),
      name_(name),
      place_(place),
      capacity_(kFirstCapacity),
      window_(new char[kFirstCapacity + kPadding]),
      window_offset_(base_offset),
      at_(window_.get()),
      end_(window_.get()) {
  std::memset(window_.get(), 0, kPadding);
}

bool JsonScanner::Refill(const char* keep) {
  const size_t kept = static_cast<size_t>(end_ - keep);
  if (capture_ != nullptr) {
    // The kept bytes are captured later, because they have not been consumed yet.
    if (keep > capture_from_) capture_->append(capture_from_, keep);
    if (capture_->size() > kMaxHeldBackBytes) {
      return FailWith(Code::kLimit, "a value of more than 1 GiB",
                      "less, or types and methods before it");
    }
  }
  window_offset_ += static_cast<uint64_t>(keep - window_.get());
  if (kept > capacity_ / 2) {
    if (kept > kMaxStringBytes) {
      at_ = keep;
      window_offset_ -= static_cast<uint64_t>(keep - window_.get());
      return FailWith(Code::kLimit, "a string of more than 16 MiB", "a shorter one");
    }
    std::unique_ptr<char[]> larger(new char[capacity_ * 2 + kPadding]);
    std::memcpy(larger.get(), keep, kept);
    window_.swap(larger);
    capacity_ *= 2;
  } else if (keep != window_.get()) {
    std::memmove(window_.get(), keep, kept);
  }
  at_ = window_.get();
  capture_from_ = at_;
  char* fill = window_.get() + kept;
  size_t count = 0;
  if (!source_ended_) {
    Result<size_t> got = source_.Read(fill, capacity_ - kept);
    if (got.ok()) {
      count = *got;
    } else {
      status_ = got.status();
    }
    source_ended_ = count == 0;
  }
  end_ = fill + count;
  std::memset(fill + count, 0, kPadding);
  return count != 0;
}

char JsonScanner::PeekSlow() {
  for (;;) {
    while (*at_ == ' ' || *at_ == '\n' || *at_ == '\r' || *at_ == '\t') ++at_;
    if (static_cast<unsigned char>(*at_) > ' ') return *at_;
    if (at_ != end_) return '\x01';  // a control byte, never legal here
    if (!Refill(at_)) return '\0';
  }
}

char JsonScanner::ByteSlow() { return Refill(at_) ? *at_ : '\0'; }

std::string JsonScanner::Preview() {
  if (Peek() == '\0' && at_ == end_) return "the end of the file";
  if (end_ - at_ < 24) Refill(at_);
  size_t size = std::min<size_t>(24, static_cast<size_t>(end_ - at_));
  std::string text = "`";
  for (size_t i = 0; i < size; ++i) {
    const char c = at_[i];
    if (c >= ' ' && c < 127) {
      text.push_back(c);
    } else {
      static constexpr char kHex[] = "0123456789abcdef";
      const auto byte = static_cast<unsigned char>(c);
      text.append("\\x").append({kHex[byte >> 4], kHex[byte & 15]});
    }
  }
  text.push_back('`');
  return text;
}

bool JsonScanner::FailWith(Code code, std::string found, const char* expected) {
  if (!status_.ok()) return false;
  Violation violation{place_, std::move(found), expected};
  violation.place.offset = offset();
  status_ = Status(code, FormatViolation(name_, violation));
  // All later calls see the end of the input.
  source_ended_ = true;
  window_offset_ = violation.place.offset;
  at_ = end_ = window_.get();
  std::memset(window_.get(), 0, kPadding);
  return false;
}

bool JsonScanner::Fail(const char* expected) {
  if (!status_.ok()) return false;
  std::string found = Preview();
  return FailWith(Code::kBadInput, std::move(found), expected);
}

bool JsonScanner::ReadString(std::string_view* text) {
  if (Peek() != '"') return Fail("a string");
  const char* start = at_;  // at the quote
  const char* q = start + 1;
  bool escapes = false;
  bool ascii = true;
  for (;;) {
    q = FindSpecial(q);
    if (*q == '"') break;
    const size_t done = static_cast<size_t>(q - start);
    // Makes `count` bytes from q on available; false if the input has fewer.
    const auto need = [&](size_t count) {
      while (static_cast<size_t>(end_ - q) < count) {
        const bool more = Refill(start);
        start = at_;
        q = start + done;
        if (!more) return false;
      }
      return true;
    };
    if (q == end_) {
      if (need(1)) continue;
      if (!status_.ok()) return false;
      at_ = end_;
      return Fail("the end of a string");
    }
    if (*q == '\\') {
      escapes = true;
      if (!need(2)) {
        at_ = end_;
        return Fail("the rest of an escape");
      }
      q += 2;
    } else if (static_cast<signed char>(*q) < 0) {
      ascii = false;
      ++q;
    } else {
      at_ = q;
      return FailWith(Code::kBadInput, "a control character",
                      "an escape such as \\n inside a string");
    }
  }
  const std::string_view raw(start + 1, static_cast<size_t>(q - start - 1));
  if (!ascii && !IsUtf8(raw)) {
    return FailWith(Code::kBadInput, "a string that is not UTF-8", "UTF-8");
  }
  if (raw.size() > kMaxStringBytes) {
    return FailWith(Code::kLimit, "a string of more than 16 MiB", "a shorter one");
  }
  if (!escapes) {
    at_ = q + 1;
    *text = raw;
    return true;
  }
  if (!Unescape(raw))
    return FailWith(Code::kBadInput, "a string with a bad escape",
                    "\\\" \\\\ \\/ \\b \\f \\n \\r \\t or \\uXXXX");
  at_ = q + 1;
  *text = scratch_;
  return true;
}

bool JsonScanner::Unescape(std::string_view text) {
  scratch_.clear();
  for (size_t i = 0; i < text.size(); ++i) {
    if (text[i] != '\\') {
      scratch_.push_back(text[i]);
      continue;
    }
    const char kind = text[++i];  // ReadString made sure that there is one
    static constexpr std::string_view kFrom = "\"\\/bfnrt";
    static constexpr std::string_view kTo = "\"\\/\b\f\n\r\t";
    if (const size_t which = kFrom.find(kind); which != std::string_view::npos) {
      scratch_.push_back(kTo[which]);
      continue;
    }
    const int64_t unit = kind == 'u' ? HexQuad(text, i + 1) : -1;
    if (unit < 0) return false;
    i += 4;
    auto code_point = static_cast<uint32_t>(unit);
    if (IsHighSurrogate(code_point) && text.substr(i + 1, 2) == "\\u") {
      const int64_t low = HexQuad(text, i + 3);
      if (low >= 0 && IsLowSurrogate(static_cast<uint32_t>(low))) {
        code_point = JoinSurrogates(code_point, static_cast<uint32_t>(low));
        i += 6;
      }
    }
    AppendCodePoint(code_point, &scratch_);
  }
  return true;
}

void JsonScanner::ReadPlainIntegers(std::vector<int64_t>* values) {
  const char* q = at_;
  for (;;) {
    const char* first = q;
    uint64_t value = 0;
    for (unsigned digit; (digit = static_cast<unsigned char>(*q) - unsigned{'0'}) < 10; ++q) {
      value = value * 10 + digit;
    }
    const auto digits = q - first;
    // The comma proves that the number ends here and is not cut off at the window's edge.
    if (*q != ',' || digits < 1 || digits > 18 || (*first == '0' && digits > 1)) return;
    values->push_back(static_cast<int64_t>(value));
    at_ = ++q;
  }
}

bool JsonScanner::ReadText(std::string* text) {
  std::string_view read;
  if (Peek() != '"' || !ReadString(&read)) return false;
  *text = read;
  return true;
}

bool JsonScanner::ReadWhole(int64_t* value) {
  Peek();  // skips white space
  return ReadInteger(value) == Number::kInteger;
}

JsonScanner::Number JsonScanner::ReadInteger(int64_t* value) {
  const bool negative = *at_ == '-';
  const char* first = at_ + negative;
  const char* q = first;
  uint64_t magnitude = 0;
  for (unsigned digit; (digit = static_cast<unsigned char>(*q) - unsigned{'0'}) < 10; ++q) {
    magnitude = magnitude * 10 + digit;
  }
  const auto digits = q - first;
  if (digits < 1 || digits > 18 || q == end_ || *q == '.' || *q == 'e' || *q == 'E' ||
      (*first == '0' && digits > 1)) {
    return ReadNumberSlow(value);
  }
  at_ = q;
  *value = negative ? -static_cast<int64_t>(magnitude) : static_cast<int64_t>(magnitude);
  return Number::kInteger;
}

JsonScanner::Number JsonScanner::ReadNumberSlow(int64_t* value) {
  scratch_.clear();
  bool shortened = false;
  const auto take = [&] {
    if (scratch_.size() < kNumberTextBytes) {
      scratch_.push_back(*at_);
    } else {
      shortened = true;
    }
    ++at_;
  };
  const auto digits = [&] {
    if (!IsDigit(Byte())) return Fail("a digit");
    while (IsDigit(Byte())) take();
    return true;
  };
  if (Byte() == '-') take();
  if (Byte() == '0') {
    take();
    if (IsDigit(Byte())) {
      Fail("no digit after a leading zero");
      return Number::kFailed;
    }
  } else if (!digits()) {
    return Number::kFailed;
  }
  bool integer = true;
  if (Byte() == '.') {
    integer = false;
    take();
    if (!digits()) return Number::kFailed;
  }
  if (Byte() == 'e' || Byte() == 'E') {
    integer = false;
    take();
    if (Byte() == '+' || Byte() == '-') take();
    if (!digits()) return Number::kFailed;
  }
  if (!status_.ok()) return Number::kFailed;
  const auto parsed = std::from_chars(scratch_.data(), scratch_.data() + scratch_.size(), *value);
  if (shortened) scratch_.append("...");
  if (!integer) return Number::kFraction;
  return parsed.ec == std::errc() && !shortened ? Number::kInteger : Number::kTooLarge;
}

bool JsonScanner::SkipKey() {
  std::string_view key;
  if (Peek() != '"') return Fail("a key in quotes");
  return ReadString(&key) && Expect(':', "':' after a key");
}

bool JsonScanner::SkipScalar(char first) {
  if (first == '"') {
    std::string_view text;
    return ReadString(&text);
  }
  if (first == '-' || IsDigit(first)) {
    int64_t value = 0;
    return ReadInteger(&value) != Number::kFailed;
  }
  const std::string_view word = first == 't'   ? "true"
                                : first == 'f' ? "false"
                                : first == 'n' ? "null"
                                               : "";
  if (word.empty()) return Fail("a JSON value");
  for (const char c : word) {
    if (Byte() != c) return Fail("true, false or null");
    ++at_;
  }
  return true;
}

bool JsonScanner::SkipValue(std::string* raw) {
  char closers[kMaxNesting];
  size_t depth = 0;
  Peek();
  capture_ = raw;
  capture_from_ = at_;
  const auto skip = [&] {
    for (;;) {
      const char first = Peek();
      if (first == '{' || first == '[') {
        const char closer = first == '{' ? '}' : ']';
        if (depth == kMaxNesting) {
          return FailWith(Code::kLimit, "deeper nesting", "at most 256 levels");
        }
        ++at_;
        if (!Consume(closer)) {
          closers[depth++] = closer;
          if (closer == '}' && !SkipKey()) return false;
          continue;
        }
      } else if (!SkipScalar(first)) {
        return false;
      }
      for (;;) {
        if (depth == 0) return true;
        const char closer = closers[depth - 1];
        if (Consume(',')) {
          if (closer == '}' && !SkipKey()) return false;
          break;
        }
        if (!Consume(closer)) return Fail(closer == '}' ? "',' or '}'" : "',' or ']'");
        --depth;
      }
    }
  };
  const bool ok = skip();
  if (raw != nullptr && ok) raw->append(capture_from_, at_);
  capture_ = nullptr;
  return ok;
}

bool JsonScanner::ExpectEnd() {
  return (Peek() == '\0' && at_ == end_ && status_.ok()) || Fail("nothing more after the profile");
}

}  // namespace iprof
