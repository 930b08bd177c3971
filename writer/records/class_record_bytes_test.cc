// Class records are encoded and decoded without a change; damage is detected.
#include "writer/records/class_record_bytes.h"

#include <catch2/catch.hpp>
#include <memory>
#include <random>

namespace iprof {
namespace {

ClassRecord Example() {
  ClassRecord c;
  c.name = c.Keep("a/Café");
  c.super_name = c.Keep("java/lang/Object");
  c.hash = {0x0123456789abcdef, 0xfedcba9876543210};
  c.access = 0x21;
  c.callees = {{c.Keep("java/lang/Math"), c.Keep("max"), c.Keep("(II)I"), false},
               {c.Keep("java/lang/String"), c.Keep("length"), c.Keep("()I"), true}};
  c.positions = {1, 2, 3, 4, 5};
  c.lines = {1, 0, 60};
  c.records = {9, 8, 7};
  CountedMethod plain;
  plain.name = c.Keep("<init>");
  plain.descriptor = c.Keep("()V");
  plain.access = 1;
  CountedMethod counted;
  counted.name = c.Keep("run");
  counted.descriptor = c.Keep("(IJ)V");
  counted.access = 0x29;
  counted.code_hash = UINT64_MAX;
  counted.rewritten = true;
  counted.positions = 2;
  counted.has_lines = true;
  counted.lines = 0;
  counted.counters = 3;
  counted.first = CounterIndex{70'000};
  counted.record = 1;
  counted.sites = 2;
  counted.first_site = 40'000;
  counted.intrinsic_candidate = true;
  counted.origin = MethodOrigin::kChanged;
  counted.sureness = Sureness::EstimatedFrom(4096);
  counted.effort = {
      .step = Effort::Step::kTrimmed, .inherited = true, .sites = false, .budget = 777};
  c.methods = {plain, counted};
  c.targets = {{c.Keep("java/util/List"), c.Keep("get")}};
  c.sites = {{1, 5, 40'000, SiteKind::kReceiver, 1}, {1, 5, 40'001, SiteKind::kInstanceOf}};
  c.left_out = {{1, {.branches = 2, .all_branches = 9, .sites = 1, .all_sites = 3}}};
  return c;
}

ClassRecord RandomClass(std::mt19937& random) {
  const auto below = [&](uint32_t n) {
    return std::uniform_int_distribution<uint32_t>(0, n - 1)(random);
  };
  ClassRecord c;
  const auto text = [&] {
    return c.Keep(std::string(below(20), static_cast<char>('a' + below(26))));
  };
  c.name = text();
  c.super_name = text();
  c.hash = {random(), random()};
  c.access = static_cast<uint16_t>(below(0x10000));
  for (uint32_t i = below(4); i > 0; --i)
    c.callees.push_back({text(), text(), text(), below(2) == 0});
  for (uint32_t i = below(4); i > 0; --i) c.targets.push_back({text(), text()});
  c.positions.resize(below(50));
  c.lines.resize(below(9));
  c.records.resize(1 + below(50));
  for (uint32_t i = below(6); i > 0; --i) {
    CountedMethod m;
    m.name = text();
    m.descriptor = text();
    m.access = static_cast<uint16_t>(below(0x10000));
    m.intrinsic_candidate = below(2) == 0;
    m.origin = static_cast<MethodOrigin>(below(3));
    constexpr const char* kMarks[] = {"e", "b", "g", "A", "M", "Z", "-", "g+", "A+", "M+"};
    m.sureness = *Sureness::OfMark(kMarks[below(10)]);
    m.rewritten = below(2) == 0;
    if (m.rewritten) {
      m.code_hash = random();
      m.positions = below(static_cast<uint32_t>(c.positions.size()) + 1);
      m.has_lines = !c.lines.empty() && below(2) == 0;
      if (m.has_lines) m.lines = below(static_cast<uint32_t>(c.lines.size()));
      m.counters = below(9);
      if (m.counters > 0) {
        m.first = CounterIndex{below(1u << 30)};
        m.record = below(static_cast<uint32_t>(c.records.size()));
      }
      m.sites = below(3);
      if (m.sites > 0) m.first_site = below(1u << 30);
      m.effort.step = static_cast<Effort::Step>(below(4));
    }
    const auto number = static_cast<uint32_t>(c.methods.size());
    for (uint32_t s = 0; s < m.sites; ++s)
      c.sites.push_back({number, 3 * s, m.first_site + s, static_cast<SiteKind>(below(3)),
                         below(static_cast<uint32_t>(c.targets.size()) + 1)});
    if (below(4) == 0) c.left_out.push_back({number, {.everything = true}});
    c.methods.push_back(m);
  }
  return c;
}

std::vector<uint8_t> Encoded(const ClassRecord& record) {
  std::vector<uint8_t> bytes;
  EncodeClassRecord(record, &bytes);
  return bytes;
}

TEST_CASE("a class record decodes to an equal one, which owns its texts") {
  ClassRecord read;
  size_t consumed = 0;
  {
    const std::vector<uint8_t> bytes = Encoded(Example());
    REQUIRE(DecodeClassRecord(bytes, &read, &consumed) == SealStatus::kRecord);
    CHECK(consumed == bytes.size());
  }
  CHECK(read == Example());
}

TEST_CASE("the name of a class is found without decoding the record") {
  const std::vector<uint8_t> bytes = Encoded(Example());
  const std::string_view name = NameInClassRecord(bytes);
  CHECK(name == "a/Café");
  const auto* const begin = reinterpret_cast<const char*>(bytes.data());
  CHECK(name.data() > begin);
  CHECK(name.data() < begin + bytes.size());
}

TEST_CASE("any class record decodes to an equal one, also after another") {
  std::mt19937 random(1);
  std::vector<uint8_t> bytes;
  std::vector<std::unique_ptr<ClassRecord>> written;
  for (int i = 0; i < 200; ++i) {
    written.push_back(std::make_unique<ClassRecord>(RandomClass(random)));
    EncodeClassRecord(*written.back(), &bytes);
  }
  std::span<const uint8_t> rest(bytes);
  for (const auto& expected : written) {
    ClassRecord read;
    size_t consumed = 0;
    REQUIRE(DecodeClassRecord(rest, &read, &consumed) == SealStatus::kRecord);
    REQUIRE(read == *expected);
    rest = rest.subspan(consumed);
  }
  CHECK(rest.empty());
}

TEST_CASE("damaged and cut class records are no records") {
  const std::vector<uint8_t> bytes = Encoded(Example());
  ClassRecord read;
  size_t consumed = 0;
  for (size_t length = 0; length < bytes.size(); ++length) {
    const auto cut = std::span(bytes).first(length);
    CHECK(DecodeClassRecord(cut, &read, &consumed) ==
          (length == 0 ? SealStatus::kEnd : SealStatus::kTruncated));
  }
  for (size_t at = 2; at < bytes.size(); ++at) {
    auto damaged = bytes;
    damaged[at] ^= 0x20;
    CHECK(DecodeClassRecord(damaged, &read, &consumed) == SealStatus::kDamaged);
  }
}

TEST_CASE("numbers that lead outside the class are refused") {
  const auto refused = [](const ClassRecord& record) {
    ClassRecord read;
    size_t consumed = 0;
    return DecodeClassRecord(Encoded(record), &read, &consumed) == SealStatus::kDamaged &&
           read == ClassRecord();
  };
  CHECK_FALSE(refused(Example()));
  ClassRecord record = Example();
  record.methods[1].record = 3;
  CHECK(refused(record));
  record = Example();
  record.methods[1].positions = 6;
  CHECK(refused(record));
  record = Example();
  record.methods[1].first = CounterIndex{UINT32_MAX - 1};
  CHECK(refused(record));
  record = Example();
  record.methods[1].first_site = UINT32_MAX;
  CHECK(refused(record));
  record = Example();
  record.sites[1].method = 2;
  CHECK(refused(record));
  record = Example();
  record.sites[1].bci = 4;  // sites of a method ascend
  CHECK(refused(record));
}

}  // namespace
}  // namespace iprof
