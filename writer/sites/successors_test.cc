#include "writer/sites/successors.h"

#include <catch2/catch.hpp>

namespace iprof {
namespace {

using Shape = std::vector<SuccessorShape>;

Shape ShapeOf(BranchKind kind, std::vector<uint32_t> targets) {
  Shape shape = {{99, 99}};
  ShapeSuccessors(kind, targets, &shape);
  return shape;
}

TEST_CASE("an if has its target first, its fall-through second") {
  REQUIRE(ShapeOf(BranchKind::kIf, {53, 14}) == Shape{{53, 0}, {14, 1}});
  REQUIRE(ShapeOf(BranchKind::kIf, {14, 14}) == Shape{{14, 0}, {14, 1}});
}

TEST_CASE("a switch numbers its targets by first appearance, repeats carry -5") {
  // case 1: case 3: A; case 2: B; case 4: = default C
  REQUIRE(ShapeOf(BranchKind::kSwitch, {40, 50, 40, 60, 60}) ==
          Shape{{40, 0}, {50, 1}, {-5, 0}, {60, 2}, {-5, 2}});
  // Order of appearance, not of bci; a backward target is no exception.
  REQUIRE(ShapeOf(BranchKind::kSwitch, {90, 10, 90, 10, 10, 20}) ==
          Shape{{90, 0}, {10, 1}, {-5, 0}, {-5, 1}, {-5, 1}, {20, 2}});
  REQUIRE(ShapeOf(BranchKind::kSwitch, {7}) == Shape{{7, 0}});
  REQUIRE(ShapeOf(BranchKind::kSwitch, {}) == Shape{});
}

}  // namespace
}  // namespace iprof
