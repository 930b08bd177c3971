// Which names a JVM accepts.
#include "agent/classfile/names.h"

#include <catch2/catch.hpp>
#include <iterator>
#include <random>
#include <string>
#include <string_view>

#include "agent/classfile/descriptor.h"
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

// By the walk over types, which the check does not use.
bool IsDescriptorByParts(std::string_view descriptor) {
  const auto is_legal = [](const TypeView& type) {
    std::string_view element = type.text.substr(type.text.find_first_not_of('['));
    return element.front() != 'L' || IsInternalClassName(element.substr(1, element.size() - 2));
  };
  DescriptorWalk walk(descriptor);
  TypeView type;
  while (walk.NextArgument(&type)) {
    if (!is_legal(type)) return false;
  }
  return walk.Result(&type) && is_legal(type);
}

TEST_CASE("descriptors of methods, put together from all kinds of parts") {
  const std::string_view parts[] = {"(",    ")",  "I",   "V",   "J",  "[",     "[[", "La/B;",
                                    "LC;",  "L",  ";",   "La",  "/",  "b",     ".",  "Q",
                                    "a/b/", "()", "(I)", "()V", "L;", "La//b;"};
  std::mt19937 random(11);
  size_t legal = 0;
  for (int run = 0; run < 200'000; ++run) {
    std::string text = run % 2 == 0 ? "(" : "";
    for (size_t part = 0; part < random() % 6; ++part) text += parts[random() % std::size(parts)];
    if (run % 3 == 0) text += ")V";
    CAPTURE(text);
    const bool is_legal = IsMethodDescriptor(text);
    if (is_legal != IsDescriptorByParts(text)) FAIL("they differ");
    legal += is_legal ? 1 : 0;
  }
  CHECK(legal > 1'000);
  for (const size_t dimensions : {255U, 256U}) {
    const std::string text = "(" + std::string(dimensions, '[') + "I)V";
    CHECK(IsMethodDescriptor(text) == (dimensions == 255));
    CHECK(IsDescriptorByParts(text) == (dimensions == 255));
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
