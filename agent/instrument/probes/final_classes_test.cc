#include "agent/instrument/probes/final_classes.h"

#include <algorithm>
#include <catch2/catch.hpp>

namespace iprof::instrument {
namespace {

TEST_CASE("Final classes are found by name", "[final_classes]") {
  const auto all = FinalClasses();
  CHECK(std::is_sorted(all.begin(), all.end()));
  for (std::string_view name : all) CHECK(IsFinalClass(name));
  CHECK(IsFinalClass("java/lang/StringBuilder"));
  CHECK_FALSE(IsFinalClass("java/lang/Number"));
  CHECK_FALSE(IsFinalClass("java/lang/Strin"));
  CHECK_FALSE(IsFinalClass("b/String"));
  CHECK_FALSE(IsFinalClass(""));
}

TEST_CASE("Object's final methods, by name and descriptor", "[final_classes]") {
  CHECK(IsFinalMethodOfObject("getClass", "()Ljava/lang/Class;"));
  CHECK(IsFinalMethodOfObject("notify", "()V"));
  CHECK(IsFinalMethodOfObject("wait", "(JI)V"));
  CHECK_FALSE(IsFinalMethodOfObject("wait", "(I)V"));
  CHECK_FALSE(IsFinalMethodOfObject("getClass", "()V"));
  CHECK_FALSE(IsFinalMethodOfObject("hashCode", "()I"));
}

}  // namespace
}  // namespace iprof::instrument
