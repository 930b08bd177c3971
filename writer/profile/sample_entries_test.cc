#include "writer/profile/sample_entries.h"

#include <catch2/catch.hpp>
#include <string>
#include <vector>

#include "writer/profile/sample_threads.h"

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

TEST_CASE("a stack has the same sum whether or not samples know their thread and period") {
  Profile plain;
  Profile labelled;
  SampleEntries of_plain;
  SampleEntries of_labelled;
  const MethodIndex threads[] = {AddThread(labelled, "main"), AddThread(labelled, "")};
  for (Bci bci = 0; bci < 50; ++bci) {
    const Frame frame = labelled.InnermostFrame(StackAt(labelled, bci));
    uint64_t sum = 0;
    for (Bci label = 0; label < 6; ++label) {
      const auto weight = static_cast<uint64_t>((bci * 7 + label * 5) % 11);
      const std::vector<Frame> frames{frame, {threads[label % 2], label}};
      of_labelled.Add(labelled.AddContext(frames), weight);
      sum += weight;
    }
    of_plain.Add(StackAt(plain, bci), sum);
  }
  of_plain.WriteTo(plain, {1, 7});
  of_labelled.WriteTo(labelled, {1, 7});
  const Profile without = WithoutThreads(std::move(labelled));
  REQUIRE(without.entry_count(Table::kSamples) == plain.entry_count(Table::kSamples));
  for (const EntryIndex entry : EntriesOf(without, Table::kSamples)) {
    const Frame frame = without.InnermostFrame(without.EntryContext(Table::kSamples, entry));
    CHECK(without.EntryCount(Table::kSamples, entry) == CountAt(plain, frame.bci));
  }
}

}  // namespace
}  // namespace iprof
