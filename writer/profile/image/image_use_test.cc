#include "writer/profile/image/image_use.h"

#include <catch2/catch.hpp>
#include <map>
#include <string>
#include <vector>

#include "writer/profile/image/image_share.h"

namespace iprof {
namespace {

// The use of a method without parameters, given as "a.B.m".
MethodUse UseOf(const std::string& name) {
  const size_t dot = name.rfind('.');
  return MethodUse(name.substr(0, dot), name.substr(dot + 1), {});
}

StackCut Cut(const std::vector<std::string>& names, ImageTarget target = ImageTarget::k25) {
  std::vector<MethodUse> uses;
  for (const std::string& name : names) uses.push_back(UseOf(name));
  std::vector<const MethodUse*> stack;
  for (const MethodUse& use : uses) stack.push_back(&use);
  return CutStack(stack, target);
}

const std::string kProgram = "a.B.run";
const std::string kMain = "a.B.main";
const std::string kHelper = "java.util.HashMap.get";
const std::string kLoading = "jdk.internal.loader.BuiltinClassLoader.loadClass";
const std::string kAccessor = "jdk.internal.reflect.DirectMethodHandleAccessor.invoke";
const std::string kReplaced = "java.lang.Class.getName";
const std::string kAbsent = "java.lang.Thread.registerNatives";

TEST_CASE("which records of a method an image can use") {
  CHECK(UseOf(kProgram).For(ImageTarget::k25) == ImageUse::kSame);
  CHECK(UseOf(kHelper).For(ImageTarget::k25) == ImageUse::kSame);
  CHECK(UseOf(kReplaced).For(ImageTarget::k17) == ImageUse::kReplaced);
  CHECK(UseOf(kAbsent).For(ImageTarget::k17) == ImageUse::kAbsent);
  CHECK(UseOf(kLoading).For(ImageTarget::k21) == ImageUse::kMachineryWork);
  CHECK(UseOf(kAccessor).For(ImageTarget::k21) == ImageUse::kMachineryCalls);
  // Targets differ: java.lang.Thread.yield is replaced in images for JDK 17 only.
  CHECK(UseOf("java.lang.Thread.yield").For(ImageTarget::k17) == ImageUse::kReplaced);
  CHECK(UseOf("java.lang.Thread.yield").For(ImageTarget::k25) == ImageUse::kSame);
  CHECK(AreCallsUsable(ImageUse::kReplaced));
  CHECK_FALSE(IsPositionUsable(ImageUse::kReplaced));
}

TEST_CASE("stacks of the program are whole") {
  CHECK(Cut({kHelper, kProgram, kMain}) == StackCut{0, 3, false});
}

TEST_CASE("machinery's own work is left out, the JDK's help for it too") {
  CHECK(Cut({kLoading, kMain}).empty());
  CHECK(Cut({kHelper, kHelper, kLoading, kMain}).empty());
}

TEST_CASE("program code that machinery calls stays, without its callers") {
  CHECK(Cut({kHelper, kProgram, kLoading, kMain}) == StackCut{0, 2, false});
  CHECK(Cut({kProgram, kAccessor, kMain}) == StackCut{0, 1, false});
  // Reflection may call methods of the JDK: that is the program's work.
  CHECK(Cut({kHelper, kAccessor, kMain}) == StackCut{0, 1, false});
}

TEST_CASE("time in methods that an image does not have goes to the caller") {
  CHECK(Cut({kAbsent, kProgram, kMain}) == StackCut{1, 3, false});
  CHECK(Cut({kAccessor, kHelper, kMain}) == StackCut{1, 3, false});
  CHECK(Cut({kAbsent}).empty());
}

TEST_CASE(
    "a replaced method keeps its time at position 0, and ends a stack that passes through it") {
  CHECK(Cut({kReplaced, kProgram, kMain}) == StackCut{0, 3, true});
  CHECK(Cut({kAbsent, kReplaced, kMain}) == StackCut{1, 3, true});
  CHECK(Cut({kHelper, kReplaced, kMain}) == StackCut{0, 1, false});
  CHECK(Cut({kReplaced, kReplaced, kMain}) == StackCut{0, 1, true});
}

TEST_CASE("the share: entries and weights, by table") {
  const MethodUse same = UseOf(kProgram);
  const MethodUse replaced = UseOf(kReplaced);
  const MethodUse machinery = UseOf(kLoading);
  ImageShare share;
  const auto add = [&](Table table, const MethodUse& use, int64_t weight) {
    const MethodUse* uses[] = {&use};
    share.Add(table, uses, weight, ImageTarget::k25);
  };
  add(Table::kCalls, same, 90);
  add(Table::kCalls, replaced, 5);
  add(Table::kCalls, machinery, 5);
  add(Table::kConditionals, replaced, 7);
  add(Table::kSamples, replaced, 2);
  share.Add(Table::kMonitors, {}, 4, ImageTarget::k25);
  CHECK(share.Of(Table::kCalls) == ImageShare::Part{3, 2, 100, 95});
  CHECK(share.Of(Table::kConditionals) == ImageShare::Part{1, 0, 7, 0});
  CHECK(share.Of(Table::kSamples) == ImageShare::Part{1, 1, 2, 2});
  CHECK(share.Of(Table::kMonitors) == ImageShare::Part{1, 1, 4, 4});
  CHECK(share.entries() == 6);
  CHECK(share.usable_entries() == 4);
}

}  // namespace
}  // namespace iprof
