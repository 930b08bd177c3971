// What the reader accepts, what it rejects, and with which messages.
#include "writer/profile/io/reader.h"
#include "writer/profile/io/format_version.h"

#include <catch2/catch.hpp>

#include "writer/profile/example_profiles.h"
#include "writer/profile/io/profile_events.h"
#include "writer/profile/io/writer.h"

namespace iprof {
namespace {

std::string ErrorOf(std::string_view text) {
  const Result<Profile> profile = ReadProfileText(text, "f");
  return profile.ok() ? "(none)" : profile.status().message();
}

Profile MustRead(std::string_view text) {
  Result<Profile> profile = ReadProfileText(text, "f");
  if (!profile.ok()) FAIL(profile.status().message());
  return std::move(*profile);
}

constexpr std::string_view kInOrder =
    R"({"version":"1.1.0","types":[{"id":3,"name":"A"},{"id":8,"name":"void"}],)"
    R"("methods":[{"id":5,"name":"a","signature":[3,8]}],)"
    R"("callCountProfiles":[{"ctx":"5:0<5:7","records":[4]}],"instanceOfProfiles":[{"ctx":"5:1","records":[3,2]}]})";

TEST_CASE("any order of keys and members, any white space, escapes, both spellings of instanceof") {
  const Profile a = MustRead(kInOrder);
  CHECK(a.version() == "1.1.0");
  CHECK(a.FormatContext(a.EntryContext(Table::kCalls, EntryIndex{0})) == "5:0<5:7");
  const Profile b = MustRead(
      " {\n\"callCountProfiles\" : [ { \"records\" :\t[ 4 ] , \"ctx\" : \"5:0<5:7\" } ] ,\r\n"
      "\"instanceofProfiles\":[{\"ctx\":\"5:1\",\"records\":[3,2]}],"
      "\"methods\":[{\"signature\":[3,8],\"n\\u0061me\":\"\\u0061\",\"id\":5}],"
      "\"types\":[{\"name\":\"A\",\"id\":3},{\"id\":8,\"name\":\"v\\u006fid\"}],\"version\":\"1.1."
      "0\"}\n");
  CHECK(FirstDifference(a, b) == "");
}

TEST_CASE("buffer edges may fall anywhere") {
  for (uint64_t seed = 0; seed < 30; ++seed) {
    const Profile profile = MakeRandomProfile(seed);
    WriteOptions options;
    options.version = FormatVersion::k1_1_0;
    options.gzip = seed % 2 == 1;
    const std::string text = *WriteProfileText(profile, options);
    for (const size_t step : {1u, 2u, 3u, 7u, 61u}) {
      StringSource source(text, step);
      const Result<Profile> back = ReadProfile(source, "f");
      INFO("seed " << seed << " step " << step);
      REQUIRE(back.status().message() == "");
      CHECK(FirstDifference(profile, *back) == "");
    }
  }
}

TEST_CASE("a window's edge inside a long file") {
  const Profile profile = MakeShapedProfile(1, 7);
  for (const bool pretty : {false, true}) {
    WriteOptions options;
    options.pretty = pretty;
    const std::string text = *WriteProfileText(profile, options);
    for (const size_t step : {size_t{1000}, size_t{65537}, SIZE_MAX}) {
      StringSource source(text, step);
      const Result<Profile> back = ReadProfile(source, "f");
      REQUIRE(back.status().message() == "");
      CHECK(FirstDifference(profile, *back) == "");
    }
  }
}

TEST_CASE("strings longer than the window") {
  const std::string long_text(300000, 'n');
  std::string ctx = "5:0";
  while (ctx.size() < 300000) ctx += "<5:7";
  const std::string text = R"({"version":"1.0.0","types":[{"id":1,"name":"A"}],"methods":[)"
                           R"({"id":5,"name":"a","signature":[1,1]}],"x":")" +
                           long_text + R"(","callCountProfiles":[{"ctx":")" + ctx +
                           R"(","records":[1]}]})";
  for (const size_t step : {size_t{999}, SIZE_MAX}) {
    StringSource source(text, step);
    const Result<Profile> p = ReadProfile(source, "f");
    REQUIRE(p.status().message() == "");
    CHECK(p->extras()[0].json.size() == long_text.size() + 2);
    CHECK(p->FormatContext(p->EntryContext(Table::kCalls, EntryIndex{0})) == ctx);
  }
  CHECK(ErrorOf(R"({"x":")" + std::string((16 << 20) + 200000, 'n')).find("more than 16 MiB") !=
        std::string::npos);
}

TEST_CASE("names and signatures are limited to what a class file can hold") {
  const auto with = [](size_t name_bytes, size_t ids) {
    std::string signature = "3";
    for (size_t i = 1; i < ids; ++i) signature += ",3";
    return ErrorOf(R"({"version":"1.0.0","types":[{"id":3,"name":")" +
                   std::string(name_bytes, 'n') +
                   R"("}],"methods":[{"id":5,"name":"a","signature":[)" + signature + "]}]}");
  };
  CHECK(with(65535, 257) == "(none)");
  CHECK(with(65536, 2) ==
        "f: byte 43, $.types[0].name: found a name of 65536 bytes, expected at most 65535, as in a "
        "class file");
  CHECK(with(1, 258) ==
        "f: byte 91, $.methods[0].signature: found 258 type ids, expected at most 257: the "
        "declaring type, the return type and 255 parameters");
}

TEST_CASE("versions") {
  const auto with = [](std::string version) {
    return ErrorOf(R"({"version":")" + version + R"(","types":[],"methods":[]})");
  };
  CHECK(with("0.4.0") == "(none)");
  CHECK(with("1.0.0") == "(none)");
  CHECK(with("1.7.3") == "(none)");
  CHECK(with("0.2.0") ==
        "f: byte 11, $.version: iprof version \"0.2.0\" is from 2022 and has other keys; 0.4.0 and "
        "1.x can be read");
  CHECK(with("2.0.0") ==
        "f: byte 11, $.version: iprof version \"2.0.0\" cannot be read; 0.4.0 and 1.x can");
  CHECK(with("") ==
        "f: byte 11, $.version: found the version \"\", expected one such as \"1.0.0\"");
  CHECK(with("1.0") ==
        "f: byte 11, $.version: found the version \"1.0\", expected one such as \"1.0.0\"");
  CHECK(with("1.-1.0").find("expected one such as") != std::string::npos);
  CHECK(CheckVersion("0.2.0").code() == Code::kUnsupported);
}

TEST_CASE("every refusal names byte, path, what was found and what was expected") {
  const auto types = [](std::string rest) {
    return ErrorOf(R"({"version":"1.0.0","types":[{"id":3,"name":"A"},{"id":8,"name":"void"}],)" +
                   rest);
  };
  const auto table = [&](std::string rest) {
    return types(R"("methods":[{"id":5,"name":"a","signature":[3,8]}],)" + rest);
  };
  for (const char* empty : {"", "\n "}) {
    CHECK(ErrorOf(empty) ==
          "f: not an iprof profile: it is empty. Record it again; if a raw file (.iraw) is beside "
          "it, 'iprof recover' makes the "
          "profile");
  }
  for (const char* other : {"[]", "hello\n",
                            "\x7f"
                            "ELF",
                            "\xca\xfe\xba\xbe"})
    CHECK(ErrorOf(other) == "f: not an iprof profile: it is no JSON object");
  for (const char* other : {"{}", R"({"a":1})", R"({"version":"1.2.3","name":"a package"})"}) {
    CHECK(ErrorOf(other) ==
          "f: not an iprof profile: it is a JSON object without types, methods and tables");
  }
  CHECK(ErrorOf(R"({"types":[]})") == "f: byte 0, $: found none, expected the key version");
  CHECK(ErrorOf("{} x") == "f: byte 3, $: found `x`, expected nothing more after the profile");
  CHECK(ErrorOf(R"({"types":3})") == "f: byte 9, $.types: found `3}`, expected an array");
  CHECK(ErrorOf(R"({"types":[{"id":"1"}]})") ==
        "f: byte 16, $.types[0].id: found `\"1\"}]}`, expected an integer");
  CHECK(ErrorOf(R"({"types":[{"id":1}]})") ==
        "f: byte 10, $.types[0]: found no member name, expected this member");
  CHECK(ErrorOf(R"({"types":[{"id":1,"name":"A"},{"id":1,"name":"B"}]})") ==
        "f: byte 30, $.types[1].id: found 1 a second time, expected each id once");
  CHECK(ErrorOf(R"({"types":[{"id":1.5,"name":"A"}]})") ==
        "f: byte 16, $.types[0].id: found 1.5, expected an integer");
  CHECK(ErrorOf(R"({"types":[{"id":01,"name":"A"}]})") ==
        "f: byte 17, $.types[0].id: found `1,\"name\":\"A\"}]}`, expected no digit after a leading "
        "zero");
  CHECK(ErrorOf(R"({"types":[{"id":99999999999999999999,"name":"A"}]})") ==
        "f: byte 16, $.types[0].id: found 99999999999999999999, expected an integer of 64 bits");
  CHECK(ErrorOf(R"({"types":[{"id":9223372036854775807,"name":"A"}]})") ==
        "f: byte 10, $.types[0].id: found 9223372036854775807, expected an id from 0 to 2^62");
  CHECK(ErrorOf("{\"types\":[{\"id\":1,\"name\":\"\xff\"}]}") ==
        "f: byte 25, $.types[0].name: found a string that is not UTF-8, expected UTF-8");
  CHECK(types(R"("types":[]})") ==
        "f: byte 72, $.types: found the key a second time, expected each key once");
  CHECK(types(R"("vm":1,"wm":1,"vm":2})") ==
        "f: byte 86, $.vm: found the key a second time, expected each key once");
  CHECK(types(R"("methods":[{"id":5,"name":"a","signature":[3,9]}]})") ==
        "f: byte 83, $.methods[0].signature[1]: found 9, expected the id of a declared type");
  CHECK(types(R"("methods":[{"id":5,"name":"a","signature":[3]}]})") ==
        "f: byte 83, $.methods[0].signature: found 1 type ids, expected the declaring type, the "
        "return type and the "
        "parameters");
  CHECK(table(R"("callCountProfiles":[{"ctx":"6:0","records":[1]}]})") ==
        "f: byte 150, $.callCountProfiles[0].ctx: found method 6, expected the id of a declared "
        "method");
  CHECK(table(R"("callCountProfiles":[{"ctx":"5:","records":[1]}]})") ==
        "f: byte 150, $.callCountProfiles[0].ctx: found \"5:\", expected a context such as "
        "\"12:0<3:17\" (method:bci, "
        "callers to the right)");
  CHECK(
      table(R"("callCountProfiles":[{"ctx":"5:0","records":[1,2]}]})") ==
      "f: byte 166, $.callCountProfiles[0].records: found 2 integers, expected exactly one count");
  CHECK(table(R"("callCountProfiles":[{"ctx":"5:0","records":[-1]}]})") ==
        "f: byte 166, $.callCountProfiles[0].records[0]: found -1, expected a count of 0 or more");
  CHECK(
      table(R"("conditionalProfiles":[{"ctx":"5:9","records":[1,2]}]})").find("expected triples") !=
      std::string::npos);
  CHECK(table(R"("virtualInvokeProfiles":[{"ctx":"5:9","records":[4,2]}]})")
            .find("records[0]: found 4, expected the id of a declared type") != std::string::npos);
  CHECK(table(R"("callCountProfiles":[{"ctx":"5:9999999999","records":[1]}]})")
            .find("expected a bci of 32 bits") != std::string::npos);
}

TEST_CASE("files that are truncated or damaged at any place are rejected") {
  const std::string text(kInOrder);
  for (size_t size = 0; size < text.size(); ++size) {
    INFO(size);
    CHECK(ErrorOf(std::string_view(text).substr(0, size)) != "(none)");
  }
}

TEST_CASE("deep nesting in unknown keys is limited, not recursed into") {
  const auto nested = [](size_t depth) {
    return R"({"version":"1.0.0","types":[],"methods":[],"x":)" + std::string(depth, '[') +
           std::string(depth, ']') + "}";
  };
  CHECK(ErrorOf(nested(256)) == "(none)");
  CHECK(ErrorOf(nested(257)) ==
        "f: byte 303, $.x: found deeper nesting, expected at most 256 levels");
  CHECK(ErrorOf(nested(1000000)).find("at most 256") != std::string::npos);
}

TEST_CASE("unknown keys keep their text") {
  const std::string text =
      R"({"version":"1.0.0","types":[],"methods":[],"vm":{ "a" : [1.50, "\u00e9", true] },"empty key ":""})";
  const Profile p = MustRead(text);
  REQUIRE(p.extras().size() == 2);
  CHECK(p.extras()[0] == ExtraKey{"vm", R"({ "a" : [1.50, "\u00e9", true] })"});
  CHECK(*WriteProfileText(p) == text);
}

TEST_CASE("a context that comes again adds to the first, with any numbers of its successors") {
  const auto read = [](const std::string& entries) {
    return MustRead(R"({"version":"1.0.0","types":[{"id":3,"name":"A"},{"id":8,"name":"void"}],)"
                    R"("methods":[{"id":5,"name":"a","signature":[3,8]}],"conditionalProfiles":[)" +
                    entries + "]}");
  };
  const Profile p = read(
      R"({"ctx":"5:9","records":[53,0,1,14,1,9]},{"ctx":"5:9","records":[14,0,90,53,1,10]},)"
      R"({"ctx":"5:9","records":[53,0,100,14,1,900]},{"ctx":"5:9","records":[14,0,9000,53,1,1000]})");
  REQUIRE(p.entry_count(Table::kConditionals) == 1);
  const auto successors = p.EntrySuccessors(EntryIndex{0});
  CHECK(std::vector<Successor>(successors.begin(), successors.end()) ==
        std::vector<Successor>{{14, 0, 9999}, {53, 1, 1111}});
}

TEST_CASE("the monitors' context names no method") {
  const Profile p = MustRead(
      R"({"version":"1.0.0","types":[{"id":3,"name":"A"}],"methods":[],"monitorProfiles":[{"ctx":"0:0","records":[3,7]}]})");
  CHECK(p.InnermostFrame(p.EntryContext(Table::kMonitors, EntryIndex{0})).method == kNoMethod);
  CHECK(p.Total(Table::kMonitors) == 7);
}

TEST_CASE("gzip: several members, damage, and bombs") {
  WriteOptions options;
  options.gzip = true;
  const Profile profile = MakeRandomProfile(4);
  const std::string text = *WriteProfileText(profile);
  const std::string gz = *WriteProfileText(profile, options);
  CHECK(ErrorOf(gz) == "(none)");
  CHECK(ErrorOf(gz + std::string(512, '\0')) == "(none)");
  CHECK(ErrorOf(gz + "x").find("bytes after the gzip stream") != std::string::npos);
  CHECK(ErrorOf(gz.substr(0, gz.size() - 9)).find("f: byte") == 0);
  CHECK(ErrorOf(gz.substr(0, gz.size() / 2)).find("ends too early") != std::string::npos);
  std::string damaged = gz;
  damaged[gz.size() - 5] ^= 1;  // the length at the end
  CHECK(ErrorOf(damaged).find("of the compressed file") != std::string::npos);

  StringSink half;
  const auto zip = [&](std::string_view part) {
    const auto sink = MakeGzipSink(half);
    REQUIRE(sink->Write(part).ok());
    REQUIRE(sink->Finish().ok());
  };
  zip(std::string_view(text).substr(0, 40));
  zip(std::string_view(text).substr(40));
  CHECK(ErrorOf(half.text()) == "(none)");

  // A profile may be as regular as possible.
  StringSink spaces;
  const auto to_spaces = MakeGzipSink(spaces);
  for (int i = 0; i < 8; ++i) REQUIRE(to_spaces->Write(std::string(1 << 20, ' ')).ok());
  REQUIRE(to_spaces->Write(text).ok());
  REQUIRE(to_spaces->Finish().ok());
  CHECK(spaces.text().size() * 500 < size_t{8} << 20);
  CHECK(ErrorOf(spaces.text()) == "(none)");

  // Above the free size, the ratio decides.
  const auto refusal = [&](InflationLimit limit) {
    StringSource packed(spaces.text());
    const auto source = MakeGunzipSource(packed, "f", limit);
    std::string buffer(4096, '\0');
    for (;;) {
      const Result<size_t> read = source->Read(buffer.data(), buffer.size());
      if (!read.ok()) return read.status();
      if (*read == 0) return Status();
    }
  };
  CHECK(refusal({.free_bytes = size_t{5} << 20, .ratio = 2000}).ok());
  CHECK(refusal({.free_bytes = size_t{9} << 20, .ratio = 100}).ok());
  const Status bomb = refusal({.free_bytes = size_t{5} << 20, .ratio = 100});
  CHECK(bomb.code() == Code::kLimit);
  CHECK(bomb.message() ==
        "f: the gzip stream inflates to more than 5 MB and 100 times its size; if you trust it, "
        "unpack it first");
}

TEST_CASE("gzip: the samples of a deep recursion inflate to hundreds of times their size") {
  Profile deep;
  deep.AddStandardTypes();
  const MethodIndex recurse =
      deep.AddMethod("recurse", std::vector<TypeIndex>{deep.AddType("Rec"), TypeIndex{8}});
  ContextIndex at = kNoContext;
  for (int depth = 0; depth < 2000; ++depth) {
    at = deep.AddContext(at, recurse, 12);
    deep.AddCount(Table::kSamples, at, 1);
  }
  WriteOptions options;
  options.gzip = true;
  const std::string text = *WriteProfileText(deep);
  const std::string gz = *WriteProfileText(deep, options);
  CHECK(text.size() > size_t{4} << 20);
  CHECK(text.size() > 100 * gz.size());
  CHECK(ErrorOf(gz) == "(none)");
}

TEST_CASE("a file that cannot be read") {
  CHECK(ReadProfileFile("/nowhere/x").status().message() ==
        "/nowhere/x: cannot open: No such file or directory");
  CHECK(ReadProfileFile("/nowhere/x").status().code() == Code::kIo);
  CHECK(ReadProfileFile("/tmp").status().message() == "/tmp: cannot open: it is a directory");
}

// Lists the events in order.
class Recorder final : public ProfileEvents {
 public:
  bool OnVersion(std::string_view version, const Place& p) override {
    return Add("version " + std::string(version), p);
  }
  bool OnType(const TypeDecl& t) override { return Add("type " + std::to_string(t.id), t.place); }
  bool OnMethod(const MethodDecl& m) override {
    return Add("method " + std::to_string(m.id), m.place);
  }
  bool OnTable(Table, std::string_view key, const Place& p) override {
    return Add(std::string(key), p);
  }
  bool OnEntry(const EntryDecl& e) override {
    return Add("entry " + std::string(e.ctx) + (e.ctx_ok ? "" : " bad ctx") +
                   (e.records_ok ? "" : " bad records"),
               e.place);
  }
  bool OnUnknownKey(std::string_view key, std::string_view json, const Place& p) override {
    return Add("unknown " + std::string(key) + "=" + std::string(json), p);
  }
  bool OnUnknownMember(std::string_view name, const Place& p) override {
    return Add("member " + std::string(name), p);
  }
  bool OnViolation(const Violation& v) override {
    lines.push_back(FormatViolation("f", v));
    return true;
  }
  std::vector<std::string> lines;

 private:
  bool Add(const std::string& what, const Place& place) {
    lines.push_back(what + " @" + std::to_string(place.offset) + " " + JsonPath(place));
    return true;
  }
};

TEST_CASE("events: all violations, declarations first, right places also for what was held back") {
  const std::string text =
      R"({"callCountProfiles":[{"ctx":"x","records":[1,"a"]},7,{"records":null}],"odd key":1,)"
      R"("methods":[{"id":1,"name":"m","signature":[1,2],"extra":{}}],"types":[{"id":1,"id":2,"name":"A"}]})";
  Recorder recorder;
  StringSource source(text);
  CHECK(ParseProfile(source, "f", recorder).message() == "");
  const std::vector<std::string> expected = {
      "unknown odd key=1 @82 $[\"odd key\"]",
      "f: byte 162, $.types[0].id: found the key a second time, expected each key once",
      "type 1 @154 $.types[0]",
      "member extra @132 $.methods[0].extra",
      "method 1 @95 $.methods[0]",
      "callCountProfiles @21 $.callCountProfiles",
      "f: byte 29, $.callCountProfiles[0].ctx: found \"x\", expected a context such as "
      "\"12:0<3:17\" (method:bci, "
      "callers to the right)",
      "f: byte 46, $.callCountProfiles[0].records[1]: found `\"a\"]},7,{\"records\":null}`, "
      "expected an integer",
      "entry x bad ctx bad records @22 $.callCountProfiles[0]",
      "f: byte 52, $.callCountProfiles[1]: found `7,{\"records\":null}]`, expected an object",
      "f: byte 65, $.callCountProfiles[2].records: found `null}]`, expected an array of integers",
      "f: byte 54, $.callCountProfiles[2]: found no member ctx, expected this member",
      "entry  bad ctx bad records @54 $.callCountProfiles[2]",
      "f: byte 0, $: found none, expected the key version",
  };
  CHECK(recorder.lines == expected);
}

}  // namespace
}  // namespace iprof
