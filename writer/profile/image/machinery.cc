#include "writer/profile/image/machinery.h"

#include <algorithm>
#include <array>
#include <bit>
#include <iterator>

#include "writer/base/glob.h"

namespace iprof {
namespace {

constexpr std::string_view kLinkage =
    "call sites and method handles are linked by the image builder";
constexpr std::string_view kClassFiles = "an image makes no class files";
constexpr std::string_view kModules = "modules are resolved by the image builder";
constexpr std::string_view kLoading = "an image loads no classes";
constexpr std::string_view kRuntimeImage = "an image does not read the JDK's file of modules";
constexpr std::string_view kLauncher = "an image starts without the java launcher";
constexpr std::string_view kStart = "an image starts in its own way";
constexpr std::string_view kAccessors = "an image has its own reflection accessors";
constexpr std::string_view kStackWalking = "an image walks stacks in its own way";
constexpr std::string_view kAgents = "an image takes no agents";

// The first rule that matches decides.
constexpr MachineryRule kRules[] = {
    {"java.lang.invoke.VarHandle*", "*", MachineryKind::kKept,
     "an image uses it to access fields and arrays"},
    {"java.lang.invoke.*", "*", MachineryKind::kWork, kLinkage},
    {"sun.invoke.*", "*", MachineryKind::kWork, kLinkage},
    {"jdk.internal.invoke.*", "*", MachineryKind::kWork, kLinkage},
    {"java.lang.runtime.*", "bootstrap", MachineryKind::kWork, kLinkage},
    {"java.lang.runtime.ObjectMethods", "make*", MachineryKind::kWork, kLinkage},
    {"java.lang.runtime.SwitchBootstraps", "typeSwitch", MachineryKind::kWork, kLinkage},
    {"java.lang.runtime.SwitchBootstraps", "enumSwitch", MachineryKind::kWork, kLinkage},
    {"java.lang.constant.*", "*", MachineryKind::kWork, kClassFiles},
    {"jdk.internal.constant.*", "*", MachineryKind::kWork, kClassFiles},
    {"java.lang.classfile.*", "*", MachineryKind::kWork, kClassFiles},
    {"jdk.internal.classfile.*", "*", MachineryKind::kWork, kClassFiles},
    {"jdk.internal.org.objectweb.asm.*", "*", MachineryKind::kWork, kClassFiles},
    {"java.lang.reflect.ProxyGenerator*", "*", MachineryKind::kWork, kClassFiles},
    {"java.lang.reflect.Proxy$ProxyBuilder*", "*", MachineryKind::kWork, kClassFiles},
    {"java.lang.module.*", "*", MachineryKind::kWork, kModules},
    {"jdk.internal.module.*", "*", MachineryKind::kWork, kModules},
    {"java.lang.Module", "define*", MachineryKind::kWork, kModules},
    {"java.lang.Module", "init*", MachineryKind::kWork, kModules},
    {"jdk.internal.loader.*", "*", MachineryKind::kWork, kLoading},
    {"java.lang.ClassLoader", "loadClass*", MachineryKind::kWork, kLoading},
    {"java.lang.ClassLoader", "define*", MachineryKind::kWork, kLoading},
    {"java.lang.ClassLoader", "p*DefineClass*", MachineryKind::kWork, kLoading},
    {"java.lang.ClassLoader", "find*Class*", MachineryKind::kWork, kLoading},
    {"java.lang.ClassLoader", "resolveClass", MachineryKind::kWork, kLoading},
    {"java.lang.ClassLoader", "getClassLoadingLock", MachineryKind::kWork, kLoading},
    {"java.lang.ClassLoader", "check*", MachineryKind::kWork, kLoading},
    {"java.lang.ClassLoader$ParallelLoaders", "*", MachineryKind::kWork, kLoading},
    {"java.security.SecureClassLoader*", "*", MachineryKind::kWork, kLoading},
    {"java.net.URLClassLoader*", "*", MachineryKind::kWork, kLoading},
    {"jdk.internal.misc.CDS*", "*", MachineryKind::kWork, kLoading},
    {"jdk.internal.jimage.*", "*", MachineryKind::kWork, kRuntimeImage},
    {"jdk.internal.jrtfs.*", "*", MachineryKind::kWork, kRuntimeImage},
    {"sun.launcher.*", "*", MachineryKind::kCalls, kLauncher},
    {"jdk.internal.misc.*MethodFinder", "*", MachineryKind::kCalls, kLauncher},
    {"java.lang.System", "initPhase*", MachineryKind::kWork, kStart},
    {"jdk.internal.util.SystemProps*", "*", MachineryKind::kWork, kStart},
    {"jdk.internal.reflect.Reflection*", "*", MachineryKind::kKept, "an image uses it as it is"},
    {"jdk.internal.reflect.*", "*", MachineryKind::kCalls, kAccessors},
    {"java.lang.StackStreamFactory*", "*", MachineryKind::kCalls, kStackWalking},
    {"sun.instrument.*", "*", MachineryKind::kCalls, kAgents},
    {"jdk.internal.vm.VMSupport", "*", MachineryKind::kWork, kAgents},
};

// What the names of a rule's classes begin with. Few classes begin so, and this is quick to see.
constexpr auto kPrefixes = [] {
  std::array<std::string_view, std::size(kRules)> prefixes;
  for (size_t r = 0; r < prefixes.size(); ++r)
    prefixes[r] = kRules[r].classes.substr(0, kRules[r].classes.find_first_of("*?"));
  return prefixes;
}();

static_assert(std::none_of(kPrefixes.begin(), kPrefixes.end(),
                           [](std::string_view prefix) { return prefix.empty(); }));

bool BeginsWith(std::string_view name, std::string_view prefix) {
  return name.size() >= prefix.size() && name[prefix.size() - 1] == prefix.back() &&
         name.starts_with(prefix);
}

}  // namespace

std::span<const MachineryRule> MachineryRules() { return kRules; }

uint64_t MachineryRulesOf(std::string_view class_name) {
  static_assert(std::size(kRules) <= 64);
  if (!IsPlatformClass(class_name)) return 0;
  uint64_t rules = 0;
  for (size_t r = 0; r < std::size(kRules); ++r) {
    if (BeginsWith(class_name, kPrefixes[r]) && GlobMatches(kRules[r].classes, class_name))
      rules |= uint64_t{1} << r;
  }
  return rules;
}

const MachineryRule* FindMachinery(uint64_t rules_of_class, std::string_view method) {
  for (uint64_t rules = rules_of_class; rules != 0; rules &= rules - 1) {
    const MachineryRule& rule = kRules[std::countr_zero(rules)];
    if (!GlobMatches(rule.methods, method)) continue;
    return rule.kind == MachineryKind::kKept ? nullptr : &rule;
  }
  return nullptr;
}

const MachineryRule* FindMachinery(std::string_view class_name, std::string_view method) {
  return FindMachinery(MachineryRulesOf(class_name), method);
}

bool IsPlatformClass(std::string_view class_name) {
  return class_name.starts_with("java.") || class_name.starts_with("jdk.internal.") ||
         class_name.starts_with("sun.");
}

}  // namespace iprof
