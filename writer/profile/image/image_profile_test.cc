#include "writer/profile/image/image_profile.h"

#include <catch2/catch.hpp>
#include <string>

#include "writer/profile/example_profiles.h"
#include "writer/profile/image/image_note.h"
#include "writer/profile/image/sample_split.h"
#include "writer/profile/image/write_for_image.h"
#include "writer/profile/io/agent_section.h"
#include "writer/profile/io/estimate_note.h"
#include "writer/profile/io/reader.h"
#include "writer/profile/io/writer.h"

namespace iprof {
namespace {

constexpr const char* kTypes =
    R"({"version":"1.0.0","types":[{"id":8,"name":"void"},{"id":9,"name":"java.lang.Object"},)"
    R"({"id":20,"name":"a.Main"},{"id":21,"name":"java.lang.Class"},{"id":22,"name":"java.lang.String"},)"
    R"({"id":30,"name":"java.lang.invoke.MethodType"},{"id":31,"name":"java.lang.module.Resolver"}],)"
    R"("methods":[{"id":1,"name":"main","signature":[20,8]},{"id":2,"name":"getName","signature":[21,22]},)"
    R"({"id":3,"name":"hashCode","signature":[22,8]},{"id":4,"name":"form","signature":[30,8]},)"
    R"({"id":5,"name":"takes","signature":[20,8,30]},{"id":6,"name":"resolve","signature":[31,8]},)"
    R"({"id":7,"name":"cast","signature":[21,9,9]}])";

Profile Read(const std::string& text) {
  Result<Profile> read = ReadProfileText(text);
  if (!read.ok()) FAIL(read.status().message() << "\nin " << text);
  return std::move(*read);
}

std::string Written(const Profile& profile) {
  StringSink sink;
  REQUIRE(WriteForImage(profile, {}, sink).ok());
  return sink.text();
}

// The tables of the image's profile, without types, methods and the note.
std::string TablesOf(const ImageProfile& made) {
  const std::string text = Written(made.profile);
  const size_t begin = text.find("]}],\"", text.find("\"methods\"")) + 3;
  return text.substr(begin, text.find(",\"iprofagent\"") - begin);
}

ImageProfile Filtered(const std::string& tables) {
  return MakeImageProfile(Read(kTypes + tables + "}"), ImageTarget::k25);
}

TEST_CASE("calls: of replaced methods too, not of machinery; callers are cut") {
  const ImageProfile made =
      Filtered(R"(,"callCountProfiles":[{"ctx":"1:0","records":[5]},{"ctx":"2:0","records":[6]},)"
               R"({"ctx":"4:0","records":[7]},{"ctx":"3:0<4:9<1:3","records":[8]},)"
               R"({"ctx":"3:0","records":[1]}])");
  CHECK(TablesOf(made) ==
        R"(,"callCountProfiles":[{"ctx":"1:0","records":[5]},{"ctx":"2:0","records":[6]},)"
        R"({"ctx":"3:0","records":[9]}])");
  CHECK(made.contexts_cut == 1);
  CHECK(made.share.Of(Table::kCalls) == ImageShare::Part{5, 4, 27, 20});
}

TEST_CASE("the share of estimated calls is that of the calls that are kept") {
  const ImageProfile made =
      Filtered(R"(,"callCountProfiles":[{"ctx":"1:0","records":[5]},{"ctx":"4:0","records":[7]},)"
               R"({"ctx":"3:0<4:9","records":[5]}],"iprofagent":{"version":1,"estimates":{"calls":)"
               R"({"a.Main.main()void":4,"java.lang.invoke.MethodType.form()void":6}}})");
  const AgentSection section = AgentSection::Of(made.profile);
  REQUIRE(section.Part(kEstimatesPart));
  CHECK(*section.Part(kEstimatesPart) == R"({"calls":{"a.Main.main()void":4}})");
  CHECK(EstimateNote::Parse(*section.Part(kEstimatesPart))
            ->ShareOf(made.profile.Total(Table::kCalls)) == 0.4);
}

TEST_CASE("branches, receivers and checks in replaced methods are left out") {
  const ImageProfile made = Filtered(
      R"(,"conditionalProfiles":[{"ctx":"1:3","records":[9,0,1,6,1,2]},{"ctx":"2:3","records":[9,0,1,6,1,2]},)"
      R"({"ctx":"1:8","records":[12,0,3,12,1,4]},{"ctx":"1:20","records":[40,0,1,30,1,2,-5,0,3]}],)"
      R"("virtualInvokeProfiles":[{"ctx":"1:5","records":[22,3]},{"ctx":"2:5","records":[22,3]},)"
      R"({"ctx":"3:5<1:1","records":[22,3,20,1]},{"ctx":"3:5<2:1","records":[20,4]},)"
      R"({"ctx":"3:5","records":[21,1]}])");
  // One triple for each target; entries that become one are added up, the largest first.
  CHECK(TablesOf(made) ==
        R"(,"conditionalProfiles":[{"ctx":"1:3","records":[9,0,1,6,1,2]},)"
        R"({"ctx":"1:8","records":[12,0,7]},{"ctx":"1:20","records":[40,0,4,30,1,2]}],)"
        R"("virtualInvokeProfiles":[{"ctx":"1:5","records":[22,3]},)"
        R"({"ctx":"3:5<1:1","records":[22,3,20,1]},{"ctx":"3:5","records":[20,4,21,1]}])");
}

TEST_CASE("samples: no frame is at a position that the image's body may not have") {
  const ImageProfile made = Filtered(
      R"(,"samplingProfiles":[{"ctx":"3:4<1:7","records":[10]},{"ctx":"2:69<1:7","records":[1]},)"
      R"({"ctx":"2:33<1:7","records":[2]},{"ctx":"3:4<2:69<1:7","records":[4]},)"
      R"({"ctx":"3:4<4:1<1:7","records":[8]}])");
  CHECK(TablesOf(made) ==
        R"(,"samplingProfiles":[{"ctx":"3:4<1:7","records":[10]},{"ctx":"2:0<1:7","records":[3]},)"
        R"({"ctx":"3:4","records":[4]}])");
  // The last one is left out, and its method with it.
  CHECK(AgentPart(Read(Written(made.profile)), kSplitPart) ==
        R"({"sites":0,"complete":true,"methods":[[4,"form",30,8]],)"
        R"("whole":[["2:33<1:7",2,-1,2],["2:69<*1",1,-1,2],["3:4<*2",4,0,1],["3:4<4:1<*1",8]]})");
  CHECK(made.profile.Total(Table::kSamples) == 25);
  CHECK(made.share.Of(Table::kSamples) == ImageShare::Part{5, 4, 25, 17});
}

TEST_CASE("types and methods of machinery are left out if nothing names them") {
  const ImageProfile made = Filtered(R"(,"monitorProfiles":[{"ctx":"0:0","records":[31,2]}])");
  std::string methods;
  for (const MethodIndex m : MethodsOf(made.profile)) {
    methods +=
        made.profile.DescribeMethod(m) + " " + std::to_string(made.profile.MethodFileId(m)) + "\n";
  }
  CHECK(methods ==
        "a.Main.main()void 1\njava.lang.Class.getName()java.lang.String 2\n"
        "java.lang.String.hashCode()void 3\na.Main.takes(java.lang.invoke.MethodType)void 5\n"
        "java.lang.Class.cast(java.lang.Object)java.lang.Object 7\n");
  CHECK(made.methods_left_out == 2);
  CHECK(made.types_left_out == 0);  // entries still name both
  CHECK(Filtered("").types_left_out == 1);
  CHECK(made.profile.Total(Table::kMonitors) == 2);
}

TEST_CASE("the note says so, other keys stay") {
  for (const char* keys :
       {R"(,"x":[1],"iprofImage":{"target":17,"filtered":false},"iprofSampling":{})",
        R"(,"iprofagent":{"version":1,"image":{"target":17},"sampling":{}},"x":[1])"}) {
    const ImageProfile made = Filtered(keys);
    CHECK(ImageNote::Of(made.profile) == ImageNote{ImageTarget::k25, true});
    REQUIRE(made.profile.extras().size() == 2);
    CHECK(made.profile.extras()[0] == ExtraKey{"x", "[1]"});
    CHECK(made.profile.extras()[1].json ==
          R"({"version":1,"image":{"target":25,"filtered":true},"sampling":{}})");
  }
  // A section that we cannot read is kept, and so are the older keys.
  const ImageProfile kept = Filtered(R"(,"iprofagent":{"version":2},"iprofLines":{})");
  REQUIRE(kept.profile.extras().size() == 2);
  CHECK(kept.profile.extras()[0] == ExtraKey{"iprofagent", R"({"version":2})"});
  CHECK(kept.profile.extras()[1] == ExtraKey{"iprofLines", "{}"});
  CHECK(ImageNote::Parse("{ \"target\": 21,\n\"filtered\": false }") ==
        ImageNote{ImageTarget::k21, false});
  CHECK(ImageNote::Parse(R"({"later":[{}],"filtered":true,"target":17})") ==
        ImageNote{ImageTarget::k17, true});
  for (const char* text : {"[]", "{}", R"({"target":17})", R"({"filtered":true})",
                           R"({"target":"17","filtered":true})", R"({"target":17,"filtered":1})",
                           R"({"target":17,"filtered":true)"}) {
    INFO(text);
    CHECK_FALSE(ImageNote::Parse(text));
  }
  CHECK_FALSE(ImageNote::Parse(R"({"target":17,"filtered":true,"x":[)" + std::string(100000, '[')));
  CHECK_FALSE(ImageNote::Parse(R"({"target":18,"filtered":true})"));
  CHECK_FALSE(ImageNote::Parse(""));
  CHECK_FALSE(ImageNote::Of(Read(std::string(kTypes) + "}")));
}

TEST_CASE("filtering again changes nothing, and all of it can be used") {
  for (uint64_t seed = 0; seed < 300; ++seed) {
    INFO("seed " << seed);
    const Profile from = MakeRandomProfile(seed);
    for (const ImageTarget target : {ImageTarget::k17, ImageTarget::k25}) {
      const ImageProfile once = MakeImageProfile(from, target);
      const ImageProfile twice = MakeImageProfile(once.profile, target);
      REQUIRE(FirstDifference(once.profile, twice.profile) == "");
      // Samples stay whole until they are written.
      const std::string file = Written(once.profile);
      const Profile read = Read(file);
      REQUIRE(Written(read) == file);
      if (from.Total(Table::kSamples) < INT64_MAX)
        REQUIRE(read.Total(Table::kSamples) == from.Total(Table::kSamples));
      for (const Table table : kAllTables) {
        const ImageShare::Part part = twice.share.Of(table);
        if (table != Table::kSamples) REQUIRE(part.entries == part.usable_entries);
      }
      for (const Table table : kAllTables) {
        REQUIRE(once.profile.Total(table) <= from.Total(table));
        REQUIRE(once.share.Of(table).entries == from.entry_count(table));
      }
      const Result<std::string> text = WriteProfileText(once.profile);
      REQUIRE(text.ok());
      REQUIRE(ReadProfileText(*text).ok());
    }
  }
}

}  // namespace
}  // namespace iprof
