// Maps positions in rewritten code back to the class file's.
#include "agent/classfile/position_map.h"

#include <catch2/catch.hpp>
#include <functional>

#include "agent/classfile/rewriter.h"
#include "agent/classfile/test_class.h"
#include "writer/methods/position_map.h"

namespace iprof::classfile {
namespace {

// The map that rewriting makes for a class with one method.
std::vector<uint8_t> MapOf(const TestClass& c, const std::function<void(MethodEditor&)>& edit) {
  const ByteVector bytes = c.Bytes();
  Workspace memory;
  ClassFile file;
  REQUIRE(file.Parse(bytes, memory.class_memory) == Reason::kOk);
  ClassRewriter rewriter(file, memory);
  std::vector<uint8_t> map;
  rewriter.WritePositionsTo(&map);
  MethodCode code;
  REQUIRE(rewriter.Open(0, &code) == Reason::kOk);
  MethodEditor editor = rewriter.Edit(code);
  edit(editor);
  REQUIRE(rewriter.Apply(editor) == Reason::kOk);
  return map;
}

std::vector<uint32_t> Originals(const std::vector<uint8_t>& map, uint32_t size) {
  std::vector<uint32_t> originals;
  for (uint32_t position = 0; position < size; ++position)
    originals.push_back(OriginalPosition(map, position));
  return originals;
}

// 0 iload_0 / 1 ifeq 8 / 4 iinc 0 1 / 7 return / 8 return
TestClass IfClass() {
  TestClass c;
  c.descriptor = "(I)V";
  c.code = {0x1a, 0x99, 0, 7, 0x84, 0, 1, 0xb1, 0xb1};
  c.attributes = {{"StackMapTable", {0, 1, 8}}};
  return c;
}

TEST_CASE("inserted code belongs to the instruction that it stands before") {
  const auto map = MapOf(IfClass(), [](MethodEditor& e) {
    e.Before(2, Nops(e, 2));
    e.Before(4, Nops(e, 1));
  });
  // 0 iload_0 / 1 ifeq / 4 nop / 5 nop / 6 iinc / 9 return / 10 nop / 11 return
  CHECK(Originals(map, 12) == std::vector<uint32_t>{0, 1, 2, 3, 4, 4, 4, 5, 6, 7, 8, 8});
}

TEST_CASE("a trampoline belongs to its branch") {
  const auto map = MapOf(IfClass(), [](MethodEditor& e) { e.OnEdge(1, kTaken, Nops(e, 1)); });
  // … 8 return / 9 nop / 10 goto 8
  CHECK(Originals(map, 13) == std::vector<uint32_t>{0, 1, 2, 3, 4, 5, 6, 7, 8, 1, 1, 1, 1});
}

TEST_CASE("no map: the position itself; a cut map: no reading beyond it") {
  CHECK(OriginalPosition({}, 7) == 7);
  const auto map = MapOf(IfClass(), [](MethodEditor& e) { e.Before(2, Nops(e, 200)); });
  for (size_t length = 0; length <= map.size(); ++length) {
    for (uint32_t position = 0; position < 300; ++position) {
      (void)OriginalPosition(std::span<const uint8_t>(map).first(length), position);
    }
  }
  CHECK(OriginalPosition(map, 203) == 4);
  CHECK(OriginalPosition(map, 207) == 7);
}

}  // namespace
}  // namespace iprof::classfile
