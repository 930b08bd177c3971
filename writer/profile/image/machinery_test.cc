#include "writer/profile/image/machinery.h"

#include <catch2/catch.hpp>
#include <fstream>
#include <set>
#include <string>

namespace iprof {
namespace {

bool IsMachinery(std::string_view class_name, std::string_view method = "m") {
  return FindMachinery(class_name, method) != nullptr;
}

TEST_CASE("what only a JVM runs") {
  for (const char* name :
       {"java.lang.invoke.MethodHandles$Lookup", "sun.invoke.util.Wrapper",
        "jdk.internal.classfile.impl.DirectCodeBuilder", "jdk.internal.org.objectweb.asm.Frame",
        "java.lang.module.Configuration", "jdk.internal.module.SystemModuleFinders",
        "jdk.internal.loader.BuiltinClassLoader", "jdk.internal.jimage.ImageReader",
        "sun.launcher.LauncherHelper", "java.lang.reflect.ProxyGenerator$ProxyMethod",
        "jdk.internal.reflect.DirectMethodHandleAccessor"}) {
    INFO(name);
    CHECK(IsMachinery(name));
  }
  CHECK(IsMachinery("java.lang.ClassLoader", "loadClass"));
  CHECK(IsMachinery("java.lang.ClassLoader", "findBootstrapClassOrNull"));
  CHECK(IsMachinery("java.lang.System", "initPhase1"));
  CHECK(IsMachinery("java.lang.Module", "defineModules"));
}

TEST_CASE("what an image runs, too") {
  for (const char* name :
       {"java.lang.String", "java.lang.invoke.VarHandleInts$Array", "java.util.HashMap",
        "jdk.internal.reflect.Reflection", "jdk.internal.misc.Unsafe",
        // Names of a program that look similar.
        "a.java.lang.invoke.X", "java.lang.invokes.X", "sunny.launcher.X"}) {
    INFO(name);
    CHECK_FALSE(IsMachinery(name));
  }
  CHECK_FALSE(IsMachinery("java.lang.ClassLoader", "getResource"));
  CHECK_FALSE(IsMachinery("java.lang.ClassLoader", "getSystemClassLoader"));
  CHECK_FALSE(IsMachinery("java.lang.System", "getProperty"));
  CHECK_FALSE(IsMachinery("java.lang.runtime.SwitchBootstraps", "doTypeSwitch"));
}

TEST_CASE("each rule has a reason and a unique pattern, and exceptions name their rule") {
  std::set<std::string> patterns;
  for (const MachineryRule& rule : MachineryRules()) {
    INFO(rule.classes << " " << rule.methods);
    CHECK_FALSE(rule.reason.empty());
    CHECK(IsPlatformClass(rule.classes));
    CHECK(patterns.insert(std::string(rule.classes) + " " + std::string(rule.methods)).second);
  }
}

TEST_CASE("docs/image.md has exactly these rules") {
  std::string expected;
  for (const MachineryRule& rule : MachineryRules()) {
    const char* kind = rule.kind == MachineryKind::kKept    ? "kept"
                       : rule.kind == MachineryKind::kCalls ? "left out, what it calls is kept"
                                                            : "left out";
    expected += "| `" + std::string(rule.classes) + "` | " +
                (rule.methods == "*" ? "all" : "`" + std::string(rule.methods) + "`") + " | " +
                kind + " |\n";
  }
  std::ifstream file(IPROF_SOURCE_DIR "/docs/image.md");
  REQUIRE(file);
  std::string found;
  for (std::string line; std::getline(file, line);) {
    if (line.starts_with("| `j") || line.starts_with("| `sun.")) found += line + "\n";
  }
  CHECK(found == expected);
}

}  // namespace
}  // namespace iprof
