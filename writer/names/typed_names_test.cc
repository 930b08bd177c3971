#include "writer/names/typed_names.h"

#include <catch2/catch.hpp>
#include <type_traits>
#include <unordered_set>

using namespace iprof;

// The purpose of the types: they do not convert to each other.
static_assert(!std::is_convertible_v<InternalName, Descriptor>);
static_assert(!std::is_constructible_v<Descriptor, InternalName>);
static_assert(!std::is_convertible_v<std::string_view, InternalName>);

TEST_CASE("a descriptor gives its class's name; arrays and primitives have none") {
  CHECK(Descriptor("Ljava/lang/String;").ClassName() == InternalName("java/lang/String"));
  CHECK(Descriptor("La/B$$Lambda.0x01;").ClassName().text() == "a/B$$Lambda.0x01");
  for (const char* text : {"", "L", "L;", "I", "[I", "[La/B;", "La/B"}) {
    INFO(text);
    CHECK_FALSE(Descriptor(text).IsClass());
    CHECK(Descriptor(text).ClassName().empty());
  }
}

TEST_CASE("a method's key is its class, name and descriptor") {
  const MethodKey wait(InternalName("java/lang/Object"), "wait", "(J)V");
  CHECK(wait.text() == "java/lang/Object.wait(J)V");
  const std::unordered_set<MethodKey> keys{wait};
  CHECK(keys.contains(MethodKey(InternalName("java/lang/Object"), "wait", "(J)V")));
  CHECK_FALSE(keys.contains(MethodKey(InternalName("java/lang/Object"), "wait", "()V")));
}
