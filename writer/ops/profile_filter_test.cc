#include "writer/ops/profile_filter.h"

#include <catch2/catch.hpp>

#include "writer/ops/ops_test_profiles.h"
#include "writer/profile/io/agent_section.h"
#include "writer/profile/io/estimate_note.h"

namespace iprof {
namespace {

// com.acme.Cart.total calls java.util.ArrayList.get; com.acme.CartTest.run calls total.
struct Shop {
  Profile profile;
  MethodIndex total, get, test;

  Shop() {
    profile.AddStandardTypes();
    total = Add("com.acme.Cart", "total");
    get = Add("java.util.ArrayList", "get");
    test = Add("com.acme.CartTest", "run");
    const ContextIndex in_total = profile.AddContext(kNoContext, total, 0);
    profile.AddCount(Table::kCalls, in_total, 5);
    profile.AddCount(Table::kCalls, profile.AddContext(kNoContext, get, 0), 50);
    profile.AddSuccessors(profile.AddContext(kNoContext, total, 3),
                          std::vector<Successor>{{9, 0, 4}, {6, 1, 1}});
    profile.AddTypeCounts(Table::kVirtualInvokes, profile.AddContext(kNoContext, get, 7),
                          std::vector<TypeCount>{{profile.AddType("com.acme.Item"), 50}});
    profile.AddTypeCounts(Table::kMonitors, profile.AddMonitorContext(),
                          std::vector<TypeCount>{{profile.AddType("com.acme.Lock"), 3},
                                                 {profile.AddType("java.lang.Object"), 4},
                                                 {profile.AddType("[Lcom.acme.Lock;"), 1}});
    profile.AddCount(Table::kSamples, profile.AddContext(std::vector<Frame>{{get, 1}, {total, 5}}),
                     7);
    profile.AddCount(Table::kSamples, profile.AddContext(std::vector<Frame>{{get, 1}}), 2);
  }

  MethodIndex Add(const char* type, const char* name) {
    const std::vector<TypeIndex> signature{profile.AddType(type), TypeIndex{8}};
    return profile.AddMethod(name, signature);
  }
};

std::vector<std::string> MethodNames(const Profile& profile) {
  std::vector<std::string> names;
  for (const MethodIndex method : MethodsOf(profile))
    names.push_back(profile.DescribeMethod(method));
  return names;
}

TEST_CASE("a filter wants classes by pattern, package and origin") {
  const auto wants = [](const ProfileFilter& filter, std::vector<const char*> names) {
    std::string wanted;
    for (const char* name : names) wanted += filter.Wants(name) ? 'y' : 'n';
    return wanted;
  };
  const std::vector<const char*> names{"com.acme.Cart", "com.acme.web.Page", "com.acmeother.X",
                                       "java.lang.String", "Main"};
  CHECK(ProfileFilter{}.empty());
  CHECK(wants({}, names) == "yyyyy");
  CHECK(wants({.include = {"com.acme.*"}}, names) == "yynnn");
  CHECK(wants({.include = {"*.Cart", "Main"}}, names) == "ynnny");
  CHECK(wants({.include = {"com.acme.Car"}}, names) == "nnnnn");
  CHECK(wants({.packages = {"com.acme"}}, names) == "yynnn");
  CHECK(wants({.include = {"Main"}, .packages = {"com.acme.web"}}, names) == "nynny");
  CHECK(wants({.app = true}, names) == "yyyny");
  CHECK(wants({.exclude = {"*.web.*"}, .app = true}, names) == "ynyny");
  CHECK(wants({.include = {"java.*"}, .app = true}, names) == "nnnnn");
  CHECK(wants({.include = {"com.acme.*"}}, {"[Lcom.acme.Cart;", "[[I"}) == "yn");
  CHECK(ProfileFilter{.include = {"a.*"}, .exclude = {"*Test"}, .packages = {"b"}}.Describe() ==
        "a.*, b.* without *Test");
  CHECK(ProfileFilter{.app = true}.Describe() == "outside the JDK");
}

TEST_CASE("a filtered profile has the entries of the wanted classes and whole stacks") {
  const Shop shop;
  const Profile made = FilterProfile(shop.profile, {.exclude = {"*Test"}, .app = true});
  CHECK(made.Total(Table::kCalls) == 5);
  CHECK(made.Total(Table::kConditionals) == 5);
  CHECK(made.entry_count(Table::kVirtualInvokes) == 0);
  REQUIRE(made.entry_count(Table::kSamples) == 1);
  CHECK(made.EntryCount(Table::kSamples, EntryIndex{0}) == 7);
  CHECK(made.Depth(made.EntryContext(Table::kSamples, EntryIndex{0})) == 2);
  REQUIRE(made.entry_count(Table::kMonitors) == 1);
  CHECK(made.Total(Table::kMonitors) == 4);
  CHECK(MethodNames(made) ==
        std::vector<std::string>{"com.acme.Cart.total()void", "java.util.ArrayList.get()void"});
  for (const MethodIndex method : MethodsOf(made)) {
    const std::string name = made.DescribeMethod(method);
    for (const MethodIndex before : MethodsOf(shop.profile)) {
      if (shop.profile.DescribeMethod(before) == name)
        CHECK(shop.profile.MethodFileId(before) == made.MethodFileId(method));
    }
  }
}

TEST_CASE("a build is not given pieces of stacks that have no wanted class") {
  Shop shop;
  const MethodIndex invoke = shop.Add("jdk.internal.reflect.DirectMethodHandleAccessor", "invoke");
  const MethodIndex task = shop.Add("other.Task", "run");
  const std::vector<Frame> reflective{{task, 1}, {invoke, 2}, {shop.total, 5}};
  shop.profile.AddCount(Table::kSamples, shop.profile.AddContext(reflective), 40);
  SetAgentPart(shop.profile, kImagePart, R"({"target":25,"filtered":true})");
  const ProfileFilter cart{.include = {"com.acme.Cart"}};
  CHECK(FilterProfile(shop.profile, cart).Total(Table::kSamples) == 47);
  CHECK(FilterForBuild(shop.profile, cart).Total(Table::kSamples) == 7);
  CHECK(FilterForBuild(shop.profile, {.include = {"other.*"}}).Total(Table::kSamples) == 40);
}

TEST_CASE("a filtered profile says how sure its methods are") {
  Shop shop;
  for (const MethodIndex method : MethodsOf(shop.profile))
    shop.profile.AddSureness(method, Sureness::EstimatedFrom(64));
  const Profile made = FilterProfile(shop.profile, {.app = true});
  REQUIRE(made.method_count() > 0);
  for (const MethodIndex method : MethodsOf(made))
    CHECK(made.SurenessOf(method) == Sureness::EstimatedFrom(64));
}

TEST_CASE("the share of estimated calls is that of the wanted classes") {
  Shop shop;
  const EstimateNote note{
      {{"com.acme.Cart.total()void", 2}, {"java.util.ArrayList.get()void", 40}}};
  SetAgentPart(shop.profile, kEstimatesPart, note.ToJson());
  const AgentSection section = AgentSection::Of(FilterProfile(shop.profile, {.app = true}));
  REQUIRE(section.Part(kEstimatesPart));
  CHECK(EstimateNote::Parse(*section.Part(kEstimatesPart)) ==
        EstimateNote{{{"com.acme.Cart.total()void", 2}}});
}

TEST_CASE("a filter that leaves no calls leaves no estimated ones, and the note says no more") {
  Shop shop;
  const EstimateNote note{
      {{"com.acme.CartTest.run()void", 2}, {"java.util.ArrayList.get()void", 40}}};
  SetAgentPart(shop.profile, kEstimatesPart, note.ToJson());
  const Profile made = FilterProfile(shop.profile, {.include = {"com.acme.CartTest"}});
  CHECK(made.Total(Table::kCalls) == 0);
  CHECK(AgentPart(made, kEstimatesPart) == EstimateNote().ToJson());
}

TEST_CASE("an empty filter changes nothing") {
  const Shop shop;
  const Profile made = FilterProfile(shop.profile, {});
  CHECK(Text(made) == Text(shop.profile));
}

}  // namespace
}  // namespace iprof
