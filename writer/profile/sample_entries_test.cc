#include "writer/profile/sample_entries.h"

#include <catch2/catch.hpp>
#include <string>
#include <vector>

namespace iprof {
namespace {

ContextIndex StackAt(Profile& profile, Bci bci) {
  const TypeIndex type = profile.AddType("a.B");
  const std::vector<TypeIndex> signature{type, profile.AddType("void")};
  const std::vector<Frame> frames{{profile.AddMethod("run", signature), bci}};
  return profile.AddContext(frames);
}

int64_t CountAt(Profile& profile, Bci bci) {
  const auto entry = profile.FindEntry(Table::kSamples, StackAt(profile, bci));
  return entry ? profile.EntryCount(Table::kSamples, *entry) : 0;
}

TEST_CASE("equal stacks add up, and without a scale nothing changes") {
  Profile profile;
  SampleEntries samples;
  samples.Add(StackAt(profile, 4), 7);
  samples.Add(StackAt(profile, 9), 1);
  samples.Add(StackAt(profile, 4), 2);
  samples.WriteTo(profile, {});
  CHECK(profile.entry_count(Table::kSamples) == 2);
  CHECK(CountAt(profile, 4) == 9);
  CHECK(CountAt(profile, 9) == 1);
}

TEST_CASE("a stack of which nothing is left is not written") {
  Profile profile;
  SampleEntries samples;
  samples.Add(StackAt(profile, 4), 1);
  samples.WriteTo(profile, {1, 4});
  CHECK(profile.entry_count(Table::kSamples) == 0);
}

TEST_CASE("scaled samples have the right sum in any order") {
  constexpr int kStacks = 100;
  Profile forwards;
  Profile backwards;
  SampleEntries first;
  SampleEntries last;
  for (int i = 0; i < kStacks; ++i) {
    first.Add(StackAt(forwards, Bci{i}), static_cast<uint64_t>(i % 7));
    const int other = kStacks - 1 - i;
    last.Add(StackAt(backwards, Bci{other}), static_cast<uint64_t>(other % 7));
  }
  first.WriteTo(forwards, {1, 4});
  last.WriteTo(backwards, {1, 4});
  const int64_t before = 14 * (0 + 1 + 2 + 3 + 4 + 5 + 6) + 0 + 1;
  CHECK(forwards.Total(Table::kSamples) == (before + 2) / 4);
  for (int i = 0; i < kStacks; ++i) CHECK(CountAt(forwards, Bci{i}) == CountAt(backwards, Bci{i}));
}

}  // namespace
}  // namespace iprof
