#include "agent/hotspot/estimate/class_hierarchy.h"

#include <catch2/catch.hpp>
#include <deque>
#include <string>
#include <vector>

#include "agent/hotspot/estimate/named_program.h"

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

TEST_CASE(
    "a method is found in a class with few methods, in one with very many, and in superclasses") {
  for (const uint32_t more : {0U, 1000U}) {
    NamedProgram program;
    std::deque<std::string> names;
    const uint32_t base = program.Class("a/Base");
    const uint32_t inherited = program.Method("inherited", 1);
    const uint32_t hidden = program.Method("run", 1);
    const uint32_t klass = program.Class("a/A", base);
    const uint32_t run = program.Method("run", 1);
    for (uint32_t m = 0; m < more; ++m)
      program.Method(names.emplace_back("other" + std::to_string(m)), 1);
    const uint32_t last = program.Method("last", 1);
    program.Method("run", 1);  // no class file has two; the first counts
    ClassHierarchy hierarchy(program.made);
    const auto resolve = [&](uint32_t in, std::string_view name) {
      return hierarchy.Resolve(in, hierarchy.FindSelector(name, "()V").value());
    };
    CHECK(resolve(klass, "run") == run);
    CHECK(resolve(klass, "last") == last);
    CHECK(resolve(klass, "inherited") == inherited);
    CHECK(resolve(base, "run") == hidden);
    CHECK(resolve(base, "last") == std::nullopt);
    CHECK(resolve(base, "last") == std::nullopt);  // asked again
    CHECK_FALSE(hierarchy.FindSelector("run", "(I)V"));
  }
}

TEST_CASE("what a class inherits from far away is found again, and so is nothing") {
  NamedProgram program;
  std::deque<std::string> names;
  uint32_t klass = program.Class("a/Base");
  const uint32_t run = program.Method("run", 1);
  std::vector<uint32_t> classes;
  for (uint32_t c = 0; c < 100; ++c) {
    klass = program.Class(names.emplace_back("a/A" + std::to_string(c)), klass);
    classes.push_back(klass);
    for (uint32_t m = 0; m < 20; ++m)
      program.Method(names.emplace_back("m" + std::to_string(c * 20 + m)), 1);
  }
  program.Class("a/Other");
  program.Method("stop", 1);
  ClassHierarchy hierarchy(program.made);
  const auto selector = [&](std::string_view name) {
    return hierarchy.FindSelector(name, "()V").value();
  };
  for (int again = 0; again < 2; ++again) {
    for (const uint32_t c : classes) {
      CHECK(hierarchy.Resolve(c, selector("run")) == run);
      CHECK(hierarchy.Resolve(c, selector("stop")) == std::nullopt);
      CHECK(hierarchy.Resolve(c, selector("m0")) == run + 1);
    }
  }
}

TEST_CASE("an abstract method runs nothing, and a default one stands for it") {
  constexpr uint16_t kAbstract = 0x0400;
  NamedProgram program;
  const uint32_t above = program.Class("a/Above", kNoClass, 0x0600);
  const uint32_t run = program.Method("run", 1);
  const uint32_t interface = program.Class("a/Interface", kNoClass, 0x0600);
  program.made.classes[interface].interfaces = {above};
  const uint32_t base = program.Class("a/Base", kNoClass, kAbstract);
  program.made.methods[program.Method("run", 0)].access = kAbstract;
  program.made.methods[program.Method("stop", 0)].access = kAbstract;
  program.made.classes[base].interfaces = {interface};
  const uint32_t klass = program.Class("a/A", base);
  ClassHierarchy hierarchy(program.made);
  const Selector selector = hierarchy.FindSelector("run", "()V").value();
  for (int again = 0; again < 2; ++again) {
    CHECK(hierarchy.Resolve(klass, selector) == run);
    CHECK(hierarchy.Resolve(klass, hierarchy.FindSelector("stop", "()V").value()) == std::nullopt);
  }
  CHECK(hierarchy.ImplementationsOf(above, selector).methods == std::vector<uint32_t>{run});
}

}  // namespace
}  // namespace iprof::hotspot
