#include "agent/vm/cells/loader_holders.h"

#include <catch2/catch.hpp>

#include "agent/classfile/testing/assembled_class.h"
#include "agent/vm/jvmti/fake_jvm.h"

namespace iprof::vm {
namespace {

using Kind = LoaderHolders::Kind;

std::vector<uint8_t> ClassFile(std::string_view super) {
  return instrument::AssembledClass("a/b/C", super).Bytes();
}

struct Holding {
  FakeJvm jvm;
  LoaderHolders holders{1};
  FakeObject* const loader = jvm.AddLoader();
  FakeObject* const arrays = jvm.NewObject(nullptr);
  const std::vector<uint8_t> bytes = ClassFile("a/Base");
  ClassInLoader type{.loader = reinterpret_cast<jobject>(loader), .name = "a/b/C", .bytes = bytes};

  Holding() {
    REQUIRE(holders.Start(jvm.vm(), jvm.jni()).ok());
    holders.AddChunk(Kind::kCounters, 0, reinterpret_cast<jobject>(arrays));
  }
  // The loader has resolved java.lang.Object for one of its classes.
  void LearnObject() { loader->elements.push_back(jvm.Find("java/lang/Object")); }
  bool HasAccess() { return holders.HasAccess(jvm.jni(), type); }
  std::optional<std::string> Find() { return holders.Find(jvm.jni(), type, Kind::kCounters, 0); }
};

TEST_CASE("a loader gets one holder for a chunk, which refers to the chunk's arrays") {
  Holding h;
  h.LearnObject();
  REQUIRE(h.HasAccess());
  const auto name = h.Find();
  REQUIRE(name);
  CHECK(*name == "iprof/agent/iprof$Counters0_0");
  CHECK(h.Find() == name);
  FakeClass* const holder = h.jvm.Find(*name, h.loader);
  REQUIRE(holder != nullptr);
  CHECK(holder->fields["c"] == h.arrays);
  CHECK(h.holders.Report() == "class loaders with holders of their own: 1 now, 1 holders in all\n");
}

TEST_CASE("a class of a named module finds a holder in its own package") {
  Holding h;
  h.LearnObject();
  h.loader->fields["module"] = h.jvm.NewObject(nullptr);
  CHECK(h.Find() == "a/b/iprof$Counters0_0");
}

TEST_CASE("no loader is asked for what the JVM would not ask it for") {
  Holding h;
  const size_t defined = h.jvm.defined.size();
  SECTION("one that has not given java.lang.Object is left alone") {
    CHECK_FALSE(h.HasAccess());
    CHECK_FALSE(h.Find());
    CHECK(h.jvm.defined.size() == defined);
    CHECK(h.holders.LeftAlone() ==
          "classes left alone: 1 (their class loader had not resolved java.lang.Object yet)\n");
  }
  SECTION("unless it is asked for it next, because the class being loaded extends Object") {
    const std::vector<uint8_t> extends = ClassFile("java/lang/Object");
    h.type.bytes = extends;
    CHECK_FALSE(h.HasAccess());
    h.type.loading = true;
    CHECK(h.HasAccess());
    CHECK(h.Find());
  }
}

TEST_CASE("nothing waits for a loader's lock") {
  Holding h;
  h.LearnObject();
  h.loader->fields["owner"] = h.jvm.NewObject(nullptr);  // another thread owns it
  SECTION("a loader that is locked is left alone") {
    CHECK_FALSE(h.HasAccess());
    CHECK(h.holders.LeftAlone() == "classes left alone: 1 (their class loader was locked)\n");
  }
  SECTION("a thread that loads a class has the lock itself") {
    h.type.loading = true;
    CHECK(h.HasAccess());
  }
  SECTION("a loader that is parallel capable is not locked as a whole") {
    h.loader->fields["parallelLockMap"] = h.jvm.NewObject(nullptr);
    CHECK(h.HasAccess());
  }
}

TEST_CASE("a class that the JVM does not take costs only the access") {
  Holding h;
  h.LearnObject();
  h.jvm.refuse["DefineClass"] = JVMTI_ERROR_INVALID_CLASS_FORMAT;
  CHECK_FALSE(h.Find());
  CHECK(h.jvm.pending == nullptr);
  CHECK(h.holders.LeftAlone().find("no class of the agent could be added to it") !=
        std::string::npos);
  h.jvm.refuse.clear();
  CHECK(h.Find());
}

TEST_CASE("loaders are not kept") {
  Holding h;
  h.LearnObject();
  REQUIRE(h.Find());
  h.jvm.Unload(h.loader);
  CHECK(h.holders.Report() == "class loaders with holders of their own: 0 now, 1 holders in all\n");
}

TEST_CASE("there is no access before the start and after the end") {
  Holding h;
  h.LearnObject();
  LoaderHolders other(1);
  CHECK_FALSE(other.HasAccess(h.jvm.jni(), h.type));
  CHECK_FALSE(other.Find(h.jvm.jni(), h.type, Kind::kCounters, 0));
  CHECK(h.holders.Close());
  CHECK_FALSE(h.HasAccess());
  CHECK(h.jvm.enabled_events().empty());
}

TEST_CASE("a JVM that cannot tell loaders apart is named in the failure") {
  FakeJvm jvm;
  jvm.refuse["AddCapabilities"] = JVMTI_ERROR_NOT_AVAILABLE;
  LoaderHolders holders(1);
  CHECK(holders.Start(jvm.vm(), jvm.jni()).message() ==
        "cannot get the JVMTI capabilities to tell class loaders apart: NOT_AVAILABLE (98)");
}

}  // namespace
}  // namespace iprof::vm
