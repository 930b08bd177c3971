#include "writer/names/jdk_classes.h"

#include <algorithm>
#include <array>

namespace iprof {
namespace {

// Packages whose classes and subpackages are the JDK's.
constexpr std::array kPackages = std::to_array<std::string_view>({"java",
                                                                  "jdk",
                                                                  "sun",
                                                                  "com.sun.accessibility.internal",
                                                                  "com.sun.beans",
                                                                  "com.sun.crypto.provider",
                                                                  "com.sun.imageio",
                                                                  "com.sun.jarsigner",
                                                                  "com.sun.java.accessibility",
                                                                  "com.sun.java.swing",
                                                                  "com.sun.java.util.jar.pack",
                                                                  "com.sun.java_cup.internal",
                                                                  "com.sun.jdi",
                                                                  "com.sun.jmx",
                                                                  "com.sun.jndi",
                                                                  "com.sun.management",
                                                                  "com.sun.media.sound",
                                                                  "com.sun.naming.internal",
                                                                  "com.sun.net.httpserver",
                                                                  "com.sun.net.ssl",
                                                                  "com.sun.nio",
                                                                  "com.sun.org.apache",
                                                                  "com.sun.rowset",
                                                                  "com.sun.security",
                                                                  "com.sun.source",
                                                                  "com.sun.swing.internal",
                                                                  "com.sun.tools",
                                                                  "javax.accessibility",
                                                                  "javax.annotation.processing",
                                                                  "javax.crypto",
                                                                  "javax.imageio",
                                                                  "javax.lang.model",
                                                                  "javax.management",
                                                                  "javax.naming",
                                                                  "javax.net",
                                                                  "javax.print",
                                                                  "javax.rmi.ssl",
                                                                  "javax.script",
                                                                  "javax.security.auth",
                                                                  "javax.security.cert",
                                                                  "javax.security.sasl",
                                                                  "javax.smartcardio",
                                                                  "javax.sound",
                                                                  "javax.sql",
                                                                  "javax.swing",
                                                                  "javax.tools",
                                                                  "javax.transaction.xa",
                                                                  "javax.xml.catalog",
                                                                  "javax.xml.crypto",
                                                                  "javax.xml.datatype",
                                                                  "javax.xml.namespace",
                                                                  "javax.xml.parsers",
                                                                  "javax.xml.stream",
                                                                  "javax.xml.transform",
                                                                  "javax.xml.validation",
                                                                  "javax.xml.xpath",
                                                                  "netscape.javascript",
                                                                  "org.ietf.jgss",
                                                                  "org.jcp.xml.dsig.internal",
                                                                  "org.w3c.dom",
                                                                  "org.xml.sax"});

constexpr std::array kPrimitives = std::to_array<std::string_view>(
    {"boolean", "byte", "short", "char", "int", "float", "long", "double", "void"});

bool IsWithin(std::string_view class_name, std::string_view package) {
  return class_name.size() > package.size() && class_name[package.size()] == '.' &&
         class_name.starts_with(package);
}

}  // namespace

bool IsJdkClass(std::string_view class_name) {
  if (class_name.starts_with('[')) {
    class_name.remove_prefix(std::min(class_name.find_first_not_of('['), class_name.size()));
    if (!class_name.starts_with('L')) return true;  // of a primitive type
    class_name.remove_prefix(1);
  }
  return std::ranges::find(kPrimitives, class_name) != kPrimitives.end() ||
         std::ranges::any_of(
             kPackages, [&](std::string_view package) { return IsWithin(class_name, package); });
}

}  // namespace iprof
