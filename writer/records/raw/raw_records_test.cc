#include "writer/records/raw/raw_records.h"

#include <catch2/catch.hpp>
#include <map>
#include <memory>

#include "writer/records/raw/raw_counts.h"

namespace iprof {
namespace {

// As many as a hostile file may have of them.
static_assert(sizeof(RawClass) <= 80);
static_assert(sizeof(RawType) <= 48);

RawContents ReadLog(const std::vector<RawRecord>& records) {
  RawContents contents;
  std::vector<uint8_t> log;
  for (const RawRecord& record : records) log.insert(log.end(), record.begin(), record.end());
  contents.log = std::make_shared<const std::vector<uint8_t>>(std::move(log));
  ReadRawRecords(*contents.log, {}, &contents);
  return contents;
}

bool IsInLog(const void* data, const RawContents& contents) {
  const auto* const byte = static_cast<const uint8_t*>(data);
  return byte >= contents.log->data() && byte < contents.log->data() + contents.log->size();
}

struct CountsText {
  void Counter(uint32_t number, uint64_t count) { Add("c", number, count); }
  void Site(uint32_t number, uint64_t lost) { Add("s", number, lost); }
  void Type(uint32_t, std::string_view name, uint64_t count) {
    text += std::string(name) + ":" + std::to_string(count) + " ";
  }
  void Add(std::string_view kind, uint32_t number, uint64_t count) {
    text += std::string(kind) + std::to_string(number) + "=" + std::to_string(count) + " ";
  }
  std::string text;
};

TEST_CASE("counts of unloaded classes stay in the log until they are used") {
  ClassRecord klass;
  klass.name = "test/A";
  klass.hash = {3, 4};
  const UnloadedCounts counts{.counters = {{0, 5}, {3, 9}},
                              .sites = {{0, 2, {}}, {7, 0, {{"a.B", 6}, {"a.C", 1}}}}};
  const RawContents contents = ReadLog({EncodeRawClass(0, klass), EncodeRawUnloaded(0, counts),
                                        EncodeRawClass(1, klass), EncodeRawUnloaded(1, {})});
  CHECK(contents.damaged_records == 0);
  REQUIRE(contents.classes.size() == 1);  // the other one has no counts
  const RawClass& read = contents.classes[0];
  CHECK(read.unloaded);
  CHECK(read.name == "test/A");
  CHECK(read.hash == klass.hash);
  CHECK(IsInLog(read.name.data(), contents));
  CHECK(IsInLog(read.record.data(), contents));
  CHECK(IsInLog(read.counts.data(), contents));
  BoundedReader in(read.counts);
  CountsText all;
  ReadRawCounts(&in, &all);
  CHECK(in.ok());
  CHECK(in.at_end());
  CHECK(all.text == "c0=5 c3=9 s0=2 s7=0 a.B:6 a.C:1 ");
}

TEST_CASE(
    "the order in which snapshots first saw counters is read, as far as there are such counters") {
  RawContents contents;
  std::vector<uint8_t> log;
  for (const RawRecord& record : {EncodeRawFirst(std::vector<uint32_t>{0, 2}),
                                  EncodeRawFirst(std::vector<uint32_t>{1, 7, 9})})
    log.insert(log.end(), record.begin(), record.end());
  ReadRawRecords(log, {.pairs = {}, .stacks = {}, .counters = 8}, &contents);
  CHECK(contents.damaged_records == 0);
  const auto seen = contents.first_seen.by_counter();
  CHECK(std::vector<uint16_t>(seen.begin(), seen.end()) ==
        std::vector<uint16_t>{1, 2, 1, 0, 0, 0, 0, 2});
}

TEST_CASE("types that are not counted stay in the log, and give their methods some at a time") {
  std::vector<std::pair<std::string, std::string>> methods;
  for (size_t m = 0; m < RawTypeMethods::kAtOnce + 10; ++m)
    methods.emplace_back("m" + std::to_string(m), "()V");
  const RawContents contents =
      ReadLog({EncodeRawType("a/B", "a.B", methods), EncodeRawType("", "[La.B;", {})});
  CHECK(contents.damaged_records == 0);
  REQUIRE(contents.declared.size() == 2);
  CHECK(contents.declared[0].name == "a.B");
  CHECK(contents.declared[0].owner == "a/B");
  CHECK(IsInLog(contents.declared[0].methods.data(), contents));
  RawTypeMethods read(contents.declared[0]);
  std::vector<std::pair<std::string, std::string>> all;
  for (auto some = read.Next(); !some.empty(); some = read.Next()) {
    CHECK(some.size() <= RawTypeMethods::kAtOnce);
    for (const auto& [name, descriptor] : some) all.emplace_back(name, descriptor);
  }
  CHECK(all == methods);
  CHECK(RawTypeMethods(contents.declared[1]).Next().empty());
}

TEST_CASE("parts of the tail win over those of the log") {
  RawContents contents = ReadLog({EncodeRawPart({"a", "{}"}), EncodeRawPart({"b", "{}"})});
  const RawPart parts[] = {{"b", "{\"new\":1}"}, {"c", "{}"}};
  REQUIRE(ReadRawTail(EncodeRawTail({.parts = parts}), &contents));
  CHECK(contents.parts ==
        std::map<std::string, std::string>{{"a", "{}"}, {"b", "{\"new\":1}"}, {"c", "{}"}});
}

TEST_CASE("classes that no JVM has are damaged records") {
  ClassRecord klass;
  klass.name = "test/A";
  CountedMethod method;
  SECTION("with a method without a name") { method.descriptor = "()V"; }
  SECTION("with a method without a descriptor") { method.name = "m"; }
  klass.methods.push_back(method);
  const RawContents contents = ReadLog({EncodeRawClass(0, klass)});
  CHECK(contents.damaged_records == 1);
  CHECK(contents.classes.empty());
}

TEST_CASE("records whose content no JVM has are damaged, and leave nothing in the profile") {
  ClassRecord klass;
  klass.name = "test/A";
  const RawRecord known = EncodeRawClass(0, klass);
  const RawMethod method{.type = "test.A", .name = "m", .descriptor = "()V"};
  const auto damage = [](const std::vector<RawRecord>& records) {
    RawContents contents;
    std::vector<uint8_t> log;
    for (const RawRecord& record : records) log.insert(log.end(), record.begin(), record.end());
    const uint64_t weights[] = {1};
    contents.log = std::make_shared<const std::vector<uint8_t>>(std::move(log));
    ReadRawRecords(*contents.log, {.pairs = {}, .stacks = weights}, &contents);
    return contents.damaged_records;
  };
  CHECK(damage({EncodeRawClass(0, ClassRecord())}) == 1);
  CHECK(damage({EncodeRawMethod(0, {.type = "", .name = "m", .descriptor = "()V"})}) == 1);
  CHECK(damage({EncodeRawMethod(0, {.type = "a.B", .name = "", .descriptor = "()V"})}) == 1);
  const RawStackFrame last{0, 65534, 1};
  CHECK(damage({EncodeRawMethod(0, method), EncodeRawStack(0, {&last, 1}, false)}) == 0);
  const RawStackFrame beyond{0, 65535, 1};
  CHECK(damage({EncodeRawMethod(0, method), EncodeRawStack(0, {&beyond, 1}, false)}) == 1);
  const UnloadedCounts unnamed{.counters = {}, .sites = {{0, 0, {{"", 5}}}}};
  CHECK(damage({known, EncodeRawUnloaded(0, unnamed)}) == 1);
  const UnloadedCounts none{.counters = {{0, 5}}, .sites = {{0, 0, {{"a.B", 0}}}}};
  CHECK(damage({known, EncodeRawUnloaded(0, none)}) == 0);  // no such count is written
  // Class 0: no counters; a site 0 without lost objects, and with one type: "B", 0.
  std::vector<uint8_t> body{kRawRecordVersion, 2, 0, 0, 1, 0, 0, 1, 1, 'B', 0};
  RawRecord zero;
  AppendSealed(body, &zero);
  CHECK(damage({known, zero}) == 1);
}

TEST_CASE("a class record of endless bytes is not decoded") {
  ClassRecord klass;
  klass.name = "test/A";
  const RawRecord small = EncodeRawClass(0, klass);
  klass.records.resize(kMostRawClassBytes);
  const RawContents contents = ReadLog({small, EncodeRawClass(0, klass)});
  CHECK(contents.damaged_records == 1);
  CHECK(contents.classes.empty());  // what is known of it is out of date
}

}  // namespace
}  // namespace iprof
