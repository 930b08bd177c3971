#include "writer/ops/hot_set.h"

#include <catch2/catch.hpp>

#include <string>
#include <vector>

#include "writer/base/code_length.h"

namespace iprof {
namespace {

constexpr uint64_t kHash = uint64_t{1} << 63;

// A method of a.A with this many calls, and so many bytes of code; 0: not known.
MethodIndex AddMethod(Profile& profile, const std::string& name, int64_t calls, size_t bytes) {
  const TypeIndex signature[] = {profile.AddType("a.A"), profile.AddType("void")};
  const MethodIndex method = profile.AddMethod(name, signature);
  if (calls > 0) profile.AddCount(Table::kCalls, profile.AddContext(kNoContext, method, 0), calls);
  if (bytes > 0) profile.SetCodeHash(method, WithCodeLength(kHash, bytes));
  return method;
}

TEST_CASE("the heaviest methods with 99.9 % of the weight are hot") {
  // 9,980 of 10,000 are less than 99.9 %, and 9,995 are more.
  CHECK(HottestByWeight({{1, 15}, {2, 980}, {3, 5}, {4, 9000}}) == std::set<uint32_t>{1, 2, 4});
}

TEST_CASE("exactly 99.9 % are enough") {
  CHECK(HottestByWeight({{1, 999}, {2, 1}}) == std::set<uint32_t>{1});
}

TEST_CASE("methods of one weight are hot or not together, and those without are not") {
  CHECK(HottestByWeight({{1, 500}, {2, 500}, {3, 500}, {4, 0}}) == std::set<uint32_t>{1, 2, 3});
  CHECK(HottestByWeight({{1, 1'000'000}, {2, 1}, {3, 1}}) == std::set<uint32_t>{1});
  CHECK(HottestByWeight({}).empty());
}

TEST_CASE("a method weighs its calls and its branch executions, with all callers") {
  Profile profile;
  profile.AddStandardTypes();
  const MethodIndex run = AddMethod(profile, "run", 7, 0);
  const MethodIndex caller = AddMethod(profile, "caller", 0, 0);
  profile.AddCount(Table::kCalls, profile.AddContext(std::vector<Frame>{{run, 0}, {caller, 3}}), 5);
  profile.AddSuccessors(profile.AddContext(kNoContext, run, 4),
                        std::vector<Successor>{{9, 0, 1}, {7, 1, 2}});
  CHECK(WeightsOfMethods(profile) == MethodWeights{{static_cast<uint32_t>(run), 15}});
}

TEST_CASE("the share of code is that of the methods whose code's length is known") {
  Profile profile;
  profile.AddStandardTypes();
  AddMethod(profile, "hot", 9000, 30);
  AddMethod(profile, "warm", 980, 20);
  AddMethod(profile, "late", 15, 0);
  AddMethod(profile, "cold", 5, 150);
  AddMethod(profile, "never", 0, 1000);
  const HotSet set = HotSetOf(profile);
  CHECK(set == HotSet{.methods = 3,
                      .all_methods = 4,
                      .code_bytes = 50,
                      .all_code_bytes = 200,
                      .unknown_lengths = 1});
  CHECK(set.CodeShare() == 0.25);
  CHECK(HotSetOf(Profile()) == HotSet());
  CHECK(HotSet().CodeShare() == 0);
}

}  // namespace
}  // namespace iprof
