#include "cli/classpath/manifest.h"

#include <catch2/catch.hpp>

using namespace iprof::classpath;

TEST_CASE("A manifest names further archives and versions of classes") {
  const Manifest manifest = ParseManifest(
      "Manifest-Version: 1.0\r\n"
      "class-path: lib/one.jar  lib/\r\n two.jar file:/opt/three.jar\r\n"
      "Multi-Release: TRUE\r\n"
      "\r\n"
      "Name: x\r\n"
      "Class-Path: four.jar\r\n");
  CHECK(manifest.is_multi_release);
  CHECK(manifest.class_path ==
        std::vector<std::string>{"lib/one.jar", "lib/two.jar", "file:/opt/three.jar"});
}

TEST_CASE("Lines of a manifest end with any of the three ends, the last one with none") {
  for (const char* const end : {"\n", "\r", "\r\n"}) {
    const std::string text = std::string("A: b") + end + "Class-Path: x" + end + " y";
    CHECK(ParseManifest(text).class_path == std::vector<std::string>{"xy"});
  }
  CHECK(!ParseManifest("Multi-Release: true1").is_multi_release);
  CHECK(!ParseManifest("Multi-Release").is_multi_release);
  CHECK(ParseManifest("").class_path.empty());
}

TEST_CASE("An entry of a manifest's class path is a URL relative to the jar") {
  CHECK(PathOfManifestEntry("lib", "x.jar") == "lib/x.jar");
  CHECK(PathOfManifestEntry("", "x.jar") == "x.jar");
  CHECK(PathOfManifestEntry("lib", "../a%20b%2Fc.jar") == "lib/../a b/c.jar");
  CHECK(PathOfManifestEntry("lib", "/opt/x.jar") == "/opt/x.jar");
  CHECK(PathOfManifestEntry("lib", "file:/opt/x.jar") == "/opt/x.jar");
  CHECK(PathOfManifestEntry("lib", "file:///opt/x.jar") == "/opt/x.jar");
  CHECK(PathOfManifestEntry("lib", "file:x.jar") == "lib/x.jar");
  CHECK(PathOfManifestEntry("lib", "http://example.org/x.jar").empty());
  CHECK(PathOfManifestEntry("lib", "100%.jar") == "lib/100%.jar");
  CHECK(PathOfManifestEntry("lib", "%00").empty());
  CHECK(PathOfManifestEntry("lib", "").empty());
}
