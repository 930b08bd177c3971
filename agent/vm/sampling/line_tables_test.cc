#include "agent/vm/sampling/line_tables.h"

#include <catch2/catch.hpp>

namespace iprof::vm {
namespace {

const void* Id(uintptr_t number) { return reinterpret_cast<const void*>(number * 8); }

TEST_CASE("a line holds from its entry to the next one's, in whichever order they come") {
  LineTables tables;
  CHECK(tables.empty());
  tables.Add(Id(1), {{8, 31}, {2, 30}, {20, 30}});
  tables.Add(Id(2), {});
  CHECK_FALSE(tables.LineOf(Id(1), 1));
  CHECK(tables.LineOf(Id(1), 2) == 30);
  CHECK(tables.LineOf(Id(1), 7) == 30);
  CHECK(tables.LineOf(Id(1), 8) == 31);
  CHECK(tables.LineOf(Id(1), 20) == 30);
  CHECK(tables.LineOf(Id(1), 60'000) == 30);
  CHECK_FALSE(tables.LineOf(Id(2), 0));
  CHECK_FALSE(tables.LineOf(Id(3), 0));
}

TEST_CASE("of two entries at one bci the later stands, of two tables of one method as well") {
  LineTables tables;
  tables.Add(Id(1), {{0, 5}, {0, 6}});
  CHECK(tables.LineOf(Id(1), 0) == 6);
  tables.Add(Id(1), {{4, 7}});
  CHECK(tables.LineOf(Id(1), 4) == 7);
  CHECK_FALSE(tables.LineOf(Id(1), 0));
}

TEST_CASE("tables are united, and later ones replace earlier ones") {
  LineTables tables;
  tables.Add(Id(1), {{0, 5}});
  tables.Add(Id(2), {{0, 8}});
  LineTables more;
  more.Add(Id(2), {{0, 9}});
  more.Add(Id(3), {{0, 1}});
  const size_t before = tables.bytes();
  tables.Add(more);
  CHECK(tables.LineOf(Id(1), 0) == 5);
  CHECK(tables.LineOf(Id(2), 0) == 9);
  CHECK(tables.LineOf(Id(3), 0) == 1);
  CHECK(tables.bytes() > before);
}

TEST_CASE("lines of methods that are forgotten are gone, and those of others stay") {
  const int one = 0;
  const int other = 0;
  LineTables lines;
  lines.Add(&one, {{0, 10}});
  lines.Add(&other, {{0, 20}});
  lines.AddLength(&one, 5);
  lines.AddLength(&other, 6);
  const size_t before = lines.bytes();
  lines.Prune([&](const void* id) { return id == &other; });
  CHECK(lines.LineOf(&one, 0) == std::nullopt);
  CHECK(lines.LengthOf(&one) == 0);
  CHECK(lines.LineOf(&other, 0) == 20);
  CHECK(lines.LengthOf(&other) == 6);
  CHECK(lines.bytes() * 2 <= before);
}

}  // namespace
}  // namespace iprof::vm
