#include "writer/records/raw/raw_harvest.h"

#include <catch2/catch.hpp>
#include <string>

#include "writer/records/method_record.h"
#include "writer/records/raw/test_program.h"

namespace iprof {
namespace {

// A class that has its records in another form than bytes: each method has one branch, behind its calls.
class OddClasses final : public ClassSource {
 public:
  explicit OddClasses(const std::vector<const ClassRecord*>& classes) : classes_(classes) {}
  size_t size() const override { return classes_.size(); }
  std::string_view NameOf(size_t number) const override { return classes_.NameOf(number); }
  const ClassRecord& Get(size_t number, ClassRecord& scratch) const override {
    return classes_.Get(number, scratch);
  }
  bool GetRecord(const ClassRecord&, const CountedMethod&, MethodRecord* record) const override {
    record->Clear();
    record->derivation.counter_count = 3;
    record->branches = {{1, BranchKind::kIf, 2}};
    record->successors = {{10, 1}, {4, 2}};
    return true;
  }

 private:
  const RecordedClasses classes_;
};

struct Harvested {
  ClassRecord klass;
  std::vector<uint64_t> counters = {9, 7, 2};
  TypeCounts types;
  AssemblyOptions options{.monitors = false, .max_lost = 0.25};

  Harvested() {
    klass.name = "test/H";
    CountedMethod method;
    method.name = "run";
    method.descriptor = "()V";
    method.counters = 3;
    method.record = 77;  // which is no offset
    method.first_site = 4;
    method.sites = 1;
    klass.methods.push_back(method);
    klass.sites.push_back({0, 5, 4, SiteKind::kReceiver});
    types.Add(4, "test.A", 6);
    types.Add(4, "test.B", 2);
    types.AddLost(4, 1);
  }
  OddClasses classes() const { return OddClasses({&klass}); }
  std::vector<uint8_t> Bytes() const {
    return EncodeRawHarvest(classes(), counters, types, options);
  }
};

std::string ProfileOf(const ClassSource& classes, std::span<const uint64_t> counters,
                      const TypeCounts& types, const AssemblyOptions& options) {
  Profile profile;
  profile.AddStandardTypes();
  const LiveFrameCount none = [](const MethodKey&) { return uint64_t{0}; };
  AssembleProfile(classes, {counters, types, none}, options, profile);
  return TextOf(profile);
}

TEST_CASE("what is read gives the profile of what was written") {
  const Harvested made;
  const std::vector<uint8_t> bytes = made.Bytes();
  const auto read = ReadRawHarvest(bytes);
  REQUIRE(read);
  CHECK(read->options() == made.options);
  const std::string profile = ProfileOf(*read, read->counters(), read->types(), read->options());
  CHECK(profile == ProfileOf(made.classes(), made.counters, made.types, made.options));
  CHECK(profile ==
        "callCountProfiles test.H.run()void:0 = 9\n"
        "conditionalProfiles test.H.run()void:1 = 10:7 4:2\n"
        "virtualInvokeProfiles test.H.run()void:5 = test.A:6 test.B:2\n");
}

TEST_CASE("a harvest that is damaged anywhere is none") {
  const std::vector<uint8_t> bytes = Harvested().Bytes();
  for (size_t at = 0; at < bytes.size(); ++at) {
    std::vector<uint8_t> damaged = bytes;
    damaged[at] ^= 1;
    CHECK_FALSE(ReadRawHarvest(damaged));
    CHECK_FALSE(ReadRawHarvest(std::span(bytes).first(at)));
  }
  std::vector<uint8_t> longer = bytes;
  longer.push_back(0);
  CHECK_FALSE(ReadRawHarvest(longer));
}

TEST_CASE("sites that no class names are left out, as they would take much memory") {
  Harvested made;
  made.types.AddLost(3, 1);
  made.types.Add(5, "test.A", 6);
  for (uint32_t site = 100; site < 1000; ++site) made.types.AddLost(site, 1);
  const std::vector<uint8_t> bytes = made.Bytes();
  const auto read = ReadRawHarvest(bytes);
  REQUIRE(read);
  CHECK(read->types().Sites() == std::vector<uint32_t>{4});
  CHECK(read->types().Find(4)->lost == 1);
  CHECK(read->types().Find(4)->types.size() == 2);
}

TEST_CASE("classes out of order, and methods without names, are no harvest") {
  Harvested made;
  ClassRecord other;
  other.name = "test/A";
  SECTION("out of order") {
    struct Unsorted : ClassSource {
      const ClassRecord* of[2];
      size_t size() const override { return 2; }
      std::string_view NameOf(size_t number) const override { return of[number]->name; }
      const ClassRecord& Get(size_t number, ClassRecord&) const override { return *of[number]; }
    } unsorted;
    unsorted.of[0] = &made.klass;
    unsorted.of[1] = &other;
    made.klass.methods[0].counters = 0;
    CHECK_FALSE(ReadRawHarvest(EncodeRawHarvest(unsorted, {}, TypeCounts(), {})));
    std::swap(unsorted.of[0], unsorted.of[1]);
    CHECK(ReadRawHarvest(EncodeRawHarvest(unsorted, {}, TypeCounts(), {})));
  }
  SECTION("without a name") {
    made.klass.methods[0].name = "";
    CHECK_FALSE(ReadRawHarvest(made.Bytes()));
  }
}

}  // namespace
}  // namespace iprof
