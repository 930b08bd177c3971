// Which of the loaded classes the freezer may change.
#include "agent/vm/counting/named_classes.h"

#include <catch2/catch.hpp>

#include "agent/vm/jvmti/fake_jvm.h"

namespace iprof::vm {
namespace {

struct Loaded {
  FakeJvm jvm;
  jvmtiEnv* jvmti = nullptr;

  Loaded() {
    void* opened = nullptr;
    REQUIRE(jvm.vm()->GetEnv(&opened, JVMTI_VERSION_11) == JNI_OK);
    jvmti = static_cast<jvmtiEnv*>(opened);
  }
  static jclass Reference(FakeClass* klass) { return reinterpret_cast<jclass>(klass); }
};

TEST_CASE("classes are found in the order of their names, in each class loader") {
  Loaded l;
  const jclass first = Loaded::Reference(l.jvm.AddClass("a/One", l.jvm.application_loader));
  const jclass other = Loaded::Reference(l.jvm.AddClass("a/One", l.jvm.AddLoader()));
  const jclass second = Loaded::Reference(l.jvm.AddClass("a/Two", l.jvm.application_loader));
  const jclass unnamed = Loaded::Reference(l.jvm.AddClass("a/Three", l.jvm.application_loader));
  const std::vector<jclass> loaded = {first, unnamed, second, other};
  const FoundClasses found = FindClasses(l.jvmti, loaded, {"a/Two", "a/One", "a/Missing"});
  CHECK(found.linked == std::vector<jclass>{second, first, other});
  CHECK(found.unlinked.empty());
  CHECK(NamesOf(l.jvmti, found.linked) == std::set<std::string>{"a/One", "a/Two"});
}

TEST_CASE(
    "classes that cannot be changed are left out, and those that are not linked are told apart") {
  Loaded l;
  FakeClass* const fixed = l.jvm.AddClass("a/Fixed", l.jvm.application_loader);
  FakeClass* const unlinked = l.jvm.AddClass("a/Unlinked", l.jvm.application_loader);
  fixed->is_modifiable = false;
  unlinked->is_prepared = false;
  const std::vector<jclass> loaded = {Loaded::Reference(fixed), Loaded::Reference(unlinked)};
  const FoundClasses found = FindClasses(l.jvmti, loaded, {"a/Fixed", "a/Unlinked"});
  CHECK(found.linked.empty());
  CHECK(found.unlinked == std::set<std::string>{"a/Unlinked"});
}

}  // namespace
}  // namespace iprof::vm
