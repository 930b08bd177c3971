#include "writer/ops/code_difference.h"

#include <catch2/catch.hpp>
#include <string>

namespace iprof {
namespace {

// Methods a.A.<letter>()void; a digit 0 is a hash that is not known.
Profile With(const std::string& methods) {
  Profile profile;
  profile.AddStandardTypes();
  const TypeIndex signature[] = {profile.AddType("a.A"), TypeIndex{8}};
  for (size_t i = 0; i < methods.size(); i += 2) {
    const MethodIndex method = profile.AddMethod(methods.substr(i, 1), signature);
    profile.SetCodeHash(method, static_cast<uint64_t>(methods[i + 1] - '0') << 40);
  }
  return profile;
}

TEST_CASE("methods with a hash in both profiles are compared") {
  const CodeDifference difference = CompareCode(With("a1b2c3d0e5"), With("e6d4c3b9z1"));
  CHECK(difference.compared == 3);
  CHECK(difference.differing == 2);
  CHECK(difference.Describe() == "the code of 2 of 3 methods differs");
}

TEST_CASE("nothing differs where nothing is known") {
  CHECK(CompareCode(With("a1"), With("a0")).compared == 0);
  CHECK(CompareCode(With("a1"), With("a1")).Describe().empty());
}

}  // namespace
}  // namespace iprof
