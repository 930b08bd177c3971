#include "writer/flow/class_hierarchy.h"

#include <catch2/catch.hpp>
#include <deque>
#include <string>
#include <utility>
#include <vector>

namespace iprof {
namespace {

constexpr uint32_t kNoClass = ClassHierarchy::kNoClass;

// Classes with methods ()V, which are added when all are known.
class Classes {
 public:
  uint32_t Class(std::string_view name, uint32_t super = kNoClass, uint16_t access = 1,
                 std::vector<uint32_t> interfaces = {}) {
    interfaces_.push_back(std::move(interfaces));
    made_.push_back({.name = name,
                     .super = super,
                     .interfaces = interfaces_.back(),
                     .access = access,
                     .first_method = methods_});
    return static_cast<uint32_t>(made_.size() - 1);
  }
  // Adds a method to the last class.
  uint32_t Method(std::string_view name, uint16_t access = 1) {
    ++made_.back().methods;
    ++methods_;
    return hierarchy_.AddMethod(hierarchy_.AddSelector(name, "()V"), access);
  }
  ClassHierarchy::Class& Last() { return made_.back(); }
  ClassHierarchy Settle() {
    for (const ClassHierarchy::Class& klass : made_) hierarchy_.AddClass(klass);
    hierarchy_.Settle();
    return std::move(hierarchy_);
  }

 private:
  ClassHierarchy hierarchy_;
  std::vector<ClassHierarchy::Class> made_;
  std::deque<std::vector<uint32_t>> interfaces_;
  uint32_t methods_ = 0;
};

TEST_CASE("a name means the class of the caller's loader, or else the most counted one") {
  Classes classes;
  // The newest loader comes first, and its copy has hardly run.
  for (const auto& [loader, counted] : {std::pair{4, 1}, std::pair{3, 100}, std::pair{2, 100}}) {
    classes.Class("a/Copied");
    classes.Last().loader = static_cast<uint64_t>(loader);
    classes.Last().counted = static_cast<uint64_t>(counted);
  }
  // Of before a redefinition.
  classes.Class("a/Copied");
  classes.Last().counted = 1000;
  classes.Last().is_current = false;
  const ClassHierarchy hierarchy = classes.Settle();
  CHECK(hierarchy.FindClass("a/Copied", 4) == 0);
  CHECK(hierarchy.FindClass("a/Copied", 3) == 1);
  CHECK(hierarchy.FindClass("a/Copied", 2) == 2);
  CHECK(hierarchy.FindClass("a/Copied", 1) == 1);
  CHECK_FALSE(hierarchy.FindClass("a/Other", 4));
  CHECK(hierarchy.FindClasses("a/Copied", 3).size() == 1);
  CHECK(hierarchy.FindClasses("a/Copied", 1).size() == 3);
}

TEST_CASE(
    "a method is found in a class with few methods, in one with very many, and in superclasses") {
  for (const uint32_t more : {0U, 1000U}) {
    Classes classes;
    std::deque<std::string> names;
    const uint32_t base = classes.Class("a/Base");
    const uint32_t inherited = classes.Method("inherited");
    const uint32_t hidden = classes.Method("run");
    const uint32_t klass = classes.Class("a/A", base);
    const uint32_t run = classes.Method("run");
    for (uint32_t m = 0; m < more; ++m)
      classes.Method(names.emplace_back("other" + std::to_string(m)));
    const uint32_t last = classes.Method("last");
    classes.Method("run");  // no class file has two; the first counts
    ClassHierarchy hierarchy = classes.Settle();
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
  Classes classes;
  std::deque<std::string> names;
  uint32_t klass = classes.Class("a/Base");
  const uint32_t run = classes.Method("run");
  std::vector<uint32_t> chain;
  for (uint32_t c = 0; c < 100; ++c) {
    klass = classes.Class(names.emplace_back("a/A" + std::to_string(c)), klass);
    chain.push_back(klass);
    for (uint32_t m = 0; m < 20; ++m)
      classes.Method(names.emplace_back("m" + std::to_string(c * 20 + m)));
  }
  classes.Class("a/Other");
  classes.Method("stop");
  ClassHierarchy hierarchy = classes.Settle();
  const auto selector = [&](std::string_view name) {
    return hierarchy.FindSelector(name, "()V").value();
  };
  for (int again = 0; again < 2; ++again) {
    for (const uint32_t c : chain) {
      CHECK(hierarchy.Resolve(c, selector("run")) == run);
      CHECK(hierarchy.Resolve(c, selector("stop")) == std::nullopt);
      CHECK(hierarchy.Resolve(c, selector("m0")) == run + 1);
    }
  }
}

TEST_CASE("an abstract method runs nothing, and a default one stands for it") {
  constexpr uint16_t kAbstract = 0x0400;
  Classes classes;
  const uint32_t above = classes.Class("a/Above", kNoClass, 0x0600);
  const uint32_t run = classes.Method("run");
  const uint32_t interface = classes.Class("a/Interface", kNoClass, 0x0600, {above});
  const uint32_t base = classes.Class("a/Base", kNoClass, kAbstract, {interface});
  classes.Method("run", kAbstract);
  classes.Method("stop", kAbstract);
  const uint32_t klass = classes.Class("a/A", base);
  ClassHierarchy hierarchy = classes.Settle();
  const Selector selector = hierarchy.FindSelector("run", "()V").value();
  for (int again = 0; again < 2; ++again) {
    CHECK(hierarchy.Resolve(klass, selector) == run);
    CHECK_FALSE(hierarchy.ResolveInSupers(klass, selector));
    CHECK(hierarchy.Resolve(klass, hierarchy.FindSelector("stop", "()V").value()) == std::nullopt);
  }
  CHECK(hierarchy.ImplementationsOf(above, selector).methods == std::vector<uint32_t>{run});
  CHECK(hierarchy.IsInterface(above));
  CHECK_FALSE(hierarchy.IsInterface(base));
  CHECK(hierarchy.IsSubclass(klass, base));
  CHECK_FALSE(hierarchy.IsSubclass(base, base));
  CHECK_FALSE(hierarchy.IsSubclass(base, klass));
}

TEST_CASE("implementations are those of concrete subclasses, and of the class itself") {
  // The example of the header.
  Classes classes;
  const uint32_t base = classes.Class("Base");
  const uint32_t base_f = classes.Method("f");
  const uint32_t left = classes.Class("Left", base);
  const uint32_t left_f = classes.Method("f");
  const uint32_t right = classes.Class("Right", base);
  ClassHierarchy hierarchy = classes.Settle();
  const Selector f = hierarchy.FindSelector("f", "()V").value();
  CHECK(hierarchy.SelectorOf(left_f) == f);
  CHECK(hierarchy.Resolve(right, f) == base_f);
  const Implementations& found = hierarchy.ImplementationsOf(base, f);
  CHECK(found.methods == std::vector<uint32_t>{base_f, left_f});
  CHECK(found.receivers == std::vector<uint32_t>{2, 1});
  CHECK(found.classes == std::vector<uint32_t>{base, left, right});
}

TEST_CASE("classes that are their own superclasses end the search") {
  Classes classes;
  const uint32_t a = classes.Class("A", 1);
  const uint32_t b = classes.Class("B", 0, 1, {0, 77});
  const uint32_t other = classes.Class("C");
  classes.Method("f");
  ClassHierarchy hierarchy = classes.Settle();
  const Selector f = hierarchy.FindSelector("f", "()V").value();
  CHECK_FALSE(hierarchy.Resolve(a, f));
  CHECK_FALSE(hierarchy.Resolve(b, f));
  CHECK_FALSE(hierarchy.IsSubclass(a, other));
  CHECK(hierarchy.ImplementationsOf(a, f).methods.empty());
}

}  // namespace
}  // namespace iprof
