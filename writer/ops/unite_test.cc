#include "writer/ops/unite.h"

#include <catch2/catch.hpp>

#include "writer/profile/io/writer.h"

namespace iprof {
namespace {

// A profile with one method a.A.NAME and its counts.
struct Example {
  Profile profile;

  Example() { profile.AddStandardTypes(); }
  MethodIndex Method(const char* name) {
    const std::vector<TypeIndex> signature{profile.AddType("a.A"), profile.AddType("void")};
    return profile.AddMethod(name, signature);
  }
  void Calls(const char* name, int64_t count) {
    profile.AddCount(Table::kCalls, profile.AddContext(kNoContext, Method(name), 0), count);
  }
  void Branch(const char* name, int64_t taken, int64_t not_taken) {
    const Successor successors[] = {{9, 0, taken}, {4, 1, not_taken}};
    profile.AddSuccessors(profile.AddContext(kNoContext, Method(name), 1), successors);
  }
  void Receiver(const char* name, const char* type, int64_t count) {
    const TypeCount counts[] = {{profile.AddType(type), count}};
    profile.AddTypeCounts(Table::kVirtualInvokes, profile.AddContext(kNoContext, Method(name), 7),
                          counts);
  }
};

int64_t CallsOf(const Profile& profile, std::string_view name) {
  for (const EntryIndex entry : EntriesOf(profile, Table::kCalls)) {
    const Frame frame = profile.InnermostFrame(profile.EntryContext(Table::kCalls, entry));
    if (profile.MethodName(frame.method) == name) return profile.EntryCount(Table::kCalls, entry);
  }
  return 0;
}

TEST_CASE("counters that grew are not added, and what has gone is kept") {
  Example early;
  early.Calls("gone", 7);
  early.Calls("grown", 10);
  early.Branch("grown", 3, 1);
  early.Receiver("grown", "a.B", 5);
  Example late;
  late.Calls("new", 2);
  late.Calls("grown", 30);
  late.Branch("grown", 5, 6);
  late.Receiver("grown", "a.C", 4);  // of a class that was loaded again
  late.profile.SetExtra("x", "1");
  const Profile united = UniteByLargest(early.profile, late.profile);
  CHECK(CallsOf(united, "gone") == 7);
  CHECK(CallsOf(united, "grown") == 30);
  CHECK(CallsOf(united, "new") == 2);
  CHECK(united.Total(Table::kConditionals) == 11);
  CHECK(united.Total(Table::kVirtualInvokes) == 5);
  REQUIRE(united.extras().size() == 1);
  CHECK(united.extras()[0].key == "x");
  const Profile reversed = UniteByLargest(late.profile, early.profile);
  for (const Table table : kAllTables) CHECK(reversed.Total(table) == united.Total(table));
}

TEST_CASE("uniting a profile with itself or with an empty one changes nothing") {
  Example one;
  one.Calls("run", 7);
  one.Branch("run", 3, 1);
  const auto text = WriteProfileText(one.profile);
  REQUIRE(text.ok());
  CHECK(*WriteProfileText(UniteByLargest(one.profile, one.profile)) == *text);
  CHECK(*WriteProfileText(UniteByLargest(one.profile, Example().profile)) == *text);
}

}  // namespace
}  // namespace iprof
