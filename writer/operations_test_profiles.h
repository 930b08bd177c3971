// Small profiles in iprof text for the operations' tests, and ways to compare what comes out.
#pragma once

#include <catch2/catch.hpp>
#include <string>

#include "writer/model.h"
#include "writer/reader.h"
#include "writer/writer.h"

namespace iprof {

inline Profile Parse(const std::string& text) {
  Result<Profile> read = ReadProfileText(text);
  if (!read.ok()) FAIL(read.status().message() << "\nin " << text);
  return std::move(*read);
}

// a.Main: main(1), loop(2); a.Shape.area(3), a.Circle.area(4).
inline Profile ParseTables(const std::string& tables) {
  return Parse(
      R"({"version":"1.0.0","types":[{"id":8,"name":"void"},{"id":10,"name":"a.Main"},)"
      R"({"id":11,"name":"a.Shape"},{"id":12,"name":"a.Circle"}],"methods":[)"
      R"({"id":1,"name":"main","signature":[10,8]},{"id":2,"name":"loop","signature":[10,8]},)"
      R"({"id":3,"name":"area","signature":[11,8]},{"id":4,"name":"area","signature":[12,8]}])" +
      tables + "}");
}

inline std::string Text(const Profile& profile) {
  WriteOptions options;
  options.version = FormatVersion::k1_1_0;
  options.pretty = true;
  Result<std::string> text = WriteProfileText(profile, options);
  if (!text.ok()) FAIL(text.status().message());
  return *text;
}

inline MethodIndex MethodNamed(const Profile& profile, const std::string& name) {
  for (const MethodIndex method : MethodsOf(profile)) {
    if (profile.DescribeMethod(method) == name) return method;
  }
  FAIL("no method " << name);
  return kNoMethod;
}

}  // namespace iprof
