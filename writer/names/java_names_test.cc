#include "writer/names/java_names.h"

#include <catch2/catch.hpp>

namespace iprof {
namespace {

TEST_CASE("methods as Java writes them") {
  CHECK(JavaMethodName(InternalName("a/B$C"), "run", "(I[[JLa/D;)V") ==
        "a.B$C.run(int, long[][], a.D)");
  CHECK(JavaMethodName(InternalName("B"), "<init>", "()V") == "B.<init>()");
  CHECK(JavaMethodName(InternalName("a/B$$Lambda.0x01"), "f", "()V") == "a.B$$Lambda/0x01.f()");
  CHECK(JavaMethodName(InternalName("a/B"), "f", "(I") == "a.B.f(I");
}

TEST_CASE("types as Java writes them") {
  CHECK(JavaTypeName("[B") == "byte[]");
  CHECK(JavaTypeName("[[Ljava.lang.String;") == "java.lang.String[][]");
  CHECK(JavaTypeName("a.B$C") == "a.B$C");
  CHECK(JavaTypeName("int") == "int");
  CHECK(JavaTypeName("[?") == "?[]");
  CHECK(JavaTypeName("[") == "[]");
  CHECK(JavaTypeName("") == "");
}

}  // namespace
}  // namespace iprof
