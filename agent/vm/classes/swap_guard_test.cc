#include "agent/vm/classes/swap_guard.h"

#include <catch2/catch.hpp>

#include "agent/vm/jvmti/fake_jvm.h"
#include "agent/vm/jvmti/jvmti_environment.h"

namespace iprof::vm {
namespace {

// A JVM with a class and its subclass.
struct Family {
  FakeJvm jvm;
  JvmtiEnvironment environment;
  FakeClass* base = jvm.AddClass("a/Base");
  FakeClass* derived = AddDerived("a/Derived");

  Family() {
    Result<JvmtiEnvironment> opened = JvmtiEnvironment::Open(jvm.vm());
    REQUIRE(opened.ok());
    environment = std::move(*opened);
  }
  FakeClass* AddDerived(const std::string& name) {
    FakeClass* added = jvm.AddClass(name);
    added->super = base;
    return added;
  }
  static jclass Ref(FakeClass* klass) {
    return reinterpret_cast<jclass>(static_cast<FakeObject*>(klass));
  }
  size_t Passing(SwapGuard& guard, std::initializer_list<FakeClass*> classes) {
    std::vector<jclass> all;
    for (FakeClass* one : classes) all.push_back(Ref(one));
    return guard.Pass(jvm.jni(), all).size();
  }
  void Swap(SwapGuard& guard, FakeClass* klass) {
    const jclass one = Ref(klass);
    REQUIRE(environment->RetransformClasses(1, &one) == JVMTI_ERROR_NONE);
    guard.Swapped(jvm.jni(), std::span(&one, 1));
  }
};

TEST_CASE("our swap of a superclass is not taken for a redefinition by others") {
  Family f;
  SwapGuard guard(f.environment.get(), true);
  CHECK(f.Passing(guard, {f.base, f.derived}) == 2);
  f.Swap(guard, f.base);
  f.Swap(guard, f.base);
  CHECK(f.Passing(guard, {f.base, f.derived}) == 2);
  f.Swap(guard, f.derived);
  f.Swap(guard, f.base);
  CHECK(f.Passing(guard, {f.base, f.derived}) == 2);
}

TEST_CASE("a class is kept back once others have redefined it, a subclass is not") {
  Family f;
  SwapGuard guard(f.environment.get(), true);
  REQUIRE(f.Passing(guard, {f.base, f.derived}) == 2);
  f.jvm.CountRedefinition(*f.base);
  CHECK(f.Passing(guard, {f.derived}) == 1);
  CHECK(f.Passing(guard, {f.base}) == 0);
  CHECK(guard.kept_back() == 1);
}

TEST_CASE("a class that others redefine while we swap it is kept back from then on") {
  Family f;
  SwapGuard guard(f.environment.get(), true);
  REQUIRE(f.Passing(guard, {f.base, f.derived}) == 2);
  f.jvm.CountRedefinition(*f.base);  // after the question, and before or after the swap
  f.Swap(guard, f.base);
  CHECK(f.Passing(guard, {f.base}) == 0);
  CHECK(f.Passing(guard, {f.derived}) == 1);
}

TEST_CASE("a class whose swap the JVM refused passes again") {
  Family f;
  SwapGuard guard(f.environment.get(), true);
  REQUIRE(f.Passing(guard, {f.base}) == 1);
  const jclass refused = Family::Ref(f.base);
  guard.Swapped(f.jvm.jni(), {&refused, 1}, {&refused, 1});
  CHECK(f.Passing(guard, {f.base}) == 1);
  f.jvm.CountRedefinition(*f.base);  // by others
  guard.Swapped(f.jvm.jni(), {&refused, 1}, {&refused, 1});
  CHECK(f.Passing(guard, {f.base}) == 0);
}

TEST_CASE("a class that was loaded after a swap of its superclass passes") {
  Family f;
  SwapGuard guard(f.environment.get(), true);
  REQUIRE(f.Passing(guard, {f.base}) == 1);
  f.Swap(guard, f.base);
  FakeClass* const later = f.AddDerived("a/Later");
  SECTION("seen when it was linked") {
    f.Swap(guard, f.base);
    guard.Note(f.jvm.jni(), Family::Ref(later));
    f.Swap(guard, f.base);
    CHECK(f.Passing(guard, {later}) == 1);
    f.jvm.CountRedefinition(*later);
    CHECK(f.Passing(guard, {later}) == 0);
  }
  SECTION("not seen before") { CHECK(f.Passing(guard, {later}) == 1); }
  SECTION("not seen before, and perhaps redefined") {
    f.jvm.CountRedefinition(*later);
    guard.NoteUntouched(f.jvm.jni(), Family::Ref(later));
    CHECK(f.Passing(guard, {later}) == 0);
  }
}

TEST_CASE("what was noted stays when the state of a class changes") {
  Family f;
  SwapGuard guard(f.environment.get(), true);
  REQUIRE(f.Passing(guard, {f.derived}) == 1);
  f.Swap(guard, f.derived);
  f.Swap(guard, f.derived);
  REQUIRE(SetState(f.environment.get(), Family::Ref(f.derived), ClassTag::State::kAwaited));
  CHECK(f.Passing(guard, {f.derived}) == 1);
  const ClassTag tag = ClassTag::Of(f.environment.get(), Family::Ref(f.derived));
  CHECK(tag.state == ClassTag::State::kAwaited);
  CHECK(tag.own == 2);
  // A class can be below its superclass.
  REQUIRE(
      ClassTag{ClassTag::State::kNone, true, -3}.Set(f.environment.get(), Family::Ref(f.derived)));
  CHECK(ClassTag::Of(f.environment.get(), Family::Ref(f.derived)).own == -3);
}

TEST_CASE("where it is not needed, every class passes and none gets a tag") {
  Family f;
  SwapGuard guard(f.environment.get(), false);
  f.jvm.CountRedefinition(*f.base);
  CHECK(f.Passing(guard, {f.base, f.derived}) == 2);
  f.Swap(guard, f.base);
  CHECK(f.jvm.environments().front().tags.empty());
}

}  // namespace
}  // namespace iprof::vm
