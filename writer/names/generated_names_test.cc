#include "writer/names/generated_names.h"

#include <catch2/catch.hpp>
#include <string>

using namespace iprof;

namespace {

GeneratedKind KindOf(const std::string& name) { return ReadGeneratedName(ProfileName(name)).kind; }
std::string HostOf(const std::string& name) {
  return std::string(ReadGeneratedName(ProfileName(name)).host);
}

}  // namespace

TEST_CASE("Stable names of lambdas are told apart by their form") {
  const LambdaFacts facts{.class_name = "a/B$$Lambda",
                          .calls = {{"a/B", "lambda$main$0", "()V"}},
                          .constructors = {},
                          .interfaces = {"java/lang/Runnable"}};
  for (const NamingRule rule : {NamingRule::k17, NamingRule::k23, NamingRule::k25}) {
    for (const uint32_t number : {0u, 7u, 12u}) {
      std::string name = NumberedLambdaName(*LambdaBaseName(facts, rule), rule, number);
      // An internal name as a profile spells it.
      for (char& c : name) c = c == '/' ? '.' : c == '.' ? '/' : c;
      INFO(name);
      const GeneratedKind kind = KindOf(name);
      CHECK(kind == (rule == NamingRule::k17 ? GeneratedKind::kLambda : GeneratedKind::kLambda23));
      CHECK(HostOf(name) == "a.B");
      const std::string shown = number == 0               ? ""
                                : rule == NamingRule::k17 ? "_" + std::to_string(number)
                                                          : std::to_string(number);
      CHECK(ReadGeneratedName(ProfileName(name)).number == shown);
      CHECK(NamesFit(kind, rule));
      CHECK(NamesFit(kind, NamingRule::k17) == (rule == NamingRule::k17));
      CHECK(NamesFit(kind, NamingRule::k25) == (rule != NamingRule::k17));
    }
  }
}

TEST_CASE("Stable names of proxies fit every build") {
  const ProxyFacts facts{
      .package = "jdk/proxy2", .interfaces = {"a.I"}, .loader = "app", .module = {}};
  std::string name = NumberedProxyName(ProxyBaseName(facts), 1);
  for (char& c : name) c = c == '/' ? '.' : c == '.' ? '/' : c;
  CHECK(name.starts_with("jdk.proxy2.$Proxy/s"));
  for (const std::string& each : {name, name.substr(0, name.find('_')), name.substr(11)}) {
    CHECK(KindOf(each) == GeneratedKind::kProxy);
    CHECK(NamesFit(KindOf(each), NamingRule::k17));
    CHECK(NamesFit(KindOf(each), NamingRule::k25));
  }
}

TEST_CASE("Names of one run are known to no build") {
  for (const char* const name :
       {"a.B$$Lambda$14/0x0000000800c03000", "a.B$$Lambda/0x00007f3c4c001000",
        "jdk.proxy1.$Proxy12", "$Proxy3"}) {
    INFO(name);
    CHECK(KindOf(name) == GeneratedKind::kUnstable);
    CHECK(!NamesFit(KindOf(name), NamingRule::k17));
    CHECK(!NamesFit(KindOf(name), NamingRule::k25));
  }
  CHECK(KindOf("java.lang.invoke.LambdaForm$DMH/s384ff554") == GeneratedKind::kOther);
  CHECK(KindOf("a.B/0x1234") == GeneratedKind::kOther);
  CHECK(HostOf("a.B/0x1234").empty());
  CHECK(HostOf("a.B$$Lambda/0x00007f3c4c001000") == "a.B");
  CHECK(KindOf("jdk.internal.reflect.GeneratedMethodAccessor7") == GeneratedKind::kOther);
}

TEST_CASE("Classes that libraries make while the program runs are known by their names") {
  for (const char* const name :
       {"a.Shop$$EnhancerBySpringCGLIB$$5c1b2f3a", "a.Shop$$SpringCGLIB$$0",
        "a.Shop$$FastClassBySpringCGLIB$$77", "a.Item$HibernateProxy$8Gg1",
        "a.Item$HibernateInstantiator$x", "a.Mock$MockitoMock$12", "a.Item_$$_jvst4_0",
        "java.lang.invoke.BoundMethodHandle$Species_LLL"}) {
    INFO(name);
    CHECK(IsMadeAtRunTime(ProfileName(name)));
  }
  for (const char* const name : {"a.Shop", "a.Shop$Inner", "a.Enhancer", "org.hibernate.Session",
                                 "java.lang.invoke.MethodHandle", ""}) {
    INFO(name);
    CHECK(!IsMadeAtRunTime(ProfileName(name)));
  }
}

TEST_CASE("Names of class files and arrays are not generated") {
  for (const char* const name :
       {"a.B", "a.B$Inner", "[I", "[La.B;", "int", "", "a.$Proxies", "a.B$$Lambda",
        "a.B$$Lambda$short", "jdk.internal.reflect.MethodAccessorGenerator"}) {
    INFO(name);
    CHECK(KindOf(name) == GeneratedKind::kNone);
  }
}
