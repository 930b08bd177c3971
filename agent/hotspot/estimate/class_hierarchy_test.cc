#include "agent/hotspot/estimate/class_hierarchy.h"

#include <catch2/catch.hpp>

namespace iprof::hotspot {
namespace {

void AddCopy(HarvestedProgram& program, uint64_t loader, uint64_t invocations) {
  HarvestedClass klass;
  klass.name = "a/Copied";
  klass.loader = loader;
  klass.first_method = static_cast<uint32_t>(program.methods.size());
  klass.methods = 1;
  HarvestedMethod method;
  method.klass = static_cast<uint32_t>(program.classes.size());
  method.name = "run";
  method.descriptor = "()V";
  method.invocations = invocations;
  program.classes.push_back(klass);
  program.methods.push_back(method);
}

TEST_CASE("a name means the class of the caller's loader, or else the most counted one") {
  HarvestedProgram program;
  // The newest loader comes first, and its copy has hardly run.
  AddCopy(program, 4, 1);
  AddCopy(program, 3, 100);
  AddCopy(program, 2, 100);
  const ClassHierarchy hierarchy(program);
  CHECK(hierarchy.FindClass("a/Copied", 4) == 0);
  CHECK(hierarchy.FindClass("a/Copied", 3) == 1);
  CHECK(hierarchy.FindClass("a/Copied", 2) == 2);
  CHECK(hierarchy.FindClass("a/Copied", 1) == 1);
  CHECK_FALSE(hierarchy.FindClass("a/Other", 4));
}

}  // namespace
}  // namespace iprof::hotspot
