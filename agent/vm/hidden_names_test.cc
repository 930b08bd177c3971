#include "agent/vm/hidden_names.h"

#include <catch2/catch.hpp>

namespace iprof::vm {

using instrument::NamingRule;

TEST_CASE("lambdas are numbered within the class that captures them", "[hidden_names]") {
  HiddenNames names(NamingRule::k17);
  const CapturingClass one{1};
  const CapturingClass two{2};
  CHECK(names.NumberLambda(one, "B$$Lambda$ab") == "B$$Lambda$ab");
  CHECK(names.NumberLambda(one, "B$$Lambda$ab") == "B$$Lambda$ab_1");
  CHECK(names.NumberLambda(one, "B$$Lambda$cd") == "B$$Lambda$cd");
  CHECK(names.NumberLambda(two, "B$$Lambda$ab") == "B$$Lambda$ab");
  names.Drop(one);
  CHECK(names.NumberLambda(one, "B$$Lambda$ab") == "B$$Lambda$ab");
  CHECK(names.NumberLambda(two, "B$$Lambda$ab") == "B$$Lambda$ab_1");
}

TEST_CASE("proxies are numbered by what they are made of", "[hidden_names]") {
  HiddenNames names(NamingRule::k25);
  CHECK(names.NumberProxy("a/$Proxy.s1", "x") == "a/$Proxy.s1");
  CHECK(names.NumberProxy("a/$Proxy.s1", "y") == "a/$Proxy.s1_1");
  CHECK(names.NumberProxy("a/$Proxy.s1", "x") == "a/$Proxy.s1");
  CHECK(names.NumberProxy("a/$Proxy.s1", "z") == "a/$Proxy.s1_2");
}

TEST_CASE("names are found as samples and as signatures spell them", "[hidden_names]") {
  HiddenNames names(NamingRule::k25);
  names.Add("a/B$$Lambda.0x0123", "a/B$$Lambda.0xab0");
  names.Add("jdk/proxy1/$Proxy5", "jdk/proxy1/$Proxy.s77");
  CHECK(names.size() == 2);
  CHECK(names.StableName("a.B$$Lambda/0x0123") == "a.B$$Lambda/0xab0");
  CHECK(names.StableName("jdk.proxy1.$Proxy5") == "jdk.proxy1.$Proxy/s77");
  CHECK(names.StableName("a.B") == std::nullopt);
  CHECK(names.InternalName("a/B$$Lambda.0x0123") == "a/B$$Lambda.0xab0");
  CHECK(names.InternalName("a/B") == "a/B");
  CHECK(names.ProfileName("La/B$$Lambda.0x0123;") == "a.B$$Lambda/0xab0");
  CHECK(names.ProfileName("[[La/B$$Lambda.0x0123;") == "[[La.B$$Lambda/0xab0;");
  CHECK(names.ProfileName("Ljdk/proxy1/$Proxy5;") == "jdk.proxy1.$Proxy/s77");
  CHECK(names.ProfileName("La/B$$Lambda.0x9999;") == std::nullopt);
  CHECK(names.ProfileName("Ljava/lang/String;") == "java.lang.String");
  CHECK(names.ProfileName("[Ljava/lang/String;") == "[Ljava.lang.String;");
  CHECK(names.ProfileName("[[I") == "[[I");
  CHECK(names.ProfileName("nonsense") == std::nullopt);
}

TEST_CASE("a name that HotSpot uses again means the newest class", "[hidden_names]") {
  HiddenNames names(NamingRule::k25);
  names.Add("a/B$$Lambda.0x01", "a/B$$Lambda.0xab0");
  names.Add("a/B$$Lambda.0x01", "a/B$$Lambda.0xcd0");
  CHECK(names.StableName("a.B$$Lambda/0x01") == "a.B$$Lambda/0xcd0");
  CHECK(names.size() == 1);
}

}  // namespace iprof::vm
