#include "cli/raw_copies.h"

#include <fmt/format.h>

#include <algorithm>
#include <catch2/catch.hpp>
#include <string>
#include <utility>
#include <vector>

#include "writer/base/utc_time.h"

namespace iprof::cli {
namespace {

constexpr int64_t kStart = 1'700'000'000'000;

RawCopy Copy(int64_t start_ms, int64_t time_ms, SnapshotNote note = {}) {
  note.time = UtcText(time_ms);
  return {start_ms, std::move(note)};
}

// "1: 0, and newer; "
std::string Said(const std::vector<RawCopy>& files) {
  std::string text;
  for (const auto& [copy, kept, why] : LeaveOutCopies(files))
    text += fmt::format("{}: {}{}; ", copy, kept, why);
  return text;
}

TEST_CASE("of copies the newest is kept, and of equally new ones that with the fewest losses") {
  CHECK(Said({Copy(kStart, kStart + 1000)}).empty());
  CHECK(Said({Copy(kStart, kStart + 1000), Copy(kStart, kStart + 2000),
              Copy(kStart, kStart + 3000)}) == "0: 2, and newer; 1: 2, and newer; ");
  CHECK(Said({Copy(kStart, kStart + 1000), Copy(kStart, kStart + 1000, {.generation = 2})}) ==
        "0: 1, and newer; ");
  CHECK(Said({Copy(kStart, kStart + 1000), Copy(kStart, kStart + 2000, {.lost_counts = 1})}) ==
        "0: 1, and newer, but has more losses; ");
  CHECK(Said({Copy(kStart, kStart + 1000, {.newer_damaged = 1}), Copy(kStart, kStart + 1000)}) ==
        "0: 1, and has fewer losses; ");
  CHECK(Said({Copy(0, kStart + 1000), Copy(0, kStart + 1000)}) == "1: 0; ");
}

TEST_CASE("a copy that has lost its start is of the recording of its time, whatever comes first") {
  // There was a reset after 5 s.
  const RawCopy before = Copy(kStart, kStart + 4000);
  const RawCopy after = Copy(kStart + 5000, kStart + 9000);
  const SnapshotNote lossy{.lost_other = 1, .lost_notes = 1};
  for (const auto& [time_ms, recording] :
       {std::pair(kStart + 3000, 0), std::pair(kStart + 8000, 1)}) {
    std::vector<std::pair<int, RawCopy>> files = {
        {0, before}, {1, after}, {2, Copy(0, time_ms, lossy)}};
    do {
      std::vector<RawCopy> copies;
      for (const auto& [number, file] : files) copies.push_back(file);
      const auto left_out = LeaveOutCopies(copies);
      REQUIRE(left_out.size() == 1);
      CHECK(files[left_out[0].copy].first == 2);
      CHECK(files[left_out[0].kept].first == recording);
    } while (std::next_permutation(files.begin(), files.end(),
                                   [](const auto& a, const auto& b) { return a.first < b.first; }));
  }
  // The first recording may have ended before the clock was set back.
  CHECK(Said({before, Copy(0, kStart - 1000, lossy)}) == "1: 0, and newer; ");
  // It is the newest of its recording, and tells no other one.
  CHECK(Said({after, before, Copy(0, kStart + 4500, lossy)}) ==
        "1: 2, and newer, but has more losses; ");
}

}  // namespace
}  // namespace iprof::cli
