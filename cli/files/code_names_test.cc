#include "cli/files/code_names.h"

#include <catch2/catch.hpp>
#include <string>
#include <vector>

namespace iprof::cli {
namespace {

TEST_CASE("types have short names") {
  CHECK(ShortTypeName("java.util.HashMap$Node") == "HashMap$Node");
  CHECK(ShortTypeName("Main") == "Main");
  CHECK(ShortTypeName("[Ljava.lang.String;") == "String[]");
  CHECK(ShortTypeName("[[I") == "int[][]");
  CHECK(ShortTypeName("a.Cart$$Lambda/0x605df2a4ffc79be08a2a") == "Cart$$Lambda/0x605d…");
  CHECK(ShortTypeName("a.Cart$$Lambda$605df2a4ffc79be08a2a") == "Cart$$Lambda$605d…");
  CHECK(ShortTypeName("a.Cart$$Lambda/0x1.2") == "Cart$$Lambda/0x1.2");
  // HotSpot's own names, of JDK 21 and 17.
  CHECK(ShortTypeName("a.Cart$$Lambda/0x00007f3c4c001000") == "Cart$$Lambda/0x…4c001000");
  CHECK(ShortTypeName("a.Cart$$Lambda/0x00007f3c4c001218") == "Cart$$Lambda/0x…4c001218");
  CHECK(ShortTypeName("a.Cart$$Lambda$14/0x0000000800c03000") == "Cart$$Lambda$14/0x…00c03000");
  // Lambdas that do the same.
  const std::string hash = "605df2a4ffc79be08a2a605df2a4ffc7";
  CHECK(ShortTypeName("a.Cart$$Lambda/0x" + hash + "0") == "Cart$$Lambda/0x605d…");
  CHECK(ShortTypeName("a.Cart$$Lambda/0x" + hash + "12") == "Cart$$Lambda/0x605d…12");
  CHECK(ShortTypeName("a.Cart$$Lambda$" + hash + "01234567") == "Cart$$Lambda$605d…");
  CHECK(ShortTypeName("[La.Cart$$Lambda$" + hash + "01234567_1;") == "Cart$$Lambda$605d…_1[]");
  CHECK(ShortTypeName("[") == "[]");
  CHECK(ShortTypeName("").empty());
}

TEST_CASE("methods and positions are named by their lines, or by bci where these are not known") {
  Profile profile;
  profile.AddStandardTypes();
  const std::vector<TypeIndex> signature{profile.AddType("a.b.Cart"), TypeIndex{8}, TypeIndex{4}};
  const MethodIndex total = profile.AddMethod("to\ntal", signature);
  profile.notes().SetLine(total, 0, 20);
  profile.notes().SetLine(total, 7, 22);
  profile.notes().SetCallee(total, 7, "java.util.List.get");
  const CodeNames names(profile, false);
  CHECK(names.Method(total) == "Cart.to\\ntal");
  CHECK(names.MethodAndLine(total) == "Cart.to\\ntal line 20");
  CHECK(names.Position({total, 7}) == "Cart.to\\ntal line 22");
  CHECK(names.Position({total, 9}) == "Cart.to\\ntal bci 9");
  CHECK(names.Callee({total, 7}) == "List.get");
  CHECK(names.Callee({total, 9}).empty());
  CHECK(names.Method(kNoMethod) == "(none)");
  const CodeNames whole(profile, true);
  CHECK(whole.Position({total, 7}) == "a.b.Cart.to\\ntal(int)void line 22");
  CHECK(whole.Callee({total, 7}) == "java.util.List.get");
}

}  // namespace
}  // namespace iprof::cli
