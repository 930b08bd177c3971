#include "cli/views/report/report_data.h"

#include <catch2/catch.hpp>

#include "writer/profile/example_profiles.h"
#include "writer/profile/io/reader.h"
#include "writer/profile/sample_threads.h"

namespace iprof {
namespace {

Profile Parse(const std::string& text) {
  Result<Profile> read = ReadProfileText(text);
  if (!read.ok()) FAIL(read.status().message() << "\nin " << text);
  return std::move(*read);
}

std::string DataOf(const Profile& profile, const ReportOptions& options = {}) {
  const ReportInput input{"app.iprof", &profile};
  return WriteReportData({&input, 1}, options);
}

bool IsJson(const std::string& text) {
  Result<Profile> read =
      ReadProfileText(R"({"version":"1.0.0","types":[],"methods":[],"x":)" + text + "}");
  return read.ok();
}

void CheckHas(const std::string& text, const std::string& part) {
  INFO(text);
  CHECK(text.find(part) != std::string::npos);
}

// The number behind "key":, or -1.
int64_t Number(const std::string& text, const std::string& key) {
  const size_t at = text.find("\"" + key + "\":");
  return at == std::string::npos ? -1 : std::atoll(text.c_str() + at + key.size() + 3);
}

const char* const kShapes =
    R"({"version":"1.0.0","types":[{"id":4,"name":"int"},{"id":8,"name":"void"},{"id":10,"name":"a.Main"},)"
    R"({"id":11,"name":"a.Circle"}],"methods":[{"id":1,"name":"main","signature":[10,8]},)"
    R"({"id":2,"name":"loop","signature":[10,8,4]},{"id":3,"name":"area","signature":[11,4]}],)"
    R"("callCountProfiles":[{"ctx":"2:0","records":[9]},{"ctx":"3:0","records":[90]}],)"
    R"("conditionalProfiles":[{"ctx":"2:3","records":[53,0,90,14,1,10]}],)"
    R"("virtualInvokeProfiles":[{"ctx":"2:7","records":[11,75]}],)"
    R"("samplingProfiles":[{"ctx":"3:2<2:7<1:5","records":[5]}],)"
    R"("iprofagent":{"version":1,"lines":{"a.Circle.area()int":{"2":31}}}})";

class OneListing : public ListingSource {
 public:
  std::optional<MethodListing> Find(const Profile& names, MethodIndex method) override {
    ++asked;
    if (names.MethodName(method) != "loop") return std::nullopt;
    MethodListing listing;
    listing.instructions = {
        {3, "ifeq", "", {14}, true, false, ""},
        {6, "invokevirtual", "a.Circle.area()int", {}, true, false, "a.Circle.area()int"},
        {9, "return", "", {}, false, false, ""},
        {14, "return", "", {}, false, false, ""}};
    listing.lines = {{3, 20}, {9, 22}};
    listing.source_file = "Main.java";
    listing.first_line = 19;
    listing.source = {"void loop(int n) {", "  if (n < 3) {"};
    return listing;
  }
  int asked = 0;
};

}  // namespace

TEST_CASE("threads have flame graphs of their own, and other figures do not know them") {
  std::string text = kShapes;
  const std::string section = R"("iprofagent":{"version":1,)";
  text.replace(text.find(section), section.size(),
               section + R"("split":{"sites":0,"whole":[],"threads":["pool-*"],"of":[[0,0,3]]},)");
  const Profile with_threads = Parse(text);
  const Profile plain = WithoutThreads(Parse(text));
  const ReportInput input{"app.iprof", &plain, &with_threads};
  std::string data = WriteReportData({&input, 1}, {});
  CHECK(IsJson(data));
  // main, loop and area, as in "flame", with 3 of the 5 samples.
  const std::string threads =
      R"("threads":[["pool-*",3,[0,2,3,-6,3,1,1,1,3,-8,3,1,2,0,3,31,3,1]]],)";
  CheckHas(data, threads);
  data.erase(data.find(threads), threads.size());
  CHECK(data == DataOf(Parse(kShapes)));
}

TEST_CASE("frames know the periods of their samples, for each thread and in all") {
  std::string text = kShapes;
  const std::string section = R"("iprofagent":{"version":1,)";
  text.replace(text.find(section), section.size(),
               section + R"("split":{"sites":0,"whole":[],"threads":["pool-*"],"of":[[0,0,3]],)"
                         R"("seconds":[2,6],"during":[[0,1,1,2]]},)");
  const Profile labelled = Parse(text);
  const Profile plain = WithoutThreads(Parse(text));
  const ReportInput input{"app.iprof", &plain, &labelled};
  std::string data = WriteReportData({&input, 1}, {});
  CHECK(IsJson(data));
  // The end of the last period is second 8. main, loop and area have 3 samples that know their time.
  const std::string times = R"("seconds":[2,6,8],"times":[[0,1,1,2],[0,1,1,2],[0,1,1,2]],)";
  CheckHas(data, times);
  const std::string of_thread = ",[[0,1,1,2],[0,1,1,2],[0,1,1,2]]]],";
  CheckHas(data, of_thread);
  data.erase(data.find(times), times.size());
  data.replace(data.find(of_thread), of_thread.size(), "]],");
  const size_t threads = data.find(R"("threads":)");
  REQUIRE(threads != std::string::npos);
  data.erase(threads, data.find(R"("methods":[)") - threads);
  CHECK(data == DataOf(Parse(kShapes)));
}

TEST_CASE("the hot set is told, with as much code as is known") {
  // loop has 9 calls and 100 branch executions, area 90 calls: both are needed for 99.9 %.
  CheckHas(
      DataOf(Parse(kShapes)),
      R"("hot":{"methods":2,"all_methods":2,"code_bytes":0,"all_code_bytes":0,"unknown_lengths":2})");
}

TEST_CASE("the data of a profile are one JSON object") {
  const std::string data = DataOf(Parse(kShapes));
  CHECK(IsJson(data));
  // loop: two branch outcomes, one receiver; numbers are types in order of appearance.
  CheckHas(data, R"([[1,3,0,100,[53,90,14,10],0],[2,7,0,75,[)");
  // main, loop and area as one stack; area is at line 31.
  CheckHas(data, R"("flame":[0,)");
  CheckHas(data, R"(,5,31,5,1])");
  CHECK(Number(data, "all_frames") == 3);
}

TEST_CASE("a method has the mark of how sure its counts are, if the profile says so") {
  Profile profile = Parse(kShapes);
  CHECK(DataOf(profile).find(R"("M"])") == std::string::npos);
  const TypeIndex signature[] = {*profile.FindType("a.Main"), *profile.FindType("void"),
                                 *profile.FindType("int")};
  profile.AddSureness(profile.FindMethod("loop", signature).value(), Sureness::EstimatedFrom(5000));
  CheckHas(DataOf(profile), R"([9,0,5,100,75,"M"])");
}

TEST_CASE("no name can end the element that holds the data") {
  std::string text = kShapes;
  text.replace(text.find("a.Circle"), 8, "a.</script><script>alert(1)<!--");
  const std::string data = DataOf(Parse(text));
  CHECK(data.find('<') == std::string::npos);
  CheckHas(data, "a.\\u003c/script>\\u003cscript>alert(1)\\u003c!--");
  CHECK(IsJson(data));
  CHECK(IsJson(DataOf(MakeRandomProfile(7))));
}

TEST_CASE("bytecode has the executions of its blocks, and sources") {
  OneListing listings;
  ReportOptions options;
  options.listings = &listings;
  const std::string data = DataOf(Parse(kShapes), options);
  CHECK(IsJson(data));
  CHECK(listings.asked > 0);
  CheckHas(data, R"("lines":[3,20,9,22])");
  CheckHas(data, R"([3,"ifeq","",[14],-1])");
  // Nothing else is known of the way that falls through, because 53 is not in this code.
  CheckHas(data, R"("blocks":[3,9,6,)");
  CheckHas(data, R"("first_line":19,"source":["void loop(int n) {","  if (n \u003c 3) {"])");
  CHECK(Number(data, "with_code") == 1);
  CHECK(Number(data, "all_fits") == -1);
}

TEST_CASE("packages that were compared with class files, the first ones and their number") {
  ReportOptions options;
  options.fits = {{"com.acme", 90, 80, 70}, {"", 5, 5, 5}};
  CheckHas(DataOf(Parse(kShapes), options),
           R"json("fits":["com.acme",90,80,70,"(default)",5,5,5],"all_fits":2)json");
  options.fits.assign(100, {"a", 1, 1, 1});
  CheckHas(DataOf(Parse(kShapes), options), R"("a",1,1,1],"all_fits":100)");
}

TEST_CASE("a comparison has pairs of counts") {
  const Profile old_profile = Parse(kShapes);
  std::string text = kShapes;
  text.replace(text.find("[90]"), 4, "[45]");
  text.replace(text.find("[53,0,90,14,1,10]"), 17, "[53,0,10,14,1,90]");
  const Profile new_profile = Parse(text);
  const ReportInput inputs[] = {{"old.iprof", &old_profile}, {"new.iprof", &new_profile}};
  const std::string data = WriteReportData(inputs, {});
  CHECK(IsJson(data));
  CheckHas(data, "[[90,45],");
  CheckHas(data, R"("changes":[[1,0,)");
}

TEST_CASE("a large profile is cut to size, and the data say so") {
  const Profile profile = MakeShapedProfile(1, 3);
  ReportOptions options;
  const std::string whole = DataOf(profile, options);
  CHECK(whole.size() <= options.most_bytes);
  options.most_bytes = whole.size() / 4;
  const std::string cut = DataOf(profile, options);
  CHECK(IsJson(cut));
  CHECK(cut.size() <= options.most_bytes * 6 / 5);
  const size_t at = cut.find("\"cut\":");
  REQUIRE(at != std::string::npos);
  const std::string said = cut.substr(at);
  CHECK(Number(said, "methods") > 0);
  CHECK(Number(said, "methods") < Number(said, "all_methods"));
  CHECK(Number(whole.substr(whole.find("\"cut\":")), "all_methods") == Number(said, "all_methods"));
  CHECK(static_cast<size_t>(Number(said, "frames")) <= options.most_bytes / 150);
}

}  // namespace iprof
