// Small profiles in iprof text and random branches for the tests of the operations, and functions
// to compare results.
//
// Guarantees: for tests only; nothing is shared between calls.
// Threads: the test's. Failure: a text that is not a profile fails the test.
#pragma once

#include <algorithm>
#include <catch2/catch.hpp>
#include <cstdint>
#include <map>
#include <numeric>
#include <span>
#include <string>
#include <vector>

#include "writer/ops/consumer_view.h"
#include "writer/profile/example_profiles.h"
#include "writer/profile/io/reader.h"
#include "writer/profile/io/writer.h"
#include "writer/profile/model.h"

namespace iprof {

inline Profile Parse(const std::string& text) {
  Result<Profile> read = ReadProfileText(text);
  if (!read.ok()) FAIL(read.status().message() << "\nin " << text);
  return std::move(*read);
}

// a.Main: main(1), loop(2); a.Shape.area(3), a.Circle.area(4).
inline Profile ParseTables(const std::string& tables) {
  return Parse(
      R"({"version":"1.0.0","types":[{"id":8,"name":"void"},{"id":10,"name":"a.Main"},)"
      R"({"id":11,"name":"a.Shape"},{"id":12,"name":"a.Circle"}],"methods":[)"
      R"({"id":1,"name":"main","signature":[10,8]},{"id":2,"name":"loop","signature":[10,8]},)"
      R"({"id":3,"name":"area","signature":[11,8]},{"id":4,"name":"area","signature":[12,8]}])" +
      tables + "}");
}

inline std::string Text(const Profile& profile) {
  WriteOptions options;
  options.version = FormatVersion::k1_1_0;
  options.pretty = true;
  Result<std::string> text = WriteProfileText(profile, options);
  if (!text.ok()) FAIL(text.status().message());
  return *text;
}

inline MethodIndex MethodNamed(const Profile& profile, const std::string& name) {
  for (const MethodIndex method : MethodsOf(profile)) {
    if (profile.DescribeMethod(method) == name) return method;
  }
  FAIL("no method " << name);
  return kNoMethod;
}

// The marks of how sure its methods are, "a.Main.loop()void M, a.Main.main()void e"; those that are absent are left out.
inline std::string MarksOf(const Profile& profile) {
  std::map<std::string, std::string> marks;
  for (const MethodIndex method : MethodsOf(profile)) {
    const Sureness sureness = profile.SurenessOf(method);
    if (sureness.is_present()) marks[profile.DescribeMethod(method)] = sureness.Mark();
  }
  std::string text;
  for (const auto& [method, mark] : marks) text += (text.empty() ? "" : ", ") + method + " " + mark;
  return text;
}

using Successors = std::vector<Successor>;

// The successors of a branch or switch, with the order and numbering of some writer. There are few
// targets, so that lists have some in common. Keys share targets (-5), one bci may have several
// indices, and some indices have no bci.
inline Successors RandomBranch(RepeatableRandom& random) {
  std::vector<int64_t> targets;
  for (uint64_t n = 1 + random.Below(4); n > 0; --n) {
    targets.push_back(10 * static_cast<int64_t>(1 + random.Below(5)));
  }
  if (random.OneIn(8)) targets.push_back(kRepeatedSuccessorBci);
  std::vector<int64_t> numbers(targets.size() + 2);
  std::iota(numbers.begin(), numbers.end(), 0);
  for (size_t i = numbers.size(); i > 1; --i) std::swap(numbers[i - 1], numbers[random.Below(i)]);
  Successors list;
  for (size_t target = 0; target < targets.size(); ++target) {
    for (uint64_t key = 0, keys = random.OneIn(3) ? 3 : 1; key < keys; ++key) {
      const auto at = list.begin() + static_cast<std::ptrdiff_t>(random.Below(list.size() + 1));
      const int64_t count = random.OneIn(4) ? 0 : static_cast<int64_t>(random.Below(1000));
      list.insert(at, {targets[target], numbers[target], count});
    }
  }
  for (size_t i = 0; i < list.size(); ++i) {  // only the first triple of an index has its bci
    for (size_t j = 0; j < i; ++j) {
      if (list[j].index == list[i].index) list[i].bci = kRepeatedSuccessorBci;
    }
  }
  return list;
}

// The same branch as another writer might write it: with other numbers and another order of
// the bcis.
inline Successors Renumbered(const Successors& list, RepeatableRandom& random) {
  std::map<int64_t, int64_t> bci_of_index;
  for (const Successor& s : list) {
    if (s.bci != kRepeatedSuccessorBci || !bci_of_index.contains(s.index)) {
      bci_of_index[s.index] = s.bci;
    }
  }
  std::map<int64_t, uint64_t> place_of_bci;
  for (const auto& [index, bci] : bci_of_index) place_of_bci.emplace(bci, random.Next());
  Successors result = list;
  // Indices with the same bci keep their order, because the consumer takes the last one.
  std::stable_sort(result.begin(), result.end(), [&](const Successor& a, const Successor& b) {
    return place_of_bci[bci_of_index[a.index]] < place_of_bci[bci_of_index[b.index]];
  });
  const int64_t shift = static_cast<int64_t>(random.Below(9));
  for (Successor& s : result) s.index = 40 - s.index + shift;
  return result;
}

// Some branches of a.Main.loop at bci 0 to 7, each with its own numbering.
inline Profile MakeBranchProfile(RepeatableRandom& random) {
  Profile profile = ParseTables("");
  const MethodIndex loop = MethodNamed(profile, "a.Main.loop()void");
  for (Bci bci = 0; bci < 8; ++bci) {
    if (random.OneIn(5)) continue;
    profile.AddSuccessors(profile.AddContext(kNoContext, loop, bci), RandomBranch(random));
  }
  return profile;
}

inline Profile RenumberedProfile(const Profile& from, RepeatableRandom& random) {
  Profile profile = ParseTables("");
  const MethodIndex loop = MethodNamed(profile, "a.Main.loop()void");
  for (const EntryIndex e : EntriesOf(from, Table::kConditionals)) {
    const auto list = from.EntrySuccessors(e);
    const Bci bci = from.InnermostFrame(from.EntryContext(Table::kConditionals, e)).bci;
    profile.AddSuccessors(profile.AddContext(kNoContext, loop, bci),
                          Renumbered(Successors(list.begin(), list.end()), random));
  }
  return profile;
}

inline Profile WithOneTripleEach(const Profile& from) {
  Profile profile = ParseTables("");
  const MethodIndex loop = MethodNamed(profile, "a.Main.loop()void");
  for (const EntryIndex e : EntriesOf(from, Table::kConditionals)) {
    const Bci bci = from.InnermostFrame(from.EntryContext(Table::kConditionals, e)).bci;
    profile.AddSuccessors(profile.AddContext(kNoContext, loop, bci),
                          OneTripleEach(from.EntrySuccessors(e)));
  }
  return profile;
}

// What the consumer reads from one list: how much of the total goes to each bci.
struct SeenByConsumer {
  int64_t total = 0;
  std::map<int64_t, int64_t> counts;

  void Add(std::span<const Successor> list, int64_t times = 1) {
    for (const Successor& s : list) total += s.count * times;
    for (const auto& outcome : ConsumerOutcomes(list)) {
      counts[outcome.bci] += outcome.count * times;
    }
  }
};

inline int64_t TotalOf(std::span<const Successor> list) {
  int64_t total = 0;
  for (const Successor& s : list) total += s.count;
  return total;
}

// Whether the consumer reads the list without loss: no bci has two indices.
inline bool HasOneIndexEach(std::span<const Successor> list) {
  std::map<int64_t, int64_t> index_of_bci;
  return std::all_of(list.begin(), list.end(), [&](const Successor& s) {
    return s.bci == kRepeatedSuccessorBci ||
           index_of_bci.emplace(s.bci, s.index).first->second == s.index;
  });
}

// What the lists mean. The consumer reads less if a bci has two indices.
inline SeenByConsumer OutcomesIn(std::initializer_list<Successors> lists) {
  SeenByConsumer all;
  for (const Successors& list : lists) {
    const std::vector<int64_t> outcomes = OutcomesOf(list);
    for (size_t i = 0; i < list.size(); ++i) {
      all.total += list[i].count;
      if (outcomes[i] != kRepeatedSuccessorBci) all.counts[outcomes[i]] += list[i].count;
    }
  }
  return all;
}

// Requires that the consumer reads exactly these counts, and so probabilities, from `list`.
inline void RequireSeen(std::span<const Successor> list, const SeenByConsumer& expected) {
  SeenByConsumer seen;
  seen.Add(list);
  REQUIRE(seen.total == expected.total);
  std::map<int64_t, double> probabilities;
  for (const auto& outcome : ConsumerOutcomes(list)) {
    probabilities[outcome.bci] = outcome.probability;
  }
  for (const auto& [bci, count] : expected.counts) {
    INFO("bci " << bci);
    REQUIRE(seen.counts[bci] == count);
    REQUIRE(probabilities[bci] ==
            Approx(static_cast<double>(count) / static_cast<double>(expected.total)).margin(1e-4));
  }
  for (const auto& [bci, count] : seen.counts)
    REQUIRE((count == 0 || expected.counts.contains(bci)));
}

}  // namespace iprof
