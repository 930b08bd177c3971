// Which of the loaded classes the freezer may change.
#include "agent/vm/classes/named_classes.h"

#include <array>
#include <catch2/catch.hpp>
#include <set>
#include <string>
#include <vector>

#include "agent/vm/classes/swap_guard.h"
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
  FakeClass* Add(const std::string& name) { return jvm.AddClass(name, jvm.AddLoader()); }
  ClassTag::State StateOf(jclass klass) const { return ClassTag::Of(jvmti, klass).state; }
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

TEST_CASE("a second look finds what the first one did not", "[named_classes]") {
  Loaded l;
  const jclass known = Loaded::Reference(l.Add("a/One"));
  const jclass other = Loaded::Reference(l.Add("a/Other"));
  MarkFound(l.jvmti, std::array{known});
  // Other class loaders end to define theirs.
  const jclass copy = Loaded::Reference(l.Add("a/One"));
  const jclass late = Loaded::Reference(l.Add("a/Two"));
  FakeClass* const unlinked = l.Add("a/Two");
  unlinked->is_prepared = false;
  const std::array loaded{known, other, copy, late, Loaded::Reference(unlinked)};
  const FoundClasses found = FindOthers(l.jvmti, loaded, {"a/One", "a/Two"});
  CHECK(found.linked == std::vector<jclass>{copy, late});
  CHECK(found.unlinked == std::set<std::string>{"a/Two"});
  // No mark is left.
  for (const jclass klass : loaded) CHECK(l.StateOf(klass) == ClassTag::State::kNone);
}

TEST_CASE("a second look keeps what others have noted of a class", "[named_classes]") {
  Loaded l;
  const jclass awaited = Loaded::Reference(l.Add("a/One"));
  const jclass noted = Loaded::Reference(l.Add("a/One"));
  REQUIRE(SetState(l.jvmti, awaited, ClassTag::State::kAwaited));
  REQUIRE(ClassTag{.is_noted = true, .own = 7}.Set(l.jvmti, noted));
  const std::array loaded{awaited, noted};
  MarkFound(l.jvmti, loaded);
  CHECK(FindOthers(l.jvmti, loaded, {"a/One"}).linked == std::vector<jclass>{awaited});
  CHECK(l.StateOf(awaited) == ClassTag::State::kAwaited);
  CHECK(ClassTag::Of(l.jvmti, noted).is_noted);
  CHECK(ClassTag::Of(l.jvmti, noted).own == 7);
}

}  // namespace
}  // namespace iprof::vm
