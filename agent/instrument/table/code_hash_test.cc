// Which differences between two class files make a method's code another one.
#include "agent/instrument/table/code_hash.h"

#include <catch2/catch.hpp>
#include <functional>
#include <string>
#include <vector>

#include "agent/classfile/testing/assembled_class.h"

namespace iprof::instrument {
namespace {

using classfile::Op;

uint64_t HashOf(AssembledClass& made, AssembledClass::Method method) {
  const std::vector<uint8_t> bytes = made.Add(std::move(method)).Bytes();
  classfile::Arena arena;
  classfile::ClassFile file;
  REQUIRE(file.Parse(bytes, arena) == classfile::Reason::kOk);
  classfile::MethodCode code;
  REQUIRE(code.Decode(file, file.methods().back(), arena) == classfile::Reason::kOk);
  classfile::SymbolicCode scratch;
  return CodeHash(code, scratch);
}

// The hash of a method that names one constant.
uint64_t WithConstant(int op, const std::function<uint16_t(AssembledClass&)>& constant,
                      int unused_constants = 0, const char* own = "a/A") {
  AssembledClass made(own);
  for (int i = 0; i < unused_constants; ++i) made.Integer(static_cast<uint32_t>(1000 + i));
  const uint16_t index = constant(made);
  return HashOf(made, {.code = Code({op, index >> 8, index & 255, B(Op::pop), B(Op::return_)})});
}

std::function<uint16_t(AssembledClass&)> Field(const char* owner, const char* name,
                                               const char* type = "I") {
  return [=](AssembledClass& made) { return made.FieldRef(owner, name, type); };
}

std::function<uint16_t(AssembledClass&)> Number(uint32_t value) {
  return [=](AssembledClass& made) { return made.Integer(value); };
}

TEST_CASE("the numbering of constants makes no difference") {
  const uint64_t hash = WithConstant(B(Op::getstatic), Field("b/B", "f"));
  CHECK(hash != 0);
  CHECK(WithConstant(B(Op::getstatic), Field("b/B", "f"), 300) == hash);
  CHECK(WithConstant(B(Op::ldc_w), Number(7), 300) == WithConstant(B(Op::ldc_w), Number(7)));
}

TEST_CASE("what a constant says makes a difference") {
  const uint64_t hash = WithConstant(B(Op::getstatic), Field("b/B", "f"));
  CHECK(WithConstant(B(Op::getstatic), Field("b/C", "f")) != hash);
  CHECK(WithConstant(B(Op::getstatic), Field("b/B", "g")) != hash);
  CHECK(WithConstant(B(Op::getstatic), Field("b/B", "f", "F")) != hash);
  // The names' borders count.
  CHECK(WithConstant(B(Op::getstatic), Field("b/Bf", "f")) !=
        WithConstant(B(Op::getstatic), Field("b/B", "ff")));
  CHECK(WithConstant(B(Op::ldc_w), Number(7)) != WithConstant(B(Op::ldc_w), Number(8)));
}

TEST_CASE("the name of the class itself makes no difference, because the JVM numbers lambdas") {
  const auto own = [](const char* name) {
    return WithConstant(B(Op::getstatic), Field(name, "f"), 0, name);
  };
  CHECK(own("a/A$$Lambda$1") == own("a/A$$Lambda$22"));
  CHECK(own("a/A") != WithConstant(B(Op::getstatic), Field("a/A", "f"), 0, "a/B"));
}

TEST_CASE(
    "other instructions and other targets make a difference, the rest of the class does not") {
  AssembledClass first("a/A");
  AssembledClass second("a/A");
  second.Add({.name = "other", .code = Code({B(Op::return_)})});
  const uint64_t hash = HashOf(first, {.descriptor = "(I)I", .code = CountdownCode()});
  CHECK(HashOf(second, {.name = "g", .descriptor = "(I)I", .code = CountdownCode()}) == hash);
  std::vector<uint8_t> other = CountdownCode();
  other[6] = 0xfe;  // iinc 0,-2
  AssembledClass third("a/A");
  CHECK(HashOf(third, {.descriptor = "(I)I", .code = other}) != hash);
}

}  // namespace
}  // namespace iprof::instrument
