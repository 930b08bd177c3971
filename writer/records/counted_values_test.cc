#include "writer/records/counted_values.h"

#include <catch2/catch.hpp>
#include <random>

namespace iprof {
namespace {

// A record of random steps, branches and calls, as large as it claims.
MethodRecord RandomRecord(std::mt19937& random) {
  MethodRecord record;
  Derivation& d = record.derivation;
  const auto some = [&](uint32_t below) { return static_cast<uint32_t>(random() % below); };
  d.counter_count = 1 + some(6);
  for (uint32_t steps = some(5); steps > 0; --steps) {
    const uint32_t values = d.value_count();
    for (uint32_t operands = some(4); operands > 0; --operands) {
      const ValueId value = some(values);
      d.operands.push_back(random() % 2 == 0 ? Operand::Plus(value) : Operand::Minus(value));
    }
    d.step_end.push_back(static_cast<uint32_t>(d.operands.size()));
  }
  const uint32_t values = d.value_count();
  record.entry = some(values);
  for (auto* list :
       {&record.certificate.abrupt, &record.certificate.thrown, &record.certificate.disturbed}) {
    for (uint32_t left = some(3); left > 0; --left) list->push_back(some(values));
  }
  record.successors = {{10, some(values)}, {4, kNoValue}};
  record.branches = {{1, BranchKind::kIf, 2}};
  record.calls = {{7, 0, some(values)}};
  return record;
}

TEST_CASE("the values are those of a plain copy of the counters, for one method after another") {
  std::mt19937 random(1);
  std::vector<uint64_t> counters(200);
  for (uint64_t& counter : counters) counter = random() % 3 == 0 ? random() % 9 : 0;
  // Behind the first ones, only those that are not 0.
  const size_t dense = GENERATE(as<size_t>(), 200, 130, 1, 0);
  std::vector<NumberedCounter> more;
  for (size_t i = dense; i < counters.size(); ++i) {
    if (counters[i] != 0) more.push_back({static_cast<uint32_t>(i), counters[i]});
  }
  const std::span<const uint64_t> first_ones(counters.data(), dense);
  CountedValues loaded(first_ones, more);
  for (int round = 0; round < 2000; ++round) {
    const MethodRecord record = RandomRecord(random);
    const Derivation& d = record.derivation;
    const size_t first = random() % 210;
    std::vector<uint64_t> plain(d.value_count());
    bool ran = false;
    for (size_t i = 0; i < d.counter_count && first + i < counters.size(); ++i) {
      plain[i] = counters[first + i];
      ran = ran || plain[i] != 0;
    }
    std::vector<uint8_t> touched(d.value_count());
    const uint64_t clamps = Derive(d, plain);
    const ErrorBound bound = BoundOf(record.certificate, plain, 0);
    if (bound.k > 0) FindTouched(d, record.certificate, touched);

    loaded.Load(record, first);
    REQUIRE(loaded.ran() == ran);
    REQUIRE(loaded.clamps() == clamps);
    REQUIRE(loaded.abrupt().k == bound.k);
    REQUIRE(loaded.BoundWith(record, 5).k == BoundOf(record.certificate, plain, 5).k);
    for (const ValueId value : {record.entry, record.successors[0].value, record.calls[0].value}) {
      REQUIRE(loaded.Of(value) == plain[value]);
      REQUIRE(loaded.IsTouched(value) == (touched[value] != 0));
    }
    REQUIRE(loaded.Of(kNoValue) == 0);
    REQUIRE_FALSE(loaded.IsTouched(kNoValue));
  }
}

TEST_CASE("a method ran if any of its counters is not 0, also one that the record does not use") {
  MethodRecord record;
  record.derivation.counter_count = 300;
  for (const size_t counted : {0U, 1U, 63U, 64U, 299U}) {
    std::vector<uint64_t> counters(1000);
    counters[500 + counted] = 7;
    CountedValues loaded(counters);
    loaded.Load(record, 500);
    CHECK(loaded.ran());
    CHECK(loaded.Of(record.entry) == (counted == 0 ? 7U : 0U));
    loaded.Load(record, 200);
    CHECK_FALSE(loaded.ran());
    loaded.Load(record, 801 + counted);
    CHECK_FALSE(loaded.ran());
    loaded.Load(record, SIZE_MAX - 1000);
    CHECK_FALSE(loaded.ran());
  }
}

// With a copy of the counters of each method this would take minutes.
TEST_CASE("a method that claims very many counters costs no more than its record has bytes") {
  const std::vector<uint64_t> counters(1 << 18, 3);
  MethodRecord record;
  record.derivation.counter_count = (1 << 18) - 1;
  record.certificate.abrupt = {record.derivation.counter_count - 1};
  record.certificate.disturbed = {5};
  record.calls = {{7, 0, 5}};
  CountedValues loaded(counters);
  uint64_t sum = 0;
  for (int method = 0; method < 300'000; ++method) {
    loaded.Load(record, 0);
    sum += loaded.Of(record.entry) + loaded.abrupt().k + (loaded.IsTouched(5) ? 1 : 0);
  }
  CHECK(sum == 300'000 * 7);
}

}  // namespace
}  // namespace iprof
