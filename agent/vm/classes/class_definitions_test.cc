#include "agent/vm/classes/class_definitions.h"

#include <catch2/catch.hpp>
#include <thread>
#include <vector>

namespace iprof::vm {
namespace {

using instrument::ClassId;

// Collects the definitions that failed.
struct Failures {
  std::vector<ClassId> ids;
  Failures() {
    ClassDefinitions::SetFailed([this](ClassId id) { ids.push_back(id); });
  }
  ~Failures() { ClassDefinitions::SetFailed({}); }
};

TEST_CASE("a definition ends with the class of its name", "[class_definitions]") {
  const Failures failures;
  CHECK_FALSE(ClassDefinitions::Any());
  ClassDefinitions::Begin("a/B", ClassId{1}, 1000);
  CHECK(ClassDefinitions::Any());
  CHECK_FALSE(ClassDefinitions::End("a/C"));
  CHECK(ClassDefinitions::End("a/B") == ClassId{1});
  CHECK_FALSE(ClassDefinitions::Any());
  CHECK(failures.ids.empty());
}

TEST_CASE("a superclass is defined within its subclass", "[class_definitions]") {
  const Failures failures;
  ClassDefinitions::Begin("a/Sub", ClassId{1}, 1000);
  ClassDefinitions::Begin("a/Super", ClassId{2}, 900);
  CHECK(ClassDefinitions::End("a/Super") == ClassId{2});
  CHECK(ClassDefinitions::End("a/Sub") == ClassId{1});
  CHECK(failures.ids.empty());
}

TEST_CASE("two loaders define one name within each other", "[class_definitions]") {
  const Failures failures;
  ClassDefinitions::Begin("a/B", ClassId{1}, 1000);
  ClassDefinitions::Begin("a/B", ClassId{2}, 900);
  CHECK(ClassDefinitions::End("a/B") == ClassId{2});
  CHECK(ClassDefinitions::End("a/B") == ClassId{1});
}

TEST_CASE("a definition that never ends is noticed", "[class_definitions]") {
  Failures failures;
  SECTION("by the next one from the same place") {
    ClassDefinitions::Begin("a/B", ClassId{1}, 1000);
    ClassDefinitions::Begin("a/C", ClassId{2}, 1000);
    CHECK(failures.ids == std::vector{ClassId{1}});
    CHECK(ClassDefinitions::End("a/C") == ClassId{2});
  }
  SECTION("by the end of the one that it was nested in") {
    ClassDefinitions::Begin("a/Sub", ClassId{1}, 1000);
    ClassDefinitions::Begin("a/Interface", ClassId{2}, 900);
    CHECK(ClassDefinitions::End("a/Sub") == ClassId{1});
    CHECK(failures.ids == std::vector{ClassId{2}});
  }
  SECTION("by a deeper one only once the stack is up again") {
    ClassDefinitions::Begin("a/B", ClassId{1}, 1000);
    ClassDefinitions::Begin("a/C", ClassId{2}, 900);
    CHECK(ClassDefinitions::End("a/C") == ClassId{2});
    CHECK(failures.ids.empty());
    ClassDefinitions::Begin("a/D", ClassId{3}, 1100);
    CHECK(failures.ids == std::vector{ClassId{1}});
    CHECK(ClassDefinitions::End("a/D") == ClassId{3});
  }
  SECTION("by the end of its thread") {
    std::thread([] { ClassDefinitions::Begin("a/B", ClassId{7}, 1000); }).join();
    CHECK(failures.ids == std::vector{ClassId{7}});
  }
}

TEST_CASE("threads have definitions of their own", "[class_definitions]") {
  const Failures failures;
  ClassDefinitions::Begin("a/B", ClassId{1}, 1000);
  std::thread([] {
    CHECK_FALSE(ClassDefinitions::Any());
    CHECK_FALSE(ClassDefinitions::End("a/B"));
  }).join();
  CHECK(ClassDefinitions::End("a/B") == ClassId{1});
}

}  // namespace
}  // namespace iprof::vm
