// Classes that were being loaded while methods thawed.
#include "agent/vm/counting/second_look.h"

#include <catch2/catch.hpp>

#include <array>
#include <set>
#include <string>
#include <vector>

#include "agent/vm/counting/swap_guard.h"
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
  static jclass Reference(FakeClass* klass) { return reinterpret_cast<jclass>(klass); }
  ClassTag::State StateOf(jclass klass) const { return ClassTag::Of(jvmti, klass).state; }
};

TEST_CASE("a second look finds what the first one did not", "[second_look]") {
  Loaded l;
  const jclass known = Loaded::Reference(l.Add("a/One"));
  const jclass other = Loaded::Reference(l.Add("a/Other"));
  const SecondLook look(l.jvmti, {"a/One", "a/Two"}, std::array{known});
  // Other class loaders end to define theirs.
  const jclass copy = Loaded::Reference(l.Add("a/One"));
  const jclass late = Loaded::Reference(l.Add("a/Two"));
  FakeClass* const unlinked = l.Add("a/Two");
  unlinked->is_prepared = false;
  const std::array loaded{known, other, copy, late, Loaded::Reference(unlinked)};
  const FoundClasses found = look.Find(loaded);
  CHECK(found.linked == std::vector<jclass>{copy, late});
  CHECK(found.unlinked == std::set<std::string>{"a/Two"});
  // No mark is left.
  for (const jclass klass : loaded) CHECK(l.StateOf(klass) == ClassTag::State::kNone);
}

TEST_CASE("a second look keeps what others have noted of a class", "[second_look]") {
  Loaded l;
  const jclass awaited = Loaded::Reference(l.Add("a/One"));
  const jclass noted = Loaded::Reference(l.Add("a/One"));
  REQUIRE(SetState(l.jvmti, awaited, ClassTag::State::kAwaited));
  REQUIRE(ClassTag{.is_noted = true, .own = 7}.Set(l.jvmti, noted));
  const std::array loaded{awaited, noted};
  const SecondLook look(l.jvmti, {"a/One"}, loaded);
  CHECK(look.Find(loaded).linked == std::vector<jclass>{awaited});
  CHECK(l.StateOf(awaited) == ClassTag::State::kAwaited);
  CHECK(ClassTag::Of(l.jvmti, noted).is_noted);
  CHECK(ClassTag::Of(l.jvmti, noted).own == 7);
}

}  // namespace
}  // namespace iprof::vm
