#include "agent/plan/exception_sources.h"

#include <algorithm>
#include <catch2/catch.hpp>

#include "agent/classfile/testing/assembled_class.h"

namespace iprof::instrument {
namespace {

using classfile::Op;
using classfile::Reason;

constexpr uint16_t kPublic = 0x0001;
constexpr uint16_t kPublicStatic = 0x0009;

// Which instructions of the class's first method may throw, one character each: '!' or '.'.
std::string Throwing(const std::vector<uint8_t>& bytes) {
  classfile::Arena arena;
  classfile::ClassFile file;
  classfile::MethodCode code;
  REQUIRE(file.Parse(bytes, arena) == Reason::kOk);
  REQUIRE(code.Decode(file, file.methods()[0], arena) == Reason::kOk);
  const ExceptionSources sources(code);
  std::string out;
  for (classfile::Insn i = 0; i < code.count(); ++i) out += sources.MayThrow(i) ? '!' : '.';
  return out;
}

// T.f with the test's code and the fields that it reads: T.own and T.shared (static) are declared.
struct Subject {
  AssembledClass assembled{"T"};
  uint16_t own = assembled.FieldRef("T", "own", "I");
  uint16_t shared = assembled.FieldRef("T", "shared", "I");
  uint16_t inherited = assembled.FieldRef("T", "inherited", "I");
  uint16_t other_type = assembled.FieldRef("T", "own", "J");
  uint16_t foreign = assembled.FieldRef("U", "own", "I");

  Subject() { assembled.AddField(kPublic, "own", "I").AddField(kPublicStatic, "shared", "I"); }
  std::string With(std::initializer_list<int> code, uint16_t access = kPublic) {
    assembled.Add({.access = access, .code = Code(code)});
    return Throwing(assembled.Bytes());
  }
};

TEST_CASE("loads, stores, arithmetic and jumps go on") {
  CHECK(Subject().With({B(Op::iconst_1), B(Op::istore_1), B(Op::iload_1), B(Op::iconst_2),
                        B(Op::imul), B(Op::ifeq), 0, 3, B(Op::return_)}) == ".......");
}

TEST_CASE("division, arrays, calls, allocation and casts may throw") {
  CHECK(Subject().With({B(Op::iconst_1), B(Op::iconst_1), B(Op::idiv), B(Op::pop), B(Op::aload_1),
                        B(Op::iconst_0), B(Op::iaload), B(Op::pop), B(Op::return_)}) ==
        "..!...!..");
  Subject s;
  const int owner = s.assembled.Class("T");
  CHECK(s.With({B(Op::new_), 0, owner, B(Op::checkcast), 0, owner, B(Op::pop), B(Op::return_)}) ==
        "!!..");
}

TEST_CASE("this class's own field, read from this, cannot throw") {
  Subject s;
  CHECK(s.With({B(Op::aload_0), B(Op::getfield), 0, s.own, B(Op::pop), B(Op::return_)}) == "....");
  Subject wide;
  CHECK(wide.With({B(Op::wide), B(Op::aload), 0, 0, B(Op::getfield), 0, wide.own, B(Op::pop),
                   B(Op::return_)}) == "....");
}

TEST_CASE("any other field may throw") {
  const auto read = [](uint16_t Subject::*field, Op load, uint16_t access) {
    Subject s;
    return s.With({B(load), B(Op::getfield), 0, s.*field, B(Op::pop), B(Op::return_)}, access);
  };
  REQUIRE(read(&Subject::own, Op::aload_0, kPublic) == "....");
  CHECK(read(&Subject::shared, Op::aload_0, kPublic) == ".!..");
  CHECK(read(&Subject::inherited, Op::aload_0, kPublic) == ".!..");
  CHECK(read(&Subject::other_type, Op::aload_0, kPublic) == ".!..");
  CHECK(read(&Subject::foreign, Op::aload_0, kPublic) == ".!..");
  CHECK(read(&Subject::own, Op::aload_1, kPublic) == ".!..");
  CHECK(read(&Subject::own, Op::aload_0, kPublicStatic) == ".!..");
}

TEST_CASE("this may be overwritten, or come from elsewhere") {
  Subject overwritten;
  CHECK(overwritten.With({B(Op::aload_0), B(Op::getfield), 0, overwritten.own, B(Op::pop),
                          B(Op::aconst_null), B(Op::astore_0), B(Op::return_)}) == ".!....");
  //0 aload_1; 1 goto 5; 4 aload_0; 5 getfield: reached from both.
  Subject joined;
  CHECK(joined.With({B(Op::aload_1), B(Op::goto_), 0, 4, B(Op::aload_0), B(Op::getfield), 0,
                     joined.own, B(Op::pop), B(Op::return_)}) == "...!..");
}

// The file of a hidden class contains another class's name, and only this_class means the class
// itself.
TEST_CASE("a second constant of the same name is another class") {
  Subject s;
  s.assembled.Add(
      {.access = kPublic,
       .code = Code({B(Op::aload_0), B(Op::getfield), 0, s.foreign, B(Op::pop), B(Op::return_)})});
  std::vector<uint8_t> bytes = s.assembled.Bytes();
  const std::vector<uint8_t> u = {1, 0, 1, 'U'};
  const auto name = std::search(bytes.begin(), bytes.end(), u.begin(), u.end());
  REQUIRE(name != bytes.end());
  *(name + 3) = 'T';
  CHECK(Throwing(bytes) == ".!..");
}

TEST_CASE("classes of very many fields are not searched") {
  Subject s;
  for (int i = 0; i < 1000; ++i) s.assembled.AddField(kPublic, "g" + std::to_string(i), "I");
  CHECK(s.With({B(Op::aload_0), B(Op::getfield), 0, s.own, B(Op::pop), B(Op::return_)}) == ".!..");
}

}  // namespace
}  // namespace iprof::instrument
