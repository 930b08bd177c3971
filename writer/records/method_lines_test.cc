#include "writer/records/method_lines.h"

#include <catch2/catch.hpp>
#include <optional>
#include <random>

namespace iprof {
namespace {

std::optional<uint32_t> LineIn(std::span<const uint8_t> lines, uint32_t bci) {
  std::vector<LineStart> starts{{1, 1}};
  ReadLines(lines, &starts);
  std::optional<uint32_t> found;
  for (const LineStart& start : starts) {
    if (start.bci <= bci) found = start.line;
  }
  return found;
}

TEST_CASE("each recorded position has its line") {
  std::mt19937 engine(3);
  const auto random = [&engine] { return static_cast<uint32_t>(engine()); };
  for (int round = 0; round < 200; ++round) {
    std::vector<LineStart> starts;
    for (uint32_t bci = random() % 3; bci < 60'000; bci += 1 + random() % 20'000)
      starts.push_back({bci, random() % 65'536});
    std::vector<uint32_t> positions;
    for (uint32_t bci = random() % 9; bci < 65'000; bci += 1 + random() % 9'000)
      positions.push_back(bci);
    std::vector<uint8_t> bytes{1, 2, 3};
    const bool any = AppendLines(starts, positions, &bytes);
    const auto lines = std::span(bytes).subspan(3);
    if (!any) CHECK(lines.empty());
    for (const uint32_t bci : positions) {
      std::optional<uint32_t> expected;
      for (const LineStart& start : starts) {
        if (start.bci <= bci) expected = start.line;
      }
      CHECK(LineIn(lines, bci) == expected);
    }
    std::vector<LineStart> read{{1, 1}};
    ReadLines(lines, &read);
    CHECK(read.empty() == !any);
    for (size_t i = 0; i < read.size(); ++i) {
      CHECK(LineIn(lines, read[i].bci) == read[i].line);
      if (i > 0) CHECK(read[i - 1].bci < read[i].bci);
    }
  }
}

TEST_CASE("positions on one line share its bytes") {
  std::vector<uint8_t> bytes;
  CHECK(AppendLines(std::vector<LineStart>{{0, 40}, {8, 41}, {30, 44}},
                    std::vector<uint32_t>{0, 4, 9, 20, 29}, &bytes));
  CHECK(bytes.size() == 5);
  CHECK(LineIn(bytes, 20) == 41U);
}

TEST_CASE("without lines nothing is appended, and damaged bytes have none") {
  std::vector<uint8_t> bytes;
  CHECK_FALSE(AppendLines({}, std::vector<uint32_t>{0, 5}, &bytes));
  CHECK_FALSE(AppendLines(std::vector<LineStart>{{7, 1}}, std::vector<uint32_t>{0, 5}, &bytes));
  CHECK(bytes.empty());
  CHECK_FALSE(LineIn({}, 3));
  for (const std::vector<uint8_t>& damaged :
       {std::vector<uint8_t>{0xff, 0xff}, std::vector<uint8_t>{1, 0, 3},
        std::vector<uint8_t>{1, 0, 0xff, 0xff, 0xff, 0x7f}})
    CHECK_FALSE(LineIn(damaged, 70));
}

}  // namespace
}  // namespace iprof
