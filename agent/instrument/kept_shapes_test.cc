// What is left unchanged because something recognises it by its code.
#include "agent/instrument/kept_shapes.h"

#include <catch2/catch.hpp>

namespace iprof::instrument {
namespace {

constexpr uint16_t kStatic = 0x0009;
constexpr uint16_t kInstance = 0x0001;

TEST_CASE("an empty finalize() is kept with all flags of the JVM") {
  for (const bool black_holes : {false, true}) {
    CHECK(HasKeptShape({"finalize", "()V", kInstance, 1}, black_holes));
    CHECK_FALSE(HasKeptShape({"finalize", "()V", kInstance, 5}, black_holes));
    CHECK_FALSE(HasKeptShape({"finalize", "(I)V", kInstance, 1}, black_holes));
    CHECK_FALSE(HasKeptShape({"run", "()V", kInstance, 1}, black_holes));
  }
}

TEST_CASE("empty static methods are kept only where they may be black holes") {
  CHECK(HasKeptShape({"sink", "(I)V", kStatic, 1}, true));
  CHECK_FALSE(HasKeptShape({"sink", "(I)V", kStatic, 1}, false));
  CHECK_FALSE(HasKeptShape({"sink", "(I)V", kStatic, 2}, true));
}

}  // namespace
}  // namespace iprof::instrument
