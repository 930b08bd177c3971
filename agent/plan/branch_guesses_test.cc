#include "agent/plan/branch_guesses.h"

#include <catch2/catch.hpp>

#include "agent/classfile/testing/assembled_class.h"

namespace iprof::instrument {
namespace {

using classfile::Insn;
using classfile::Op;

// The odds of a branch that ends this code's first block.
float OddsAfter(std::vector<uint8_t> before, Op branch,
                AssembledClass klass = AssembledClass("a/T")) {
  before.push_back(static_cast<uint8_t>(branch));
  for (const int byte : {0, 3, B(Op::return_)}) before.push_back(static_cast<uint8_t>(byte));
  const std::vector<uint8_t> bytes = klass.Add({.code = std::move(before)}).Bytes();
  classfile::Arena arena;
  classfile::ClassFile file;
  REQUIRE(file.Parse(bytes, arena) == classfile::Reason::kOk);
  classfile::MethodCode code;
  REQUIRE(code.Decode(file, file.methods()[0], arena) == classfile::Reason::kOk);
  return OddsOfTaking(code, code.jumps()[0]);
}

float OddsAfter(Op before, Op branch) { return OddsAfter(Code({B(before)}), branch); }

TEST_CASE("numbers: negative ones are rare, and one is seldom equal to a constant") {
  CHECK(OddsAfter(Op::iload_0, Op::iflt) < 1);
  CHECK(OddsAfter(Op::iload_0, Op::ifge) > 1);
  CHECK(OddsAfter(Op::iload_0, Op::ifgt) > 1);
  CHECK(OddsAfter(Op::iload_0, Op::ifle) < 1);
  CHECK(OddsAfter(Op::iconst_2, Op::if_icmpeq) < 1);
  CHECK(OddsAfter(Op::iconst_2, Op::if_icmpne) > 1);
}

TEST_CASE("comparisons: a number is mostly less than its limit") {
  for (const Op limit : {Op::iload_1, Op::arraylength}) {
    CHECK(OddsAfter(limit, Op::if_icmplt) > 1);
    CHECK(OddsAfter(limit, Op::if_icmpge) < 1);
  }
  CHECK(OddsAfter(Op::iload_1, Op::if_icmpgt) < 1);
  CHECK(OddsAfter(Op::iload_1, Op::if_icmple) > 1);
}

TEST_CASE("null: a local is seldom null; a field that is tested may be") {
  const auto after_field = [](Op branch) {
    AssembledClass klass("a/T");
    const int field = klass.FieldRef("a/T", "x", "La/T;");
    return OddsAfter(Code({B(Op::getfield), field >> 8, field}), branch, klass);
  };
  CHECK(OddsAfter(Op::aload_0, Op::ifnull) < 1);
  CHECK(OddsAfter(Op::aload_0, Op::ifnonnull) > 1);
  CHECK(after_field(Op::ifnull) > 1);
  CHECK(after_field(Op::ifeq) > 1);  // a boolean field is mostly false
  CHECK(after_field(Op::ifne) < 1);
}

TEST_CASE("assertions are off") {
  const auto after_static = [](std::string_view name, Op branch) {
    AssembledClass klass("a/T");
    const int field = klass.FieldRef("a/T", name, "Z");
    return OddsAfter(Code({B(Op::getstatic), field >> 8, field}), branch, klass);
  };
  CHECK(after_static("$assertionsDisabled", Op::ifne) > 50);
  CHECK(after_static("$assertionsDisabled", Op::ifeq) < 0.02F);
  CHECK(after_static("ENABLED", Op::ifne) < 1);
  CHECK(after_static("ENABLED", Op::ifeq) < 1);
}

TEST_CASE("a branch that starts the code has a guess too") {
  CHECK(OddsAfter(std::vector<uint8_t>{}, Op::ifeq) > 0);
}

}  // namespace
}  // namespace iprof::instrument
