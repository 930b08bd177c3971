#include "writer/names/stable_names.h"

#include <catch2/catch.hpp>

namespace iprof {

TEST_CASE("Rules by the JDK's version", "[stable_names]") {
  CHECK(RuleForJdk(17) == NamingRule::k17);
  CHECK(RuleForJdk(21) == NamingRule::k17);
  CHECK(RuleForJdk(22) == NamingRule::k17);
  CHECK(RuleForJdk(23) == NamingRule::k23);
  CHECK(RuleForJdk(24) == NamingRule::k23);
  CHECK(RuleForJdk(25) == NamingRule::k25);
  CHECK(RuleForJdk(27) == NamingRule::k25);
}

TEST_CASE("Lambdas that do the same are numbered", "[stable_names]") {
  CHECK(NumberedLambdaName("B$$Lambda$ab", NamingRule::k17, 0) == "B$$Lambda$ab");
  CHECK(NumberedLambdaName("B$$Lambda$ab", NamingRule::k17, 1) == "B$$Lambda$ab_1");
  CHECK(NumberedLambdaName("B$$Lambda$ab", NamingRule::k17, 12) == "B$$Lambda$ab_12");
  CHECK(NumberedLambdaName("B$$Lambda.0xab", NamingRule::k23, 0) == "B$$Lambda.0xab0");
  CHECK(NumberedLambdaName("B$$Lambda.0xab", NamingRule::k25, 12) == "B$$Lambda.0xab12");
}

TEST_CASE("Proxies are named by interfaces, loader and module", "[stable_names]") {
  const ProxyFacts dynamic{"jdk/proxy2", {"a.B", "java.lang.Runnable"}, "app", std::nullopt};
  CHECK(ProxyText(dynamic) == "a.Bjava.lang.Runnableapp");
  CHECK(ProxyBaseName(dynamic) == "jdk/proxy2/$Proxy.s4528bd3b");
  const ProxyFacts unnamed{"a", {"a.Hidden"}, "app", std::nullopt};
  CHECK(ProxyText(unnamed) == "a.Hiddenappnative-image-unnamed");
  CHECK(ProxyBaseName(unnamed) == "a/$Proxy.sb2ed3862");
  const ProxyFacts boot{"a", {"a.B"}, std::nullopt, "java.base"};
  CHECK(ProxyText(boot) == "a.Bnative-image-null-class-loaderjava.base");
  CHECK(ProxyBaseName(boot) == "a/$Proxy.s72d3c562");
  CHECK(NumberedProxyName("a/$Proxy.s1", 0) == "a/$Proxy.s1");
  CHECK(NumberedProxyName("a/$Proxy.s1", 2) == "a/$Proxy.s1_2");
  CHECK(IsDynamicProxyPackage("jdk/proxy12"));
  CHECK(IsDynamicProxyPackage("com/sun/proxy/jdk/proxy1"));
  CHECK_FALSE(IsDynamicProxyPackage("com/sun/proxy"));
  CHECK_FALSE(IsDynamicProxyPackage("jdk/proxy"));
  CHECK_FALSE(IsDynamicProxyPackage("jdk/proxyx"));
}

TEST_CASE("a lambda's text consists of its calls, what it captures and what it implements",
          "[stable_names]") {
  const LambdaFacts facts{.class_name = "a/B$$Lambda",
                          .calls = {{"a/B", "run", "(I[J)V"}, {"[La/B;", "clone", "()[La/B;"}},
                          .constructors = {"(ILjava/lang/String;)V"},
                          .interfaces = {"java/lang/Runnable"}};
  const std::string calls = "a.B.run(int, long[])voida.B[].clone()a.B[]";
  CHECK(LambdaText(facts, NamingRule::k17) == calls);
  CHECK(LambdaText(facts, NamingRule::k23) == calls + "int, java.lang.String");
  CHECK(LambdaText(facts, NamingRule::k25) == calls + "int, java.lang.Stringjava.lang.Runnable");
  CHECK(LambdaBaseName(facts, NamingRule::k17)->starts_with("a/B$$Lambda$"));
  CHECK(LambdaBaseName(facts, NamingRule::k25)->starts_with("a/B$$Lambda.0x"));

  LambdaFacts malformed = facts;
  malformed.calls[0].descriptor = "(I";
  CHECK_FALSE(LambdaText(malformed, NamingRule::k17));
  malformed = facts;
  malformed.calls.clear();
  CHECK_FALSE(LambdaBaseName(malformed, NamingRule::k25));
}

TEST_CASE("which names are those of lambdas", "[stable_names]") {
  CHECK(IsLambdaName(InternalName("a/B$$Lambda")));
  CHECK(IsLambdaName(InternalName("a/B$$Lambda$14")));
  CHECK_FALSE(IsLambdaName(InternalName("a/B$$Lambda$14a")));
  CHECK_FALSE(IsLambdaName(InternalName("a/B$$LambdaX")));
  CHECK_FALSE(IsLambdaName(InternalName("a/B")));
}

}  // namespace iprof
