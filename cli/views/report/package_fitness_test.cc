#include "cli/views/report/profile_facts.h"

#include <catch2/catch.hpp>

namespace iprof {
namespace {

MethodIndex Method(Profile& profile, const std::string& type, const std::string& name) {
  const TypeIndex result = profile.AddType("void");
  return profile.AddMethod(name, std::vector<TypeIndex>{profile.AddType(type), result});
}

}  // namespace

TEST_CASE("each package has what an image can use of it, the heaviest first") {
  Profile profile;
  const MethodIndex own = Method(profile, "com.shop.Cart", "total");
  const MethodIndex other = Method(profile, "com.shop.db.Table", "read");
  // Only a JVM runs it: docs/image.md.
  const MethodIndex machinery = Method(profile, "jdk.internal.loader.BootLoader", "load");
  const MethodIndex unnamed = Method(profile, "Main", "main");
  const auto called = [&](MethodIndex method, int64_t count) {
    profile.AddCount(Table::kCalls, profile.AddContext(kNoContext, method, 0), count);
  };
  called(own, 100);
  called(other, 500);
  called(machinery, 300);
  called(unnamed, 1);
  profile.AddSuccessors(profile.AddContext(kNoContext, own, 4),
                        std::vector<Successor>{{8, 0, 6}, {7, 1, 4}});
  const std::vector<PackageFitness> packages = FitnessOfPackages(profile, ImageTarget::k25);
  std::vector<std::string> names;
  for (const PackageFitness& package : packages) names.push_back(package.package);
  CHECK(names ==
        std::vector<std::string>{"com.shop", "com.shop.db", "jdk.internal.loader", "(default)"});
  CHECK(packages[0].weight == 1.0);  // all branches are in it
  CHECK(packages[0].share.Of(Table::kConditionals).usable_weight == 10);
  CHECK(packages[1].share.Of(Table::kCalls).usable_weight == 500);
  CHECK(packages[2].share.Of(Table::kCalls).weight == 300);
  CHECK(packages[2].share.Of(Table::kCalls).usable_weight == 0);
}

}  // namespace iprof
