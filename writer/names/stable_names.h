// Stable names: what an image build calls the classes that a JVM makes up while it runs.
//
// A lambda's class is hidden, and HotSpot names it after its address: useless in a profile. An
// image build names it by what it does, so that two builds agree, and so does this. docs/names.md
// has the rules for users.
//
// Names here are internal ones with a hidden class's suffix behind a dot, as JVMTI gives them:
// "a/B$$Lambda.0x01…", which Class.getName() spells "a.B$$Lambda/0x01…".
//
// What a name is made of comes from the class's bytes; agent/instrument/names/naming_facts.h reads it.
//
// Guarantees: pure; any thread. Failure: no name, and the caller leaves the class out.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "writer/names/typed_names.h"

namespace iprof {

// The builders that agree on a rule, by the first of them.
enum class NamingRule {
  k17,  // GraalVM for JDK 17 to 22
  k23,  // for JDK 23 and 24
  k25,  // for JDK 25 and later
};
NamingRule RuleForJdk(int feature_version);

// What a lambda's class does, by the class file's own names. The texts must outlive it.
struct LambdaFacts {
  struct Call {
    std::string_view owner;  // internal, or an array's descriptor
    std::string_view name;
    std::string_view descriptor;
  };
  std::string_view class_name;
  std::vector<Call> calls;                     // of the first public non-bridge method
  std::vector<std::string_view> constructors;  // their descriptors: what the lambda captures
  std::vector<std::string_view> interfaces;
};

// Whether the metafactory gives such names: they end in $$Lambda, or in $$Lambda$ and a number.
bool IsLambdaName(InternalName name);

// The text that is hashed: the calls, and from rule k23 on what the lambda captures and implements.
// Nothing where it calls nothing or a descriptor is malformed. UTF-8.
std::optional<std::string> LambdaText(const LambdaFacts& facts, NamingRule rule);

// The name without the number that tells lambdas of one class apart which do the same.
std::optional<std::string> LambdaBaseName(const LambdaFacts& facts, NamingRule rule);

// `number` counts from 0 the classes of this base name.
std::string NumberedLambdaName(std::string_view base, NamingRule rule, uint32_t number);

// What a proxy class's name is made of.
struct ProxyFacts {
  std::string package;                  // internal: "jdk/proxy1"
  std::vector<std::string> interfaces;  // as Class.getName() gives them, in the class's order
  std::optional<std::string> loader;    // its name, or its class's name; nothing: the boot loader
  std::optional<std::string> module;    // nothing: an unnamed module
};

// Whether the name is $Proxy and a number, in any package.
bool IsProxyName(InternalName name);

// Whether the package's module was made for proxies alone; its name is then no part of the text.
bool IsDynamicProxyPackage(std::string_view internal_package);

std::string ProxyText(const ProxyFacts& facts);
std::string ProxyBaseName(const ProxyFacts& facts);
// `number` counts from 0 the different texts that share the base name.
std::string NumberedProxyName(std::string_view base, uint32_t number);

}  // namespace iprof
