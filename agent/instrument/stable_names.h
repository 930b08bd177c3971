// Stable names: what an image build calls the classes that a JVM makes up while it runs.
//
// A lambda's class is hidden, and HotSpot names it after its address: useless in a profile. An
// image build names it by what it does, so that two builds agree, and so does this. docs/names.md
// has the rules for users.
//
// Names here are internal ones with a hidden class's suffix behind a dot, as JVMTI gives them:
// "a/B$$Lambda.0x01…", which Class.getName() spells "a.B$$Lambda/0x01…".
//
// Guarantees: pure; the class's own bytes decide, before anything was inserted into them; damaged
// ones give nothing. Any thread. Failure: no name, and the caller leaves the class out.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "agent/classfile/arena.h"
#include "agent/classfile/class_file.h"

namespace iprof::instrument {

// The builders that agree on a rule, by the first of them.
enum class NamingRule {
  k17,  // GraalVM for JDK 17 to 22
  k23,  // for JDK 23 and 24
  k25,  // for JDK 25 and later
};
NamingRule RuleForJdk(int feature_version);

// Whether the metafactory made this class for a lambda or a method reference: a final class whose
// name ends in $$Lambda, or in $$Lambda$ and a number.
bool IsLambdaClass(const classfile::ClassFile& file);

// The text that is hashed: what the lambda's first public non-bridge method calls, and from rule
// k23 on what the lambda captures and implements. Nothing where that method calls nothing. UTF-8.
std::optional<std::string> LambdaText(const classfile::ClassFile& file, classfile::Arena& arena,
                                      NamingRule rule);

// The name without the number that tells lambdas of one class apart which do the same.
std::optional<std::string> LambdaBaseName(const classfile::ClassFile& file, classfile::Arena& arena,
                                          NamingRule rule);

// `number` counts from 0 the classes of this base name.
std::string NumberedLambdaName(std::string_view base, NamingRule rule, uint32_t number);

// What a proxy class's name is made of.
struct ProxyFacts {
  std::string package;                  // internal: "jdk/proxy1"
  std::vector<std::string> interfaces;  // as Class.getName() gives them, in the class's order
  std::optional<std::string> loader;    // its name, or its class's name; nothing: the boot loader
  std::optional<std::string> module;    // nothing: an unnamed module
};

// Reads package and interfaces; nothing where this is not a proxy: a final subclass of
// java.lang.reflect.Proxy called $Proxy and a number.
std::optional<ProxyFacts> ReadProxy(const classfile::ClassFile& file);
bool IsProxyName(std::string_view internal_name);

// Whether the package's module was made for proxies alone; its name is then no part of the text.
bool IsDynamicProxyPackage(std::string_view internal_package);

std::string ProxyText(const ProxyFacts& facts);
std::string ProxyBaseName(const ProxyFacts& facts);
// `number` counts from 0 the different texts that share the base name.
std::string NumberedProxyName(std::string_view base, uint32_t number);

}  // namespace iprof::instrument
