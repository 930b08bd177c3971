#include "agent/sampling/core/sample_outcome.h"

#include <catch2/catch.hpp>
#include <set>
#include <string>

#include "agent/sampling/core/call_trace.h"

namespace iprof::sampling {
namespace {

TEST_CASE("every outcome has a name of its own") {
  std::set<std::string> names;
  for (size_t i = 0; i < kSampleOutcomeCount; ++i)
    names.emplace(NameOf(static_cast<SampleOutcome>(i)));
  CHECK(names.size() == kSampleOutcomeCount);
  CHECK_FALSE(names.contains("invalid"));
}

TEST_CASE("every code of HotSpot's is an outcome, and a new one is not lost") {
  std::set<SampleOutcome> outcomes;
  for (int32_t code = 0; code >= -10; --code) outcomes.insert(OutcomeOfCode(code));
  CHECK(outcomes.size() == 11);
  CHECK(OutcomeOfCode(-5) == SampleOutcome::kUnknownJava);
  CHECK(OutcomeOfCode(-11) == SampleOutcome::kUnknownCode);
}

TEST_CASE("classes partition the sums") {
  SampleStats stats;
  for (size_t i = 0; i < kSampleOutcomeCount; ++i) {
    stats.signals[i] = i + 1;
    stats.weight[i] = 2 * (i + 1);
  }
  uint64_t all = 0;
  for (const auto each : {OutcomeClass::kGood, OutcomeClass::kRecovered, OutcomeClass::kFailed})
    all += stats.Signals(each);
  CHECK(all == kSampleOutcomeCount * (kSampleOutcomeCount + 1) / 2);
  CHECK(stats.Weight() == 2 * all);
  CHECK(stats.Signals(OutcomeClass::kGood) == 3);  // good and no_java_frame
}

}  // namespace
}  // namespace iprof::sampling
