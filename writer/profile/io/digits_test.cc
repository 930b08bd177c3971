#include "writer/profile/io/digits.h"

#include <catch2/catch.hpp>
#include <limits>
#include <vector>

namespace iprof {
namespace {

TEST_CASE("numbers are read as they were written") {
  const std::vector<int64_t> numbers{0,
                                     1,
                                     -1,
                                     15,
                                     -15,
                                     16,
                                     511,
                                     -512,
                                     70'000,
                                     std::numeric_limits<int64_t>::max(),
                                     std::numeric_limits<int64_t>::min()};
  std::string text;
  for (const int64_t number : numbers) AppendSigned(number, &text);
  for (const int64_t number : numbers) AppendSmall(static_cast<uint64_t>(number), &text);
  DigitReader in(text);
  for (const int64_t number : numbers) CHECK(in.Signed() == number);
  for (const int64_t number : numbers) CHECK(in.Small() == static_cast<uint64_t>(number));
  CHECK(in.ok());
  CHECK(in.at_end());
}

TEST_CASE("small numbers take one digit") {
  const auto length = [](int64_t number) {
    std::string text;
    AppendSigned(number, &text);
    return text.size();
  };
  CHECK(length(0) == 1);
  CHECK(length(15) == 1);
  CHECK(length(-16) == 1);
  CHECK(length(16) == 2);
  CHECK(length(511) == 2);
}

TEST_CASE("what is no number fails and stays at 0") {
  for (const char* text : {"", "-", "g", "gggggggggggggggggggg", "\xff"}) {
    DigitReader in(text);
    CHECK(in.Small() == 0);
    CHECK_FALSE(in.ok());
    CHECK(in.Small() == 0);
  }
  DigitReader in("-A");
  CHECK_FALSE(in.Consume('A'));
  CHECK(in.Consume('-'));
  CHECK(in.Small() == 0);
  CHECK(in.ok());
  CHECK(ValueOfDigit('-') == -1);
  CHECK(ValueOfDigit('/') == 63);
}

}  // namespace
}  // namespace iprof
