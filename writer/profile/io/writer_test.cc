// Output reads back, gives the same bytes when written again, and equals the golden files.
#include "writer/profile/io/writer.h"

#include <catch2/catch.hpp>
#include <fstream>
#include <sstream>

#include "writer/profile/example_profiles.h"
#include "writer/profile/io/reader.h"

namespace iprof {
namespace {

std::string FileText(const std::string& name) {
  std::ifstream in(std::string(IPROF_TESTDATA) + "/" + name, std::ios::binary);
  std::stringstream text;
  text << in.rdbuf();
  return text.str();
}

std::string Written(const Profile& profile, const WriteOptions& options) {
  Result<std::string> text = WriteProfileText(profile, options);
  REQUIRE(text.status().message() == "");
  return *text;
}

TEST_CASE("10,000 random profiles: write, read, write") {
  for (uint64_t seed = 0; seed < 10000; ++seed) {
    INFO("seed " << seed);
    const Profile profile = MakeRandomProfile(seed);
    WriteOptions options;
    options.version = FormatVersion::k1_1_0;
    options.pretty = seed % 3 == 1;
    options.gzip = seed % 5 == 2;
    const std::string text = Written(profile, options);
    Result<Profile> back = ReadProfileText(text);
    if (!back.ok()) FAIL(back.status().message());
    if (const std::string difference = FirstDifference(profile, *back); !difference.empty())
      FAIL(difference);
    if (Written(*back, options) != text) FAIL("the second text differs from the first:\n" << text);
  }
}

TEST_CASE("golden profiles: the bytes are those of pretty printing") {
  for (const char* name : {"fib.json", "even_or_odd_length.json"}) {
    INFO(name);
    const std::string text = FileText(name);
    REQUIRE(text.size() > 100);
    Result<Profile> profile = ReadProfileText(text, name);
    REQUIRE(profile.status().message() == "");
    WriteOptions options;
    options.pretty = true;
    CHECK(Written(*profile, options) == text);
  }
}

TEST_CASE("Fib, made from its stated facts") {
  // new Fib(10).fibonacci(), synchronized, prints ten numbers in a loop: the branch `if_icmpge 53`
  // at 11 is taken once and falls through to 14 ten times; print(String.valueOf(Object)) runs ten
  // times, called at 33.
  Profile p;
  p.AddStandardTypes();
  const TypeIndex fib = p.AddType("Fib");
  const TypeIndex strings = p.AddType("[Ljava.lang.String;");
  const TypeIndex stream = p.AddType("java.io.PrintStream");
  const TypeIndex string = p.AddType("java.lang.String");
  const TypeIndex int_type = *p.FindType("int");
  const TypeIndex void_type = *p.FindType("void");
  const TypeIndex object = *p.FindType("java.lang.Object");
  const auto method = [&](const char* name, std::vector<TypeIndex> signature) {
    return p.AddMethod(name, signature);
  };
  const MethodIndex main = method("main", {fib, void_type, strings});
  const MethodIndex init = method("<init>", {fib, void_type, int_type});
  const MethodIndex fibonacci = method("fibonacci", {fib, void_type});
  const MethodIndex print = method("print", {stream, void_type, string});
  const MethodIndex value_of = method("valueOf", {string, string, object});

  const ContextIndex in_loop = p.AddContext(kNoContext, fibonacci, 33);
  const ContextIndex in_print = p.AddContext(in_loop, print, 2);
  p.AddCount(Table::kCalls, p.AddContext(kNoContext, main, 0), 1);
  p.AddCount(Table::kCalls, p.AddContext(kNoContext, init, 0), 1);
  p.AddCount(Table::kCalls, p.AddContext(kNoContext, fibonacci, 0), 1);
  p.AddCount(Table::kCalls, p.AddContext(in_loop, print, 0), 10);
  p.AddCount(Table::kCalls, p.AddContext(in_print, value_of, 0), 10);
  const Successor loop[] = {{53, 0, 1}, {14, 1, 10}};
  p.AddSuccessors(p.AddContext(kNoContext, fibonacci, 11), loop);
  const Successor is_null[] = {{10, 0, 10}, {4, 1, 0}};
  p.AddSuccessors(p.AddContext(in_print, value_of, 1), is_null);
  const TypeCount receiver[] = {{string, 10}};
  p.AddTypeCounts(Table::kVirtualInvokes, p.AddContext(in_print, value_of, 11), receiver);
  const TypeCount monitor[] = {{fib, 1}};
  p.AddTypeCounts(Table::kMonitors, p.AddMonitorContext(), monitor);

  WriteOptions options;
  options.pretty = true;
  CHECK(Written(p, options) == FileText("fib.json"));
}

TEST_CASE("EvenOrOddLength, made from its stated facts") {
  // One branch with opposite outcomes under two callers: 3 strings of even length, 5 of odd length.
  // Only the calling contexts distinguish them.
  Profile p;
  p.AddStandardTypes();
  const TypeIndex program = p.AddType("EvenOrOddLength");
  const TypeIndex strings = p.AddType("[Ljava.lang.String;");
  const TypeIndex string = p.AddType("java.lang.String");
  const TypeIndex boolean = *p.FindType("boolean");
  const TypeIndex void_type = *p.FindType("void");
  const auto method = [&](const char* name, std::vector<TypeIndex> signature) {
    return p.AddMethod(name, signature);
  };
  const MethodIndex main = method("main", {program, void_type, strings});
  const MethodIndex even = method("printsEven", {program, void_type, string});
  const MethodIndex odd = method("printsOdd", {program, void_type, string});
  const MethodIndex is_even = method("isEvenLength", {program, boolean, string});
  p.AddCount(Table::kCalls, p.AddContext(kNoContext, main, 0), 1);
  p.AddCount(Table::kCalls, p.AddContext(kNoContext, even, 0), 3);
  p.AddCount(Table::kCalls, p.AddContext(kNoContext, odd, 0), 5);
  const ContextIndex from_even = p.AddContext(p.AddContext(kNoContext, main, 12), even, 1);
  const ContextIndex from_odd = p.AddContext(p.AddContext(kNoContext, main, 20), odd, 1);
  p.AddCount(Table::kCalls, p.AddContext(from_even, is_even, 0), 3);
  p.AddCount(Table::kCalls, p.AddContext(from_odd, is_even, 0), 5);
  const Successor none_taken[] = {{13, 0, 0}, {9, 1, 3}};
  const Successor all_taken[] = {{13, 0, 5}, {9, 1, 0}};
  p.AddSuccessors(p.AddContext(from_even, is_even, 6), none_taken);
  p.AddSuccessors(p.AddContext(from_odd, is_even, 6), all_taken);
  WriteOptions options;
  options.pretty = true;
  CHECK(Written(p, options) == FileText("even_or_odd_length.json"));
}

TEST_CASE("an empty profile is minified to this") {
  Profile p;
  CHECK(Written(p, {}) == R"({"version":"1.0.0","types":[],"methods":[]})");
}

TEST_CASE(
    "1.0.0 has no instanceof table: left out and reported; 1.1.0 has the consumer's spelling") {
  Profile p;
  const TypeIndex sig[] = {p.AddType("A"), p.AddType("void")};
  const TypeCount counts[] = {{sig[0], 3}};
  p.AddTypeCounts(Table::kInstanceOfs, p.AddContext(kNoContext, p.AddMethod("a", sig), 5), counts);
  CHECK(SmallestVersionFor(p) == FormatVersion::k1_1_0);
  StringSink old_sink;
  Result<WriteReport> report = WriteProfile(p, {}, old_sink);
  REQUIRE(report.ok());
  CHECK(report->entries_left_out == 1);
  CHECK(report->text_bytes == old_sink.text().size());
  CHECK(old_sink.text().find("nstance") == std::string::npos);
  WriteOptions options;
  options.version = FormatVersion::k1_1_0;
  StringSink sink;
  report = WriteProfile(p, options, sink);
  REQUIRE(report.ok());
  CHECK(report->entries_left_out == 0);
  CHECK(sink.text().find(R"("instanceOfProfiles":[{"ctx":"0:5","records":[0,3]}])") !=
        std::string::npos);
  CHECK(ParseFormatVersion("1.1.0").value() == FormatVersion::k1_1_0);
  CHECK(ParseFormatVersion("2").status().code() == Code::kUsage);
}

TEST_CASE("names are escaped as JSON wants it") {
  std::string out;
  AppendJsonString(std::string_view("a\"b\\c\n\t\x01\x7f\u00e9\xed\xa0\x80\xff", 15), &out);
  CHECK(out == "\"a\\\"b\\\\c\\n\\t\\u0001\\u007f\u00e9\\ud800\ufffd\"");
}

TEST_CASE("the sink's failure is the writer's") {
  class FullSink final : public ByteSink {
   public:
    explicit FullSink(size_t room) : room_(room) {}
    Status Write(std::string_view bytes) override {
      if (bytes.size() > room_) return {Code::kIo, "full"};
      room_ -= bytes.size();
      return {};
    }

   private:
    size_t room_;
  };
  const Profile p = MakeShapedProfile(1, 1);
  for (const bool gzip : {false, true}) {
    for (const size_t room : {size_t{0}, size_t{100000}}) {
      FullSink sink(room);
      WriteOptions options;
      options.gzip = gzip;
      const Result<WriteReport> report = WriteProfile(p, options, sink);
      REQUIRE_FALSE(report.ok());
      CHECK(report.status().message() == "full");
    }
  }
}

}  // namespace
}  // namespace iprof
