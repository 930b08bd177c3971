// Maps positions in rewritten code back to the class file's.
#include "agent/classfile/position_map.h"

#include <algorithm>
#include <catch2/catch.hpp>
#include <functional>
#include <map>
#include <optional>

#include "agent/classfile/rewriter.h"
#include "agent/classfile/test_class.h"
#include "writer/records/position_map.h"

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

// Before and after rewriting: the code of a method whose instructions have a line each, so that the rewriter's line
// table says independently where each instruction went.
struct Rewritten {
  std::vector<uint8_t> map;
  uint32_t size = 0;
  std::map<uint16_t, uint16_t> lines;  // by the instruction's number: its position
};

TestClass WithLines(TestClass c, const std::vector<uint16_t>& instructions) {
  ByteVector table{static_cast<uint8_t>(instructions.size() >> 8),
                   static_cast<uint8_t>(instructions.size())};
  for (size_t i = 0; i < instructions.size(); ++i) {
    for (const size_t number : {size_t{instructions[i]}, i + 1}) {
      table.push_back(static_cast<uint8_t>(number >> 8));
      table.push_back(static_cast<uint8_t>(number));
    }
  }
  c.attributes.emplace_back("LineNumberTable", table);
  return c;
}

Rewritten RewriteWithLines(const TestClass& c, const std::function<void(MethodEditor&)>& edit) {
  const ByteVector bytes = c.Bytes();
  Workspace memory;
  ClassFile file;
  REQUIRE(file.Parse(bytes, memory.class_memory) == Reason::kOk);
  ClassRewriter rewriter(file, memory);
  Rewritten result;
  rewriter.WritePositionsTo(&result.map);
  MethodCode code;
  REQUIRE(rewriter.Open(0, &code) == Reason::kOk);
  MethodEditor editor = rewriter.Edit(code);
  edit(editor);
  REQUIRE(rewriter.Apply(editor) == Reason::kOk);
  const ByteSpan made = rewriter.Finish();
  ClassFile again;
  Arena arena;
  REQUIRE(again.Parse(made, arena) == Reason::kOk);
  MethodCode rewritten;
  REQUIRE(rewritten.Decode(again, again.methods()[0], arena) == Reason::kOk);
  result.size = static_cast<uint32_t>(rewritten.code().size());
  AttributeWalk attributes = rewritten.attributes();
  AttributeView attribute;
  while (attributes.Next(&attribute)) {
    if (again.pool().Utf8(attribute.name) != "LineNumberTable") continue;
    const ByteSpan table = attribute.bytes;
    for (size_t at = 2; at + 4 <= table.size(); at += 4)
      // A trampoline has the line of its branch, behind all instructions.
      result.lines.emplace(LoadU2(table.data() + at + 2), LoadU2(table.data() + at));
  }
  return result;
}

// Every byte of the new code: the start of a moved instruction maps to the instruction, its other bytes map into it, and
// what was inserted before it maps to its start.
void CheckEveryByte(const TestClass& c, const std::vector<uint16_t>& instructions,
                    const std::function<void(MethodEditor&)>& edit) {
  const Rewritten made = RewriteWithLines(WithLines(c, instructions), edit);
  REQUIRE(made.lines.size() == instructions.size());
  CHECK(RewrittenLength(made.map) == made.size);
  std::vector<std::optional<size_t>> starts(made.size);
  for (const auto& [line, position] : made.lines) starts[position] = size_t{line} - 1;
  const auto is_start = [&](uint32_t original) {
    return std::find(instructions.begin(), instructions.end(), original) != instructions.end();
  };
  std::optional<size_t> last;
  uint32_t since = 0;
  for (uint32_t position = 0; position < made.size; ++position, ++since) {
    INFO("position " << position << " of " << made.size);
    const uint32_t original = OriginalPosition(made.map, position);
    if (starts[position]) {
      last = starts[position];
      since = 0;
      CHECK(original == instructions[*last]);
      continue;
    }
    CHECK(original < c.code.size());
    if (!last) continue;
    const uint32_t end = *last + 1 < instructions.size() ? instructions[*last + 1]
                                                         : static_cast<uint32_t>(c.code.size());
    // Inside of the instruction, or else the start of one.
    const bool is_inside = original == instructions[*last] + since && original < end;
    CHECK((is_inside || is_start(original)));
  }
}

// `before` nops, then 0: lookupswitch with one key, whose padding depends on its position; then returns.
TestClass SwitchAfter(uint32_t before, std::vector<uint16_t>* instructions) {
  TestClass c;
  c.descriptor = "(I)V";
  for (uint32_t i = 0; i < before; ++i) {
    instructions->push_back(static_cast<uint16_t>(c.code.size()));
    c.code.push_back(0);
  }
  instructions->push_back(static_cast<uint16_t>(c.code.size()));
  c.code.push_back(0x1a);
  const size_t start = c.code.size();
  instructions->push_back(static_cast<uint16_t>(start));
  c.code.push_back(0xab);
  while (c.code.size() % 4 != 0) c.code.push_back(0);
  const size_t end = c.code.size() + 16;
  const auto put = [&](size_t value) {
    for (int shift = 24; shift >= 0; shift -= 8)
      c.code.push_back(static_cast<uint8_t>(value >> shift));
  };
  for (const size_t value : {end - start, size_t{1}, size_t{7}, end + 1 - start}) put(value);
  for (int i = 0; i < 2; ++i) {
    instructions->push_back(static_cast<uint16_t>(c.code.size()));
    c.code.push_back(0xb1);
  }
  c.major = 49;  // without stack maps
  return c;
}

TEST_CASE("switches whose padding shrinks or grows, every byte") {
  for (uint32_t before = 0; before < 4; ++before) {
    for (int inserted = 0; inserted < 5; ++inserted) {
      for (int behind = 0; behind < 4; ++behind) {
        for (const bool twice : {false, true}) {
          if (inserted + behind == 0 && !twice) continue;  // nothing is rewritten
          INFO(before << " bytes before the switch, " << inserted << " inserted, " << behind
                      << " behind it" << (twice ? ", in two pieces" : ""));
          std::vector<uint16_t> instructions;
          const TestClass c = SwitchAfter(before, &instructions);
          CheckEveryByte(c, instructions, [&](MethodEditor& e) {
            if (inserted > 0) e.Before(0, Nops(e, inserted));
            if (behind > 0) e.Before(before + 2, Nops(e, behind));
            if (behind > 0 && twice) e.Before(before + 2, Nops(e, 2));
            if (twice) e.OnEdge(before + 1, kSwitchDefault, Nops(e, 3));
          });
        }
      }
    }
  }
}

TEST_CASE("the instruction behind a switch, when the padding shrinks by as much as a probe has") {
  std::vector<uint16_t> instructions;
  const TestClass c = SwitchAfter(3, &instructions);
  const auto map = MapOf(c, [](MethodEditor& e) {
    e.Before(0, Nops(e, 1));  // the padding is 3 bytes shorter or 1 longer
    e.Before(5, Nops(e, 3));
  });
  const uint32_t behind = instructions[5];
  const uint32_t length = RewrittenLength(map);
  // From the end: the two returns, and the probe before the first of them.
  CHECK(OriginalPosition(map, length - 1) == behind + 1);
  for (uint32_t from_end = 2; from_end <= 5; ++from_end)
    CHECK(OriginalPosition(map, length - from_end) == behind);
}

TEST_CASE(
    "a goto that becomes a goto_w, and a branch that becomes the opposite of one, every byte") {
  for (const bool conditional : {false, true}) {
    TestClass c;
    c.major = 49;
    c.descriptor = "(I)V";
    std::vector<uint16_t> instructions;
    const auto add = [&](std::initializer_list<uint8_t> bytes) {
      instructions.push_back(static_cast<uint16_t>(c.code.size()));
      c.code.insert(c.code.end(), bytes);
    };
    constexpr uint32_t kNops = 32'750;
    const uint32_t distance = kNops + 3;
    const auto high = static_cast<uint8_t>(distance >> 8);
    const auto low = static_cast<uint8_t>(distance);
    if (conditional) add({0x1a});
    add({static_cast<uint8_t>(conditional ? 0x99 : 0xa7), high, low});
    for (uint32_t i = 0; i < kNops; ++i) add({0});
    add({0xb1});
    CheckEveryByte(c, instructions, [&](MethodEditor& e) {
      e.Before(100, Nops(e, 40));
      e.Before(200, Nops(e, 1));
    });
  }
}

TEST_CASE("code that ends with an instruction that grows") {
  // 0 nop … / goto 0
  TestClass c;
  c.major = 49;
  std::vector<uint16_t> instructions;
  constexpr uint32_t kNops = 32'750;
  for (uint32_t i = 0; i < kNops; ++i) instructions.push_back(static_cast<uint16_t>(i));
  c.code.assign(kNops, 0);
  instructions.push_back(kNops);
  const auto back = static_cast<uint16_t>(-static_cast<int>(kNops));
  for (const int byte : {0xa7, back >> 8, back & 0xff})
    c.code.push_back(static_cast<uint8_t>(byte));
  CheckEveryByte(c, instructions, [](MethodEditor& e) { e.Before(100, Nops(e, 40)); });
}

TEST_CASE("the length of code with a trampoline") {
  const auto map = MapOf(IfClass(), [](MethodEditor& e) { e.OnEdge(1, kTaken, Nops(e, 1)); });
  CHECK(RewrittenLength(map) == 13);
  CHECK(RewrittenLength({}) == 0);
}

TEST_CASE("no map: the position itself; a cut map: no reading beyond it") {
  CHECK(OriginalPosition({}, 7) == 7);
  const auto map = MapOf(IfClass(), [](MethodEditor& e) { e.Before(2, Nops(e, 200)); });
  for (size_t length = 0; length <= map.size(); ++length) {
    for (uint32_t position = 0; position < 300; ++position) {
      (void)OriginalPosition(std::span<const uint8_t>(map).first(length), position);
    }
    (void)RewrittenLength(std::span<const uint8_t>(map).first(length));
  }
  CHECK(OriginalPosition(map, 203) == 4);
  CHECK(OriginalPosition(map, 207) == 7);
}

}  // namespace
}  // namespace iprof::classfile
