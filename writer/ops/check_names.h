// What a class's or method's name alone says, for CheckProfile: pure functions of names, never
// fail.
#pragma once

#include <string>
#include <string_view>

namespace iprof {

// Empty when the name is as Class.getName() spells one ("a.b.C$D", "[I", "[La.B;",
// "a.C$$Lambda/0x12"); else what was expected instead.
std::string WrongClassNameForm(std::string_view name);

// HotSpot's own names of lambda classes: "Foo$$Lambda/0x00007f1234567890" (an address),
// "Foo$$Lambda$14/0x…" (a counter, too). Stable names hold a hash of 32 or more digits instead.
bool IsUnstableLambdaName(std::string_view name);

// Object.wait, Thread.sleep, Unsafe.park and the like: the consumer drops stacks that hold one.
bool IsBlockingMethod(std::string_view declaring_class, std::string_view method);

}  // namespace iprof
