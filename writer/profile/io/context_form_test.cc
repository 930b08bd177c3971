// Contexts in their three forms, and what the reader makes of them.
#include "writer/profile/io/context_form.h"

#include <catch2/catch.hpp>
#include <string>

#include "writer/profile/io/reader.h"
#include "writer/profile/io/writer.h"

namespace iprof {
namespace {

// A profile with types p.A (10), p.B (11), p.C (12) and methods 1 to 4 of p.A.
std::string Text(const std::string& tables) {
  std::string text = R"({"version":"1.0.0","types":[)";
  const char* const standard[] = {"boolean", "byte", "short",  "char", "int",
                                  "float",   "long", "double", "void", "java.lang.Object"};
  for (int i = 0; i < 10; ++i)
    text += R"({"id":)" + std::to_string(i) + R"(,"name":")" + standard[i] + "\"},";
  text += R"({"id":10,"name":"p.A"},{"id":11,"name":"p.B"},{"id":12,"name":"p.C"}],"methods":[)"
          R"({"id":1,"name":"f","signature":[10,8]},{"id":2,"name":"g","signature":[10,8]},)"
          R"({"id":3,"name":"h","signature":[10,8]},{"id":4,"name":"i","signature":[10,8]}],)";
  return text + tables + "}";
}

Profile Read(const std::string& text) {
  Result<Profile> profile = ReadProfileText(text);
  INFO(profile.status().message());
  REQUIRE(profile.ok());
  return std::move(*profile);
}

std::string Written(const Profile& profile) {
  Result<std::string> text = WriteProfileText(profile);
  REQUIRE(text.ok());
  return std::move(*text);
}

// Without types and methods.
std::string Tables(const Profile& profile) {
  const std::string text = Written(profile);
  const std::string before = R"("signature":[10,8]}],)";
  return text.substr(text.rfind(before) + before.size());
}

Profile Inclusive(const std::string& tables) {
  Result<Profile> made = ToInclusive(Read(Text(tables)));
  REQUIRE(made.ok());
  return std::move(*made);
}

const std::string kCalls =
    R"("callCountProfiles":[{"ctx":"1:0","records":[50]},{"ctx":"1:0<2:3","records":[100]},)"
    R"({"ctx":"1:0<2:3<3:1","records":[600]},{"ctx":"4:0<2:9","records":[7]}])";

TEST_CASE("in inclusive contexts, each has the executions of all longer ones") {
  CHECK(Tables(Inclusive(kCalls)) ==
        R"("callCountProfiles":[{"ctx":"1:0","records":[750]},{"ctx":"1:0<2:3","records":[700]},)"
        R"({"ctx":"1:0<2:3<3:1","records":[600]},{"ctx":"4:0<2:9","records":[7]},)"
        R"({"ctx":"4:0","records":[7]}],)"
        R"("iprofagent":{"version":1,"contexts":{"form":"inclusive"}}})");
}

TEST_CASE("without callers, each position has the sum") {
  CHECK(Tables(WithoutCallers(Read(Text(kCalls)))) ==
        R"("callCountProfiles":[{"ctx":"1:0","records":[750]},{"ctx":"4:0","records":[7]}]})");
}

TEST_CASE("what is read is disjoint, and the same as before") {
  const std::string section = R"(,"iprofagent":{"version":1,"later":{"a":1}})";
  for (
      const std::string& tables :
      {kCalls + section,
       // A caller is left out in the middle; branches; receivers, the largest first.
       R"("callCountProfiles":[{"ctx":"1:0<2:3<3:1<4:2","records":[9]},{"ctx":"1:0","records":[1]}])" +
           section,
       R"("conditionalProfiles":[{"ctx":"1:5<2:3","records":[9,0,70,6,1,0]},)"
       R"({"ctx":"1:5","records":[9,0,0,6,1,30]},{"ctx":"1:5<2:4","records":[9,0,1,6,1,1]}])" +
           section,
       R"("virtualInvokeProfiles":[{"ctx":"1:5","records":[11,5,10,2]},)"
       R"({"ctx":"1:5<2:3","records":[12,40,10,8]},{"ctx":"1:5<2:4","records":[10,3,11,3]}])" +
           section,
       R"("samplingProfiles":[{"ctx":"1:5","records":[5]},{"ctx":"1:5<2:3","records":[4]}])" +
           section}) {
    const std::string text = Text(tables);
    const std::string inclusive = Written(Inclusive(tables));
    CHECK(inclusive != text);
    CHECK(Written(Read(inclusive)) == text);
  }
}

TEST_CASE("receivers of inclusive contexts add up by class") {
  CHECK(Tables(Inclusive(R"("virtualInvokeProfiles":[{"ctx":"1:5","records":[11,5,10,2]},)"
                         R"({"ctx":"1:5<2:3","records":[12,40,10,8]}])")) ==
        R"("virtualInvokeProfiles":[{"ctx":"1:5","records":[12,40,10,10,11,5]},)"
        R"({"ctx":"1:5<2:3","records":[12,40,10,8]}],)"
        R"("iprofagent":{"version":1,"contexts":{"form":"inclusive"}}})");
}

TEST_CASE("an inclusive file without some of the shorter contexts is read") {
  const std::string tables =
      R"("callCountProfiles":[{"ctx":"1:0","records":[750]},{"ctx":"1:0<2:3<3:1","records":[600]}],)"
      R"("iprofagent":{"version":1,"contexts":{"form":"inclusive"}})";
  CHECK(
      Tables(Read(Text(tables))) ==
      R"("callCountProfiles":[{"ctx":"1:0","records":[150]},{"ctx":"1:0<2:3<3:1","records":[600]}]})");
}

TEST_CASE("inclusive contexts with fewer executions than longer ones are refused") {
  const auto problem = [](const std::string& table) {
    return ReadProfileText(
               Text(table + R"(,"iprofagent":{"version":1,"contexts":{"form":"inclusive"}})"),
               "a.iprof")
        .status()
        .message();
  };
  CHECK(problem(R"("callCountProfiles":[{"ctx":"1:0","records":[5]},)"
                R"({"ctx":"1:0<2:3","records":[4]},{"ctx":"1:0<2:4","records":[2]}])") ==
        "a.iprof: contexts are said to be inclusive, but 1:0 in callCountProfiles has fewer "
        "executions than the longer contexts that begin with it");
  CHECK_THAT(problem(R"("conditionalProfiles":[{"ctx":"1:5","records":[9,0,9,6,1,1]},)"
                     R"({"ctx":"1:5<2:3","records":[9,0,3,6,1,2]}])"),
             Catch::Contains("1:5 in conditionalProfiles"));
  CHECK_THAT(problem(R"("virtualInvokeProfiles":[{"ctx":"1:5","records":[11,50]},)"
                     R"({"ctx":"1:5<2:3","records":[12,1]}])"),
             Catch::Contains("1:5 in virtualInvokeProfiles"));
}

TEST_CASE("counts whose sum does not fit stay disjoint") {
  const std::string most = std::to_string(INT64_MAX);
  const Result<Profile> made =
      ToInclusive(Read(Text(R"("callCountProfiles":[{"ctx":"1:0","records":[)" + most +
                            R"(]},{"ctx":"1:0<2:3","records":[1]}])")));
  CHECK(made.status().code() == Code::kLimit);
  CHECK(made.status().message() ==
        "the counts of 1:0<2:3 in callCountProfiles and of its other callers do not fit into 63 "
        "bits");
  CHECK(ToInclusive(Read(Text(R"("callCountProfiles":[{"ctx":"1:0","records":[)" + most + "]}]")))
            .ok());
}

TEST_CASE("a section of a later version cannot say that contexts are inclusive") {
  const Result<Profile> made = ToInclusive(Read(Text(kCalls + R"(,"iprofagent":{"version":2})")));
  CHECK(made.status().code() == Code::kUnsupported);
}

TEST_CASE("tables with callers are told from those without") {
  const Profile profile = Read(Text(kCalls));
  CHECK(HasCallers(profile, Table::kCalls));
  CHECK_FALSE(HasCallers(WithoutCallers(profile), Table::kCalls));
  CHECK_FALSE(HasCallers(profile, Table::kConditionals));
}

}  // namespace
}  // namespace iprof
