// The code that is inserted before a call so that its receiver can be read: for arguments of every
// number and width. A small interpreter that follows the stack and the locals runs it.
#include <algorithm>
#include <catch2/catch.hpp>
#include <map>
#include <string>
#include <vector>

#include "agent/classfile/rewriter.h"
#include "agent/classfile/test_class.h"

namespace iprof::classfile {
namespace {

// aload_0, a constant for each argument (I, J, D, or A for a reference), the call, return.
TestClass CallClass(std::string_view arguments) {
  TestClass c;
  c.descriptor = "(LT;)V";
  c.max_locals = 1;
  c.max_stack = 1;
  c.code = Op1({Op::aload_0});
  c.call_descriptor = "(";
  for (const char kind : arguments) {
    c.code.push_back(static_cast<uint8_t>(kind == 'I'   ? Op::iconst_1
                                          : kind == 'J' ? Op::lconst_1
                                          : kind == 'D' ? Op::dconst_1
                                                        : Op::aload_0));
    c.max_stack = static_cast<uint16_t>(c.max_stack + (kind == 'J' || kind == 'D' ? 2 : 1));
    c.call_descriptor += kind == 'A' ? "LT;" : std::string(1, kind);
  }
  c.call_descriptor += ")V";
  c.code.insert(c.code.end(), {0xb6, 0, TestClass::kVirtual, 0xb1});
  return c;
}

// What is inserted before the call, if the snippet reads the receiver with a `nop` and drops it
// with a `pop`. Optionally two more slots are pushed and dropped in between.
struct InsertedCode {
  std::string text;  // "dup nop pop"
  int max_stack = 0;
  int max_locals = 0;
  ByteVector rewritten;
};
InsertedCode BeforeCallOf(std::string_view arguments, bool pushes_more = false) {
  const TestClass c = CallClass(arguments);
  InsertedCode result;
  Reason reason{};
  const auto call = static_cast<Insn>(1 + arguments.size());
  Rewrite(
      c,
      [&](MethodEditor& e) {
        SnippetBuilder look = e.BuildForReceiver();
        look.Raw(Op::nop);
        if (pushes_more) look.Raw(Op::aconst_null).Raw(Op::aconst_null).Raw(Op::pop2);
        e.BeforeCall(call, look.Raw(Op::pop).Finish());
      },
      &reason, {}, &result.rewritten);
  REQUIRE(reason == Reason::kOk);
  Workspace memory;
  ClassFile file;
  REQUIRE(file.Parse(result.rewritten, memory.class_memory) == Reason::kOk);
  MethodCode code;
  REQUIRE(code.Decode(file, file.methods()[0], memory.class_memory) == Reason::kOk);
  for (Insn i = call; i + 2 < code.count(); ++i) {
    if (i > call) result.text += ' ';
    result.text += OpName(code.at(i).op);
  }
  result.max_stack = code.max_stack();
  result.max_locals = code.max_locals();
  return result;
}

TEST_CASE("before a call: the receiver comes to the top, over up to two slots without a local") {
  CHECK(BeforeCallOf("").text == "dup nop pop");
  CHECK(BeforeCallOf("A").text == "dup2 pop nop pop");
  CHECK(BeforeCallOf("I").text == "dup2 pop nop pop");
  CHECK(BeforeCallOf("AI").text == "dup2_x1 pop2 dup_x2 nop pop");
  CHECK(BeforeCallOf("J").text == "dup2_x1 pop2 dup_x2 nop pop");
  CHECK(BeforeCallOf("AA").max_locals == 1);
  CHECK(BeforeCallOf("AA").max_stack == 5);
  CHECK(BeforeCallOf("AA", true).max_stack == 6);
}

TEST_CASE("before a call: further arguments wait in locals, which keep no reference") {
  CHECK(BeforeCallOf("IJ").text == "lstore_1 dup2 pop nop pop lload_1");
  CHECK(BeforeCallOf("JI").text == "istore_1 dup2_x1 pop2 dup_x2 nop pop iload_1");
  CHECK(BeforeCallOf("AAA").text ==
        "astore_1 dup2_x1 pop2 dup_x2 nop pop aload_1 aconst_null astore_1");
  CHECK(BeforeCallOf("ADAI").text ==
        "istore_1 astore_2 dstore_3 dup2 pop nop pop dload_3 aload_2 aconst_null astore_2 iload_1");
  CHECK(BeforeCallOf("IJ").max_locals == 3);
  CHECK(BeforeCallOf("IJ").max_stack == 4);  // the copy uses the room of the waiting arguments
}

// Runs inserted code on a stack of named slots: arguments are "0", "1" …, their second slots "0'".
class SlotMachine {
 public:
  explicit SlotMachine(std::string_view arguments) {
    Push("receiver");
    for (size_t k = 0; k < arguments.size(); ++k) {
      Push(std::to_string(k));
      if (arguments[k] == 'J' || arguments[k] == 'D') Push(std::to_string(k) + "'");
    }
  }

  void Run(const MethodCode& code, Insn i) {
    const Op op = code.at(i).op;
    const uint32_t local = code.Local(i);
    const std::string name = OpName(op);
    if (name.starts_with("lstore") || name.starts_with("dstore")) {
      locals[local + 1] = Pop();
      locals[local] = Pop();
    } else if (name.find("store") != std::string::npos) {
      locals[local] = Pop();
    } else if (name.find("load") != std::string::npos) {
      Push(locals[local]);
      if (name[0] == 'l' || name[0] == 'd') Push(locals[local + 1]);
    } else if (op == Op::aconst_null) {
      Push("null");
    } else if (op == Op::nop) {
      seen = stack.back();
    } else if (op == Op::pop) {
      Pop();
    } else if (op == Op::pop2) {
      Pop(), Pop();
    } else if (op == Op::dup) {
      Copy(1, 0);
    } else if (op == Op::dup2) {
      Copy(2, 0);
    } else if (op == Op::dup2_x1) {
      Copy(2, 1);
    } else if (op == Op::dup_x2) {
      Copy(1, 2);
    } else {
      FAIL("unexpected " << name);
    }
  }

  std::vector<std::string> stack;
  std::map<uint32_t, std::string> locals;
  std::string seen;
  size_t deepest = 0;

 private:
  void Push(const std::string& value) {
    stack.push_back(value);
    deepest = std::max(deepest, stack.size());
  }
  std::string Pop() {
    const std::string value = stack.back();
    stack.pop_back();
    return value;
  }
  // Copies the topmost `count` slots below `over` others.
  void Copy(size_t count, size_t over) {
    REQUIRE(stack.size() >= count + over);
    // Neither boundary may split a long or double.
    for (const size_t cut : {stack.size() - count, stack.size() - count - over}) {
      CHECK_FALSE(stack[cut].ends_with('\''));
    }
    const std::vector<std::string> top(stack.end() - static_cast<std::ptrdiff_t>(count),
                                       stack.end());
    stack.insert(stack.end() - static_cast<std::ptrdiff_t>(count + over), top.begin(), top.end());
    deepest = std::max(deepest, stack.size());
  }
};

void CheckBeforeCall(const std::string& arguments, bool pushes_more) {
  INFO("arguments " << arguments << (pushes_more ? ", the snippet pushes more" : ""));
  const InsertedCode inserted = BeforeCallOf(arguments, pushes_more);
  Workspace memory;
  ClassFile file;
  REQUIRE(file.Parse(inserted.rewritten, memory.class_memory) == Reason::kOk);
  MethodCode code;
  REQUIRE(code.Decode(file, file.methods()[0], memory.class_memory) == Reason::kOk);
  SlotMachine machine(arguments);
  const std::vector<std::string> before = machine.stack;
  for (Insn i = static_cast<Insn>(1 + arguments.size()); i + 2 < code.count(); ++i) {
    machine.Run(code, i);
  }
  REQUIRE(machine.seen == "receiver");
  REQUIRE(machine.stack == before);
  REQUIRE(machine.deepest == static_cast<size_t>(inserted.max_stack));
  for (const auto& [local, value] : machine.locals) {
    REQUIRE(local < static_cast<uint32_t>(inserted.max_locals));
    const bool is_reference =
        value != "null" && !value.ends_with('\'') && arguments[std::stoul(value)] == 'A';
    REQUIRE_FALSE(is_reference);
  }
}

TEST_CASE("before a call: all arguments of every width come back, and no local keeps a reference") {
  std::vector<std::string> shapes = {""};
  for (size_t k = 0; k < shapes.size(); ++k) {
    const std::string arguments = shapes[k];
    if (arguments.size() < 5) {
      for (const char kind : {'I', 'J', 'D', 'A'}) shapes.push_back(arguments + kind);
    }
    CheckBeforeCall(arguments, false);
    CheckBeforeCall(arguments, true);
  }
}

TEST_CASE("before a call: what is no call with a receiver, and what is no receiver's snippet") {
  CHECK(Rewrite(CallClass("IJ"), [](MethodEditor& e) {
          e.BeforeCall(1, e.BuildForReceiver().Raw(Op::pop).Finish());
        }) == "kNoReceiver");
  CHECK(Rewrite(CallClass("IJ"), [](MethodEditor& e) { e.BeforeCall(3, Nops(e)); }) ==
        "kBadSnippet");
}

}  // namespace
}  // namespace iprof::classfile
