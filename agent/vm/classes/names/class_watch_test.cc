// UnloadWatch and ClassWatch together: from a tag to the listeners' calls after a class has gone.
#include "agent/vm/classes/names/class_watch.h"

#include <algorithm>
#include <catch2/catch.hpp>
#include <string>
#include <vector>

#include "agent/vm/jvmti/fake_jvm.h"

namespace iprof::vm {
namespace {

jobject Ref(FakeObject* object) { return reinterpret_cast<jobject>(object); }
jclass Ref(FakeClass* type) { return reinterpret_cast<jclass>(type); }

struct Watched {
  FakeJvm jvm;
  Log log;
  UnloadWatch tags{log};
  ClassWatch watch{tags};
  std::vector<UnloadTag> gone;
  FakeObject* const loader = jvm.AddLoader();
  Watched() {
    watch.OnGone([this](JNIEnv*, std::span<const UnloadTag> some) {
      gone.insert(gone.end(), some.begin(), some.end());
    });
  }
};

TEST_CASE("a tag identifies an object for as long as it is loaded") {
  Watched w;
  std::vector<UnloadTag> told;
  w.tags.Tell([&](UnloadTag tag) { told.push_back(tag); });
  CHECK(w.tags.TagOf(Ref(w.loader)) == kNeverUnloaded);  // not started
  REQUIRE(w.tags.Start(w.jvm.vm()).ok());
  FakeObject* const other = w.jvm.AddLoader();
  const UnloadTag tag = w.tags.TagOf(Ref(w.loader));
  CHECK(tag != kNeverUnloaded);
  CHECK(w.tags.TagOf(Ref(w.loader)) == tag);
  CHECK(w.tags.TagOf(Ref(other)) != tag);
  CHECK(w.tags.TagOf(nullptr) == kNeverUnloaded);
  w.jvm.Unload(w.loader);
  CHECK(told == std::vector{tag});
}

TEST_CASE("what cannot be tagged counts as what stays") {
  Watched w;
  REQUIRE(w.tags.Start(w.jvm.vm()).ok());
  w.jvm.refuse["SetTag"] = JVMTI_ERROR_OUT_OF_MEMORY;
  CHECK(w.tags.TagOf(Ref(w.loader)) == kNeverUnloaded);
  CHECK_FALSE(w.watch.Watch(Ref(w.jvm.AddClass("a/B", w.loader))));
}

TEST_CASE("a watch that was closed is silent") {
  Watched w;
  REQUIRE(w.tags.Start(w.jvm.vm()).ok());
  w.watch.Watch(Ref(w.jvm.AddClass("a/B", w.loader)));
  CHECK(w.tags.Close());
  CHECK(w.jvm.enabled_events().empty());
  w.jvm.Unload(w.jvm.Find("a/B", w.loader));
  w.watch.Process(w.jvm.jni());
  CHECK(w.gone.empty());
}

TEST_CASE("a JVM that cannot tag objects is named in the failure") {
  Watched w;
  w.jvm.refuse["AddCapabilities"] = JVMTI_ERROR_NOT_AVAILABLE;
  CHECK(w.tags.Start(w.jvm.vm()).message() ==
        "cannot get the JVMTI capabilities to see classes being unloaded: NOT_AVAILABLE (98)");
}

TEST_CASE("only classes of the program's own loaders may go") {
  Watched w;
  REQUIRE(w.tags.Start(w.jvm.vm()).ok());
  JNIEnv* const jni = w.jvm.jni();
  CHECK_FALSE(w.watch.MayGo(jni, Ref(w.loader)));  // the JDK's loaders are not known yet
  w.watch.LearnLoaders(jni);
  CHECK(w.watch.MayGo(jni, Ref(w.loader)));
  CHECK_FALSE(w.watch.MayGo(jni, nullptr));
  CHECK_FALSE(w.watch.MayGo(jni, Ref(w.jvm.platform_loader)));
}

TEST_CASE("only what stays until the end stays") {
  Watched w;
  REQUIRE(w.tags.Start(w.jvm.vm()).ok());
  JNIEnv* const jni = w.jvm.jni();
  CHECK(w.watch.Stays(jni, nullptr));
  CHECK_FALSE(w.watch.Stays(jni, Ref(w.jvm.application_loader)));  // not known yet
  w.watch.LearnLoaders(jni);
  CHECK(w.watch.Stays(jni, Ref(w.jvm.application_loader)));
  CHECK_FALSE(w.watch.Stays(jni, Ref(w.loader)));
}

TEST_CASE("watched classes are found while they are loaded") {
  Watched w;
  CHECK(w.watch.Loaded(std::vector{UnloadTag{1}}).empty());  // not started
  REQUIRE(w.tags.Start(w.jvm.vm()).ok());
  std::vector<UnloadTag> tags;
  std::vector<FakeClass*> types;
  for (int i = 0; i < 150; ++i) {  // more than are asked for at once
    types.push_back(w.jvm.AddClass("a/B" + std::to_string(i), w.loader));
    tags.push_back(w.watch.Watch(Ref(types.back())).value());
  }
  w.watch.Watch(Ref(w.jvm.AddClass("a/Other", w.loader)));
  w.jvm.Unload(types[7]);
  const auto found = w.watch.Loaded(tags);
  CHECK(found.size() == tags.size() - 1);
  for (const UnloadWatch::Tagged& one : found) {
    const auto at = std::find(tags.begin(), tags.end(), one.tag);
    REQUIRE(at != tags.end());
    CHECK(one.object == Ref(types[static_cast<size_t>(at - tags.begin())]));
  }
  CHECK(w.watch.Loaded({}).empty());
  w.jvm.refuse["GetObjectsWithTags"] = JVMTI_ERROR_OUT_OF_MEMORY;
  CHECK(w.watch.Loaded(tags).empty());
}

TEST_CASE("listeners hear of unloaded classes when somebody processes them, once") {
  Watched w;
  REQUIRE(w.tags.Start(w.jvm.vm()).ok());
  FakeClass* const type = w.jvm.AddClass("a/B", w.loader);
  const auto tag = w.watch.Watch(Ref(type));
  REQUIRE(tag);
  CHECK(w.watch.Watch(Ref(type)) == tag);
  w.jvm.Unload(type);
  CHECK(w.gone.empty());  // within ObjectFree nothing of the JVM may be used
  w.watch.Process(w.jvm.jni());
  w.watch.Process(w.jvm.jni());
  CHECK(w.gone == std::vector{*tag});
}

}  // namespace
}  // namespace iprof::vm
