#include "agent/instrument/table/content_hash.h"

#include <catch2/catch.hpp>
#include <string>

#include "agent/classfile/testing/assembled_class.h"

namespace iprof::instrument {
namespace {

Hash128 HashOf(const std::string& own_name, const std::string& profile_name, int constant = 1) {
  using classfile::Op;
  AssembledClass source(own_name);
  source.FieldRef(own_name, "f", "I");
  const auto bytes =
      source.Add({.code = Code({B(Op::bipush), constant, B(Op::pop), B(Op::return_)})}).Bytes();
  classfile::Arena arena;
  classfile::ClassFile file;
  REQUIRE(file.Parse(bytes, arena) == classfile::Reason::kOk);
  return ContentHash(file, profile_name);
}

}  // namespace

TEST_CASE("a class that the JVM numbered is the same under any number", "[content_hash]") {
  const Hash128 first = HashOf("a/B$$Lambda$7", "a/B$$Lambda$ab");
  CHECK(HashOf("a/B$$Lambda$14", "a/B$$Lambda$ab") == first);
  CHECK(HashOf("a/B$$Lambda$1234567", "a/B$$Lambda$ab") == first);
  CHECK_FALSE(HashOf("a/B$$Lambda$14", "a/B$$Lambda$ab", 2) == first);
}

TEST_CASE("a class with a name of its own is its bytes", "[content_hash]") {
  CHECK(HashOf("a/B", "a/B") == HashOf("a/B", "a/B"));
  CHECK_FALSE(HashOf("a/B", "a/B") == HashOf("a/C", "a/C"));
  CHECK_FALSE(HashOf("a/B", "a/B") == HashOf("a/B", "a/B", 2));
}

}  // namespace iprof::instrument
