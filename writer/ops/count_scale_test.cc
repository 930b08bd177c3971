#include "writer/ops/count_scale.h"

#include <fcntl.h>
#include <unistd.h>

#include <catch2/catch.hpp>
#include <limits>
#include <string>

#include "writer/base/open_file.h"
#include "writer/ops/merge.h"
#include "writer/ops/ops_test_profiles.h"
#include "writer/profile/io/agent_section.h"
#include "writer/profile/io/harvest_note.h"
#include "writer/profile/io/reader.h"

namespace iprof {
namespace {

constexpr int64_t kMost = std::numeric_limits<int64_t>::max();

Profile WithCalls(int64_t calls) {
  return ParseTables(R"(,"callCountProfiles":[{"ctx":"1:0","records":[)" + std::to_string(calls) +
                     "]}]");
}

CountKind KindWith(const HarvestNote& note) {
  Profile profile = WithCalls(7);
  SetAgentPart(profile, kHarvestPart, note.ToJson());
  return CountFactsOf(profile).kind;
}

TEST_CASE("the kind of a profile's counts follows from its note") {
  CHECK(CountFactsOf(Profile()).kind == CountKind::kNone);
  const Profile samples = ParseTables(R"(,"samplingProfiles":[{"ctx":"1:0","records":[9]}])");
  CHECK(CountFactsOf(samples).kind == CountKind::kNone);
  CHECK(CountFactsOf(WithCalls(7)).kind == CountKind::kExact);
  CHECK(CountFactsOf(WithCalls(7)).total == 7);
  HarvestNote note;
  CHECK(KindWith(note) == CountKind::kRaw);
  note.estimator = "flow-1";
  CHECK(KindWith(note) == CountKind::kEstimated);
  note.UniteExact();
  CHECK(KindWith(note) == CountKind::kMixed);
  Profile odd = WithCalls(7);
  SetAgentPart(odd, kHarvestPart, R"({"later":1})");
  CHECK(CountFactsOf(odd).kind == CountKind::kMixed);
}

TEST_CASE("inputs of several kinds are scaled to the largest, others are not") {
  const CountFacts exact{CountKind::kExact, 1000};
  const CountFacts small{CountKind::kExact, 10};
  const CountFacts raw{CountKind::kRaw, 20};
  const CountFacts nothing{CountKind::kNone, 0};
  for (const auto& inputs :
       {std::vector{exact, small}, {raw, raw}, {exact, nothing}, {nothing}, {}})
    CHECK(ScalesFor(inputs).empty());
  const std::vector inputs{raw, nothing, exact, small};
  const std::vector<CountScale> scales = ScalesFor(inputs);
  REQUIRE(scales.size() == 4);
  CHECK(scales[0].Of(Table::kCalls, 20) == 1000);
  CHECK(scales[1].Of(Table::kCalls, 20) == 20);
  CHECK(scales[2].Of(Table::kCalls, 20) == 20);
  CHECK(scales[3].Of(Table::kConditionals, 1) == 100);
  CHECK(scales[0].Of(Table::kSamples, 20) == 20);
  CHECK(scales[0].Of(Table::kMonitors, 20) == 20);
}

TEST_CASE("scaled counts are rounded, never become nothing, and saturate") {
  const CountScale scale{.to = 10, .from = 4};
  CHECK(scale.Of(Table::kCalls, 0) == 0);
  CHECK(scale.Of(Table::kCalls, 1) == 3);  // 2.5
  CHECK(scale.Of(Table::kVirtualInvokes, 2) == 5);
  CHECK(CountScale{.to = 1, .from = 1000}.Of(Table::kCalls, 1) == 1);
  CHECK(CountScale{.to = kMost, .from = 1}.Of(Table::kCalls, kMost) == kMost);
  CHECK(CountScale{.to = kMost, .from = kMost - 1}.Of(Table::kCalls, 5) == 5);
}

// A pipe that holds the bytes, as a shell's <(…) makes it.
class Piped {
 public:
  explicit Piped(const Profile& profile) {
    const std::string bytes = Text(profile);
    int ends[2];
    REQUIRE(pipe2(ends, O_CLOEXEC | O_NONBLOCK) == 0);
    read_ = ends[0];
    CHECK(write(ends[1], bytes.data(), bytes.size()) == static_cast<ssize_t>(bytes.size()));
    close(ends[1]);
  }
  ~Piped() { close(read_); }
  Piped(const Piped&) = delete;
  Piped& operator=(const Piped&) = delete;
  std::string path() const { return "/proc/self/fd/" + std::to_string(read_); }

 private:
  int read_ = -1;
};

Result<Profile> ReadPipe(const std::string& path) {
  const Result<OwnedFd> pipe = OpenFile(path, O_RDONLY, FileKind::kStream);
  if (!pipe.ok()) return pipe.status();
  FdSource source(pipe->get(), path);
  return ReadProfile(source, path);
}

TEST_CASE("inputs that can be read only once are scaled, too") {
  HarvestNote note;
  note.estimator = "flow-1";
  Profile estimated = WithCalls(7);
  SetAgentPart(estimated, kHarvestPart, note.ToJson());
  for (const unsigned threads : {1U, 2U}) {
    const Piped exact(WithCalls(700)), other(estimated);
    const MergeInput inputs[] = {{exact.path(), 1}, {other.path(), 2}};
    const Result<MergeResult> merged = MergeFiles(inputs, {.threads = threads, .read = ReadPipe});
    INFO(merged.status().message());
    REQUIRE(merged.ok());
    CHECK(merged->scaled);
    CHECK(CountFactsOf(merged->profile).total == 700 + 2 * 700);
  }
}

TEST_CASE("an input that can be read only once and is damaged stays left out") {
  HarvestNote note;
  Profile raw = WithCalls(7);
  SetAgentPart(raw, kHarvestPart, note.ToJson());
  const Piped exact(WithCalls(700)), other(raw), empty{Profile()};
  char all[1 << 12];
  const int emptied = open(empty.path().c_str(), O_RDONLY | O_CLOEXEC);
  CHECK(read(emptied, all, sizeof all) > 0);
  close(emptied);
  const MergeInput inputs[] = {{exact.path(), 1}, {empty.path(), 1}, {other.path(), 1}};
  const Result<MergeResult> merged =
      MergeFiles(inputs, {.failure_mode = FailureMode::kWarn, .threads = 1, .read = ReadPipe});
  REQUIRE(merged.ok());
  CHECK(merged->left_out.size() == 1);
  CHECK(CountFactsOf(merged->profile).total == 1400);
}

CountFacts Sampled(int64_t interval_ns, int64_t weight, int64_t signals,
                   const char* event = "cpu") {
  return {.samples = {event, interval_ns, weight, signals}};
}

TEST_CASE("samples of equal intervals are not scaled, nor are those of unknown intervals") {
  const CountFacts none{};
  const CountFacts unknown{.samples = {.weight = 50}};
  const CountFacts a = Sampled(10'000'000, 500, 500);
  CHECK(ScalesFor(std::vector{a, a, unknown, none}).empty());
  CHECK(ScalesFor(std::vector{a, Sampled(4'000'000, 500, 500, "wall")}).empty());
  const std::vector<CountScale> scales =
      ScalesFor(std::vector{a, unknown, Sampled(4'000'000, 9, 9)});
  REQUIRE(scales.size() == 3);
  CHECK_FALSE(scales[1].scales_samples());
  CHECK_FALSE(scales[1].scales_counts());
}

TEST_CASE("samples of intervals that differ by 5 % at most are not scaled") {
  const CountFacts a = Sampled(4'000'000, 500, 500);
  const CountFacts longest = Sampled(4'200'000, 500, 500);
  CHECK(ScalesFor(std::vector{a, longest, Sampled(4'100'000, 9, 9)}).empty());
  CHECK(ScalesFor(std::vector{longest, a}).empty());
  CHECK(ScalesFor(std::vector{a, Sampled(4'200'001, 500, 500)}).size() == 2);
  CHECK(ScalesFor(std::vector{longest, Sampled(3'990'000, 5, 5), a}).size() == 3);
}

TEST_CASE("samples of different intervals weigh as much as the CPU time of their input") {
  const std::vector<CountFacts> inputs{Sampled(4'000'000, 2500, 2500),
                                       Sampled(10'000'000, 1000, 1000)};
  CHECK(SampleUnit(inputs) == 7'000'000);
  const std::vector<CountScale> scales = ScalesFor(inputs);
  REQUIRE(scales.size() == 2);
  CHECK(scales[0].ForSamples().Of(2500) == 1429);
  CHECK(scales[1].ForSamples().Of(1000) == 1429);
}

TEST_CASE("an input without samples takes the others' interval") {
  const std::vector<CountFacts> inputs{Sampled(4'000'000, 2500, 2500), Sampled(1'000'000, 0, 3)};
  const std::vector<CountScale> scales = ScalesFor(inputs);
  REQUIRE(scales.size() == 2);
  CHECK(scales[0].sample_unit_ns == 4'000'000);
  CHECK(scales[1].sample_unit_ns == 4'000'000);
}

TEST_CASE("late signals do not count as several, and copies count as inputs") {
  // One signal in 4 ms each, although one interval is 1 ms.
  const CountFacts dense = Sampled(1'000'000, 10'000, 2500);
  const CountFacts adapted = Sampled(4'000'000, 2500, 2500);
  CHECK(SampleUnit(std::vector{dense, adapted}) == 4'000'000);
  CountFacts twice = Sampled(10'000'000, 1000, 1000);
  const std::vector<CountFacts> three{twice, adapted, twice};
  twice.copies = 2;
  CHECK(SampleUnit(three) == SampleUnit(std::vector{adapted, twice}));
}

}  // namespace
}  // namespace iprof
