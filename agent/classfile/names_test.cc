// Which names a JVM accepts.
#include "agent/classfile/names.h"

#include <catch2/catch.hpp>
#include <string_view>

#include "agent/classfile/test_class.h"

namespace iprof::classfile {
namespace {

TEST_CASE("names of methods") {
  CHECK(IsMethodName("f"));
  CHECK(IsMethodName("lambda$f$0"));
  CHECK(IsMethodName("with-dash"));  // Kotlin writes such names
  CHECK(IsMethodName("a method with blanks"));
  CHECK(IsMethodName("<init>"));
  CHECK(IsMethodName("<clinit>"));
  for (const char* wrong : {"", "a.b", "a;", "a[", "a/b", "<main>", "a>b"}) {
    CAPTURE(wrong);
    CHECK_FALSE(IsMethodName(wrong));
  }
}

TEST_CASE("no name holds the byte 0, which modified UTF-8 never uses") {
  using std::string_view_literals::operator""sv;
  CHECK_FALSE(IsMethodName("a\0b"sv));
  CHECK_FALSE(IsInternalClassName("a\0b"sv));
}

TEST_CASE("names of classes") {
  CHECK(IsInternalClassName("A"));
  CHECK(IsInternalClassName("a/b/C$1"));
  CHECK(IsInternalClassName("a/package-info"));
  for (const char* wrong : {"", "a.B", "La;", "[I", "/A", "a/", "a//B"}) {
    CAPTURE(wrong);
    CHECK_FALSE(IsInternalClassName(wrong));
  }
}

bool Legal(const std::string& method, const std::string& descriptor) {
  TestClass source;
  source.name = method;
  source.descriptor = descriptor;
  source.code = Op1({Op::return_});
  const ByteVector bytes = source.Bytes();
  Arena arena;
  ClassFile file;
  REQUIRE(file.Parse(bytes, arena) == Reason::kOk);
  return HasLegalNames(file);
}

TEST_CASE("a class is judged by its methods' names and descriptors") {
  CHECK(Legal("f", "()V"));
  CHECK(Legal("f", "(I[[La/B;J)[Ljava/lang/String;"));
  CHECK_FALSE(Legal("", "()V"));
  CHECK_FALSE(Legal("f;", "()V"));
  CHECK_FALSE(Legal("f", "()"));
  CHECK_FALSE(Legal("f", "V"));
  CHECK_FALSE(Legal("f", "(La.B;)V"));
  CHECK_FALSE(Legal("f", "()[[L/B;"));
}

}  // namespace
}  // namespace iprof::classfile
