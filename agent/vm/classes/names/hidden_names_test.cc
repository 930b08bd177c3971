#include "agent/vm/classes/names/hidden_names.h"

#include <catch2/catch.hpp>

namespace iprof::vm {

TEST_CASE("proxies are numbered by what they are made of", "[hidden_names]") {
  HiddenNames names(NamingRule::k25, instrument::Unboxing::kByNumber);
  CHECK(names.AddProxy("a/$Proxy1", "a/$Proxy.s1", "x") == "a/$Proxy.s1");
  CHECK(names.AddProxy("a/$Proxy2", "a/$Proxy.s1", "y") == "a/$Proxy.s1_1");
  CHECK(names.AddProxy("a/$Proxy3", "a/$Proxy.s1", "x") == "a/$Proxy.s1");
  CHECK(names.AddProxy("a/$Proxy4", "a/$Proxy.s1", "z") == "a/$Proxy.s1_2");
  CHECK(names.InternalName("a/$Proxy2") == "a/$Proxy.s1_1");
}

TEST_CASE("a proxy that each loader makes in a package with a number of its own is one class") {
  HiddenNames names(NamingRule::k25, instrument::Unboxing::kByNumber);
  constexpr UnloadTag first{1};
  CHECK(names.AddProxy("jdk/proxy3/$Proxy1", "jdk/proxy3/$Proxy.s1", "x", first) ==
        "jdk/proxy3/$Proxy.s1");
  CHECK(names.AddProxy("jdk/proxy4/$Proxy2", "jdk/proxy4/$Proxy.s1", "x", UnloadTag{2}) ==
        "jdk/proxy3/$Proxy.s1");
  CHECK(names.AddProxy("jdk/proxy4/$Proxy3", "jdk/proxy4/$Proxy.s2", "y", UnloadTag{2}) ==
        "jdk/proxy4/$Proxy.s2");
  // Another text with the same hash as the first one.
  CHECK(names.AddProxy("jdk/proxy3/$Proxy4", "jdk/proxy3/$Proxy.s1", "z", first) ==
        "jdk/proxy3/$Proxy.s1_1");
  names.Drop(first);
  names.Drop(UnloadTag{2});
  CHECK(names.AddProxy("jdk/proxy5/$Proxy5", "jdk/proxy5/$Proxy.s1", "z", first) ==
        "jdk/proxy3/$Proxy.s1_1");
  CHECK(names.AddProxy("jdk/proxy5/$Proxy6", "jdk/proxy5/$Proxy.s1", "x", first) ==
        "jdk/proxy3/$Proxy.s1");
  // Packages of the program are kept.
  CHECK(names.AddProxy("a/$Proxy1", "a/$Proxy.s1", "w") == "a/$Proxy.s1");
  CHECK(names.AddProxy("b/$Proxy2", "b/$Proxy.s1", "w") == "b/$Proxy.s1");
}

TEST_CASE("names go with the class or loader that they are for", "[hidden_names]") {
  HiddenNames names(NamingRule::k25, instrument::Unboxing::kByNumber);
  const size_t empty = names.bytes();
  const UnloadTag loader{1};
  const UnloadTag lambda{2};
  names.AddProxy("a/b_1/$Proxy1", "a/b_1/$Proxy.s1", "x", loader);
  names.AddProxy("a/b_1/$Proxy1", "a/b_1/$Proxy.s1", "x", loader);  // redefined
  names.AddProxy("a/b_1/$Proxy2", "a/b_1/$Proxy.s1", "y", loader);
  names.AddProxy("a/b_1/$Proxy3", "a/b_1/$Proxy.s1", "y");
  names.Add("a/B$$Lambda.0x01", "a/B$$Lambda.0xab0", lambda);
  CHECK(names.size() == 4);
  names.Drop(lambda);
  CHECK(names.StableName(BinaryName("a.B$$Lambda/0x01")) == std::nullopt);
  names.Drop(loader);
  names.Drop(loader);
  CHECK(names.size() == 1);
  // The remaining class keeps its name, and newer ones get the same name.
  CHECK(names.AddProxy("a/b_1/$Proxy4", "a/b_1/$Proxy.s1", "y", loader) == "a/b_1/$Proxy.s1_1");
  names.Drop(loader);
  CHECK(names.InternalName("a/b_1/$Proxy3") == "a/b_1/$Proxy.s1_1");
  for (int i = 10; i < 1010; ++i) {
    const std::string package = "jdk/proxy" + std::to_string(i);
    names.AddProxy(package + "/$Proxy1", package + "/$Proxy.s1", "x", UnloadTag{i});
    names.Drop(UnloadTag{i});
  }
  CHECK(names.size() == 1);
  CHECK(names.bytes() < empty + 2000);  // for hash buckets
}

TEST_CASE("a class that is being defined has its name already, on its thread", "[hidden_names]") {
  HiddenNames names(NamingRule::k25, instrument::Unboxing::kByNumber);
  {
    const HiddenNames::Defining outer("a/B$$Lambda$7", "a/B$$Lambda$ab");
    const HiddenNames::Defining inner("a/C$$Lambda", "a/C$$Lambda.0xcd0");
    CHECK(names.StableDescriptor(Descriptor("La/B$$Lambda$7.0x01;")) == "La/B$$Lambda$ab;");
    CHECK(names.StableName(BinaryName("a.C$$Lambda/0x01")) == "a.C$$Lambda/0xcd0");
    CHECK(names.ProfileName(Descriptor("La/C$$Lambda.0x01;")) == "a.C$$Lambda/0xcd0");
    CHECK(names.StableDescriptor(Descriptor("La/B$$Lambda$77.0x01;")) == std::nullopt);
    CHECK(names.StableDescriptor(Descriptor("La/B$$Lambda$7;")) == std::nullopt);
    CHECK(names.StableDescriptor(Descriptor("[La/B$$Lambda$7.0x01;")) == std::nullopt);
  }
  CHECK(names.StableDescriptor(Descriptor("La/B$$Lambda$7.0x01;")) == std::nullopt);
}

TEST_CASE("names are found as samples and as signatures spell them", "[hidden_names]") {
  HiddenNames names(NamingRule::k25, instrument::Unboxing::kByNumber);
  names.Add("a/B$$Lambda.0x0123", "a/B$$Lambda.0xab0");
  names.Add("jdk/proxy1/$Proxy5", "jdk/proxy1/$Proxy.s77");
  CHECK(names.size() == 2);
  CHECK(names.StableName(BinaryName("a.B$$Lambda/0x0123")) == "a.B$$Lambda/0xab0");
  CHECK(names.StableName(BinaryName("jdk.proxy1.$Proxy5")) == "jdk.proxy1.$Proxy/s77");
  CHECK(names.StableName(BinaryName("a.B")) == std::nullopt);
  CHECK(names.InternalName("a/B$$Lambda.0x0123") == "a/B$$Lambda.0xab0");
  CHECK(names.InternalName("a/B") == "a/B");
  CHECK(names.ProfileName(Descriptor("La/B$$Lambda.0x0123;")) == "a.B$$Lambda/0xab0");
  CHECK(names.ProfileName(Descriptor("[[La/B$$Lambda.0x0123;")) == "[[La.B$$Lambda/0xab0;");
  CHECK(names.ProfileName(Descriptor("Ljdk/proxy1/$Proxy5;")) == "jdk.proxy1.$Proxy/s77");
  CHECK(names.ProfileName(Descriptor("La/B$$Lambda.0x9999;")) == std::nullopt);
  CHECK(names.ProfileName(Descriptor("Ljava/lang/String;")) == "java.lang.String");
  CHECK(names.ProfileName(Descriptor("[Ljava/lang/String;")) == "[Ljava.lang.String;");
  CHECK(names.ProfileName(Descriptor("[[I")) == "[[I");
  CHECK(names.ProfileName(Descriptor("nonsense")) == std::nullopt);
}

TEST_CASE("a name that HotSpot uses again means the newest class", "[hidden_names]") {
  HiddenNames names(NamingRule::k25, instrument::Unboxing::kByNumber);
  names.Add("a/B$$Lambda.0x01", "a/B$$Lambda.0xab0");
  names.Add("a/B$$Lambda.0x01", "a/B$$Lambda.0xcd0");
  CHECK(names.StableName(BinaryName("a.B$$Lambda/0x01")) == "a.B$$Lambda/0xcd0");
  CHECK(names.size() == 1);
  names.Add("a/B$$Lambda.0x02", "a/B$$Lambda.0xab0", UnloadTag{1});
  names.Add("a/B$$Lambda.0x02", "a/B$$Lambda.0xcd0", UnloadTag{2});
  names.Drop(UnloadTag{1});  // reported late
  CHECK(names.InternalName("a/B$$Lambda.0x02") == "a/B$$Lambda.0xcd0");
}

TEST_CASE("of lambdas with one name, some have probes", "[hidden_names]") {
  HiddenNames names(NamingRule::k25, instrument::Unboxing::kByNumber);
  names.Add("a/B$$Lambda.0x01", "a/B$$Lambda.0xab0");
  names.Add("a/B$$Lambda.0x02", "a/B$$Lambda.0xab0", kNeverUnloaded, true);
  CHECK_FALSE(names.HasProbes("a/B$$Lambda.0x01"));
  CHECK(names.HasProbes("a/B$$Lambda.0x02"));
  CHECK_FALSE(names.HasProbes("a/B$$Lambda.0x03"));
  names.Add("a/B$$Lambda.0x02", "a/B$$Lambda.0xab0");  // HotSpot uses the address again
  CHECK_FALSE(names.HasProbes("a/B$$Lambda.0x02"));
}

TEST_CASE("a lambda that is defined again shares its stable name", "[hidden_names]") {
  HiddenNames names(NamingRule::k25, instrument::Unboxing::kByNumber);
  const std::string stable = "a/" + std::string(400, 'b') + "$$Lambda.0xab0";
  constexpr size_t kClasses = 1000;
  for (size_t i = 0; i < kClasses; ++i)
    names.Add("a/B$$Lambda.0x0000" + std::to_string(i), stable, UnloadTag{7});
  CHECK(names.size() == kClasses);
  CHECK(names.bytes() < kClasses * 150);
  CHECK(names.InternalName("a/B$$Lambda.0x0000999") == stable);
  names.Drop(UnloadTag{7});
  CHECK(names.size() == 0);
  names.Add("a/C$$Lambda.0x01", "a/C$$Lambda.0xcd0");
  CHECK(names.InternalName("a/C$$Lambda.0x01") == "a/C$$Lambda.0xcd0");
}

TEST_CASE("a newer class without a stable name does not take that of an unloaded one",
          "[hidden_names]") {
  HiddenNames names(NamingRule::k25, instrument::Unboxing::kByNumber);
  names.Add("a/B$$Lambda.0x01", "a/B$$Lambda.0xab0");
  names.Remove("a/B$$Lambda.0x01");
  names.Remove("a/B$$Lambda.0x02");
  CHECK_FALSE(names.ProfileName(Descriptor("La/B$$Lambda.0x01;")));
  CHECK(names.size() == 0);
}

}  // namespace iprof::vm
