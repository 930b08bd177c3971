// Stable names: the names that an image build gives to classes that a JVM generates at run time.
//
// The class of a lambda is hidden, and HotSpot names it after an address, which is useless in a
// profile. An image build names it by what it does, so that the name is the same in every build.
// This file computes the same names. docs/names.md explains the rules to users.
//
// Names are internal names with a dot before the suffix of a hidden class, as JVMTI returns them:
// "a/B$$Lambda.0x01…", which Class.getName() spells "a.B$$Lambda/0x01…".
//
// agent/instrument/names/naming_facts.h reads the parts of a name from the bytes of the class.
//
// Guarantees: pure. Threads: any.
// Failure: there is no name, and the caller leaves the class out. Throws nothing but
// std::bad_alloc.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "writer/names/typed_names.h"

namespace iprof {

// The rules, each named after the first builder that uses it.
enum class NamingRule {
  k17,  // GraalVM for JDK 17 to 22
  k23,  // for JDK 23 and 24
  k25,  // for JDK 25 and later
};
NamingRule RuleForJdk(int feature_version);

// What the class of a lambda does, with the names of the class file. The texts must outlive
// this object.
struct LambdaFacts {
  struct Call {
    std::string_view owner;  // an internal name, or the descriptor of an array
    std::string_view name;
    std::string_view descriptor;
  };
  std::string_view class_name;
  std::vector<Call> calls;                     // of the first public non-bridge method
  std::vector<std::string_view> constructors;  // their descriptors: what the lambda captures
  std::vector<std::string_view> interfaces;
};

// Whether the metafactory gives such names: they end with $$Lambda, or with $$Lambda$ and a number.
bool IsLambdaName(InternalName name);

// The text that is hashed: the calls and, from rule k23 on, what the lambda captures and
// implements. Empty if it calls nothing, or if a descriptor is malformed. UTF-8.
std::optional<std::string> LambdaText(const LambdaFacts& facts, NamingRule rule);

// The name without the number that distinguishes lambdas of one class that do the same.
std::optional<std::string> LambdaBaseName(const LambdaFacts& facts, NamingRule rule);

// `number` counts from 0 the classes of this base name.
std::string NumberedLambdaName(std::string_view base, NamingRule rule, uint32_t number);

// The parts of a proxy class's name.
struct ProxyFacts {
  std::string package;                  // internal: "jdk/proxy1"
  std::vector<std::string> interfaces;  // as Class.getName() gives them, in the class's order
  std::optional<std::string> loader;    // its name, or its class's name; empty: the boot loader
  std::optional<std::string> module;    // empty: an unnamed module
};

// Whether the name is $Proxy and a number, in any package.
bool IsProxyName(InternalName name);

// Whether the package's module was made only for proxies. If so, its name is not part of the text.
bool IsDynamicProxyPackage(std::string_view internal_package);

std::string ProxyText(const ProxyFacts& facts);
std::string ProxyBaseName(const ProxyFacts& facts);
// `number` counts from 0 the different texts that share the base name.
std::string NumberedProxyName(std::string_view base, uint32_t number);

// Whether a text is a number of such a name.
bool AreDigits(std::string_view text);

}  // namespace iprof
