#include "cli/files/fitness/moved_positions.h"

#include <algorithm>
#include <catch2/catch.hpp>
#include <initializer_list>
#include <optional>
#include <vector>

#include "agent/classfile/testing/assembled_class.h"

using namespace iprof;
using namespace iprof::fitness;
using classfile::Op;
using instrument::AssembledClass;
using instrument::B;

namespace {

using Bytes = std::vector<uint8_t>;

// A decoded static method `int f(int)` of a class of its own.
class OneMethod {
 public:
  explicit OneMethod(const Bytes& code) {
    AssembledClass klass("p/A");
    klass.Add({.name = "f", .descriptor = "(I)I", .code = code});
    bytes_ = klass.Bytes();
    REQUIRE(file_.Parse(bytes_, arena_) == classfile::Reason::kOk);
    REQUIRE(code_.Decode(file_, *file_.methods().begin(), arena_) == classfile::Reason::kOk);
  }
  const classfile::MethodCode& code() const { return code_; }

 private:
  Bytes bytes_;
  classfile::Arena arena_;
  classfile::ClassFile file_;
  classfile::MethodCode code_;
};

Bytes Joined(std::initializer_list<Bytes> parts) {
  Bytes all;
  for (const Bytes& part : parts) all.insert(all.end(), part.begin(), part.end());
  return all;
}

// if (n > 0) n += step; the branch is the second instruction
Bytes IfPositive(uint8_t step) { return {B(Op::iload_0), B(Op::ifle), 0, 6, B(Op::iinc), 0, step}; }
const Bytes kReturn = {B(Op::iload_0), B(Op::ireturn)};
const Bytes kNegate = {B(Op::iload_0), B(Op::ineg), B(Op::istore_0)};

std::optional<Bci> Find(const Bytes& before, const Bytes& after, Bci position) {
  return MovedPositions(OneMethod(before).code(), OneMethod(after).code()).Find(position);
}

}  // namespace

TEST_CASE("The same code has the same positions") {
  const Bytes code = Joined({IfPositive(1), IfPositive(2), kReturn});
  for (const Bci position : {0, 1, 4, 7, 8, 11, 14, 15})
    CHECK(Find(code, code, position) == position);
  CHECK(!Find(code, code, 2));
}

TEST_CASE("A branch behind added code is found by what is around it") {
  const Bytes before = Joined({IfPositive(1), IfPositive(2), IfPositive(3), kReturn});
  const Bytes after = Joined({kNegate, before});
  CHECK(Find(before, after, 8) == 11);
  CHECK(Find(before, after, 15) == 18);
  // The first one stood at the start of the method, which is part of what is around it.
  CHECK(!Find(before, after, 1));
}

TEST_CASE("What is close to a change is not found") {
  const Bytes before = Joined({IfPositive(1), IfPositive(2), IfPositive(3), kReturn});
  const Bytes after = Joined({IfPositive(1), IfPositive(9), IfPositive(3), kReturn});
  CHECK(Find(before, after, 1) == 1);
  CHECK(!Find(before, after, 8));
  CHECK(!Find(before, after, 11));
}

TEST_CASE("What could be at several places is not found, whatever its number") {
  // Fourteen equal conditions: more than are looked at on both sides of the middle one.
  Bytes equal;
  for (int each = 0; each < 14; ++each) equal = Joined({equal, IfPositive(1)});
  const Bytes before = Joined({equal, kReturn});
  const Bytes after = Joined({kNegate, equal, kReturn});
  CHECK(!Find(before, after, 50));
  CHECK(!Find(before, before, 50));
}

TEST_CASE("Two positions never become one") {
  const Bytes before =
      Joined({IfPositive(1), IfPositive(2), IfPositive(1), IfPositive(2), kReturn});
  const Bytes after = Joined({IfPositive(1), IfPositive(2), kReturn});
  const MovedPositions moved(OneMethod(before).code(), OneMethod(after).code());
  std::vector<Bci> found;
  for (Bci position = 0; position < 30; ++position) {
    if (const auto at = moved.Find(position)) found.push_back(*at);
  }
  std::vector<Bci> once = found;
  std::sort(once.begin(), once.end());
  CHECK(std::unique(once.begin(), once.end()) == once.end());
}
