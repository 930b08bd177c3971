// The thread that gives classes their own code when the program links them, at the JVM's end.
#include "agent/vm/classes/unlinked_classes.h"

#include <catch2/catch.hpp>
#include <optional>

#include "agent/vm/jvmti/fake_jvm.h"

namespace iprof::vm {
namespace {

using namespace std::chrono_literals;

struct Linking {
  FakeJvm jvm;
  Log log;
  jvmtiEnv* jvmti = nullptr;
  std::optional<SwapGuard> guard;
  FakeClass* const klass = jvm.AddClass("a/B", jvm.application_loader);

  Linking() {
    void* opened = nullptr;
    REQUIRE(jvm.vm()->GetEnv(&opened, JVMTI_VERSION_11) == JNI_OK);
    jvmti = static_cast<jvmtiEnv*>(opened);
    guard.emplace(jvmti, false);
  }

  // The stop comes, and the program links the class afterwards.
  void Link(UnlinkedClasses& unlinked) {
    auto* const reference = reinterpret_cast<jclass>(klass);
    klass->is_prepared = false;
    unlinked.Await(jvmti, jvm.jni(), reference, *guard);
    klass->is_prepared = true;
    unlinked.OnPrepare(jvmti, jvm.jni(), reference, *guard);
  }
};

TEST_CASE("a class that is linked after a stop gets its own code") {
  Linking l;
  UnlinkedClasses unlinked(l.jvm.vm(), l.log, 1ms);
  l.Link(unlinked);
  REQUIRE(unlinked.Wait(1min));
  CHECK(l.jvm.retransformed == std::vector<std::string>{"a/B"});
  CHECK(unlinked.awaited() == 0);
}

TEST_CASE("the JVM's end does not wait until classes have been gathered, and swaps none") {
  Linking l;
  UnlinkedClasses unlinked(l.jvm.vm(), l.log, 1h);
  l.Link(unlinked);
  REQUIRE(unlinked.End(1min));
  CHECK(l.jvm.retransformed.empty());
}

TEST_CASE("after the JVM's end no thread begins") {
  Linking l;
  UnlinkedClasses unlinked(l.jvm.vm(), l.log, 1h);
  REQUIRE(unlinked.End(1min));
  l.Link(unlinked);
  CHECK(unlinked.Wait(0ms));
  CHECK(l.jvm.attached_threads == 0);
}

}  // namespace
}  // namespace iprof::vm
