// What CheckProfile finds out from a class's or method's name alone.
//
// Guarantees: pure. Threads: any. Failure: none but std::bad_alloc.
#pragma once

#include <string>
#include <string_view>

namespace iprof {

// Empty if the name has a form that Class.getName() returns ("a.b.C$D", "[I", "[La.B;",
// "a.C$$Lambda/0x12"); otherwise what was expected instead.
std::string WrongClassNameForm(std::string_view name);

// HotSpot's names of lambda classes: "Foo$$Lambda/0x00007f1234567890" (an address),
// "Foo$$Lambda$14/0x…" (with a counter). Stable names contain a hash of 32 or more digits instead.
bool IsUnstableLambdaName(std::string_view name);

// Object.wait, Thread.sleep, Unsafe.park and similar methods: the consumer drops stacks that
// contain one.
bool IsBlockingMethod(std::string_view declaring_class, std::string_view method);

}  // namespace iprof
