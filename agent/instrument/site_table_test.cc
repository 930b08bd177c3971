#include "agent/instrument/site_table.h"

#include <catch2/catch.hpp>
#include <thread>

namespace iprof::instrument {
namespace {

MethodRecord RecordOf(uint32_t klass, uint32_t method, uint32_t branches) {
  MethodRecord r;
  r.klass = klass;
  r.method = method;
  r.derivation.counter_count = 1;
  for (uint32_t i = 0; i < branches; ++i) {
    r.successors.push_back({i, 0});
    r.successors.push_back({i + 1, 0});
    r.branches.push_back({i, BranchKind::kIf, 2 * i + 2});
  }
  return r;
}

std::vector<MethodRecord> ReadAll(const SiteTable& table, SitePosition from, SitePosition to) {
  std::vector<MethodRecord> records;
  table.VisitBytes(from, to, [&](std::span<const uint8_t> bytes) {
    MethodRecord record;
    size_t consumed = 0;
    while (DecodeSiteRecord(bytes, &record, &consumed) == SiteRecordStatus::kRecord) {
      records.push_back(record);
      bytes = bytes.subspan(consumed);
    }
    REQUIRE(bytes.empty());  // runs hold whole records
  });
  return records;
}

TEST_CASE("records come back in order, across chunks, and from any earlier end") {
  SiteTable table;
  REQUIRE(ReadAll(table, SitePosition{0}, table.End()).empty());
  SitePosition middle{};
  for (uint32_t i = 0; i < 5000; ++i) {
    if (i == 2000) middle = table.End();
    REQUIRE(table.Append(RecordOf(1, i, i % 60)));
  }
  REQUIRE(table.MemoryBytes() > 2 * SiteTable::kChunkBytes);
  REQUIRE(table.record_count() == 5000);
  const auto all = ReadAll(table, SitePosition{0}, table.End());
  REQUIRE(all.size() == 5000);
  for (uint32_t i = 0; i < 5000; ++i) REQUIRE(all[i] == RecordOf(1, i, i % 60));
  const auto early = ReadAll(table, SitePosition{0}, middle);
  const auto late = ReadAll(table, middle, table.End());
  REQUIRE(early.size() == 2000);
  REQUIRE(late.size() == 3000);
  REQUIRE(late[0].method == 2000);
}

TEST_CASE("a record larger than a chunk has a chunk of its own") {
  SiteTable table;
  REQUIRE(table.Append(RecordOf(1, 1, 2)));
  REQUIRE(table.Append(RecordOf(1, 2, 60'000)));
  REQUIRE(table.Append(RecordOf(1, 3, 2)));
  const auto all = ReadAll(table, SitePosition{0}, table.End());
  REQUIRE(all.size() == 3);
  REQUIRE(all[1].branches.size() == 60'000);
  REQUIRE(all[2].method == 3);
}

TEST_CASE("threads append whole records; a reader beside them sees whole records") {
  SiteTable table;
  std::vector<std::thread> threads;
  for (uint32_t t = 0; t < 4; ++t) {
    threads.emplace_back([&table, t] {
      for (uint32_t i = 0; i < 3000; ++i) {
        if (!table.Append(RecordOf(t, i, i % 9))) std::abort();
      }
    });
  }
  size_t seen = 0;
  SitePosition from{0};
  while (seen < 12'000) {
    const SitePosition to = table.End();
    seen += ReadAll(table, from, to).size();
    from = to;
  }
  for (std::thread& t : threads) t.join();
  // Each thread's records are in its own order.
  std::vector<uint32_t> next(4, 0);
  for (const MethodRecord& r : ReadAll(table, SitePosition{0}, table.End())) {
    REQUIRE(r.method == next[r.klass]++);
  }
}

}  // namespace
}  // namespace iprof::instrument
