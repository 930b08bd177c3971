// The scanner accepts what RapidJSON accepts, decodes strings and integers in the same way, and
// rejects the rest.
#include "writer/profile/io/json_scanner.h"

#include <rapidjson/document.h>
#include <rapidjson/error/en.h>
#include <rapidjson/reader.h>

#include <catch2/catch.hpp>
#include <iterator>
#include <optional>

#include "writer/profile/example_profiles.h"
#include "writer/profile/io/writer.h"

namespace iprof {
namespace {

bool ScannerAccepts(std::string_view text, size_t step, std::string* message = nullptr) {
  StringSource source(text, step);
  const Place place;
  JsonScanner scanner(source, "f", place, 0);
  std::string raw;
  const bool ok = scanner.SkipValue(&raw) && scanner.ExpectEnd();
  if (message != nullptr) *message = scanner.status().message();
  REQUIRE(ok == scanner.status().ok());
  if (ok) {
    const auto trimmed = [&] {
      const size_t first = text.find_first_not_of(" \t\r\n");
      return text.substr(first, text.find_last_not_of(" \t\r\n") - first + 1);
    };
    REQUIRE(raw == trimmed());
  }
  return ok;
}

// Empty if the oracle cannot decide: numbers too large for a double are legal JSON, but an error
// to RapidJSON.
std::optional<bool> OracleAccepts(const std::string& text) {
  constexpr unsigned kFlags = rapidjson::kParseValidateEncodingFlag |
                              rapidjson::kParseNumbersAsStringsFlag |
                              rapidjson::kParseIterativeFlag;
  rapidjson::Reader reader;
  rapidjson::BaseReaderHandler<> handler;
  // Not a StringStream, which would end at a zero byte.
  rapidjson::MemoryStream memory(text.data(), text.size());
  rapidjson::EncodedInputStream<rapidjson::UTF8<>, rapidjson::MemoryStream> stream(memory);
  const rapidjson::ParseResult result = reader.Parse<kFlags>(stream, handler);
  if (result.Code() == rapidjson::kParseErrorNumberTooBig) return {};
  return !result.IsError();
}

TEST_CASE("accepts and refuses as the oracle does, for damaged JSON of all kinds") {
  static constexpr std::string_view kPieces[] = {
      "{",    "}",       "[",       "]",    ",",    ":",      "\"",
      "\\",   "\\n",     "\\u0041", "0",    "1",    "-",      ".",
      "e",    "+",       "12",      " ",    "\n",   "true",   "fals",
      "null", "\"a\"",   "\x01",    "\xc3", "\xa9", "\u4e2d", "\xed\xa0\x80",
      "\\x",  "\"\\\\\""};
  RepeatableRandom random(11);
  size_t accepted = 0;
  for (int round = 0; round < 60000; ++round) {
    std::string text;
    if (random.OneIn(2)) {
      text =
          "{\"a\":[1,-2.5e3,\"x\\u00e9\\\"\",{}],\"b\":{\"c\":null,\"d\":[true,false]}, "
          "\"\xc3\xa9\" : 0}";
      for (uint64_t edits = random.Below(3); edits > 0; --edits) {
        const size_t at = random.Below(text.size());
        text.replace(at, random.Below(3), kPieces[random.Below(std::size(kPieces))]);
      }
    } else {
      for (uint64_t pieces = 1 + random.Below(6); pieces > 0; --pieces) {
        text += kPieces[random.Below(std::size(kPieces))];
      }
    }
    std::string message;
    const std::optional<bool> oracle = OracleAccepts(text);
    if (!oracle) continue;
    const bool ours = ScannerAccepts(text, 1 + random.Below(9), &message);
    if (ours != *oracle) FAIL("text " << text << "\noracle " << *oracle << ", we say " << message);
    accepted += ours;
  }
  CHECK(accepted > 5000);
}

TEST_CASE("strings decode as the oracle's") {
  RepeatableRandom random(12);
  static constexpr std::string_view kPieces[] = {
      "a",       "\\n",     "\\\"",           "\\\\",   "\\/",        "\\b\\f\\r\\t",
      "\\u0000", "\\u00E9", "\\ud83d\\ude00", "\u4e2d", "\U0001f600", "plain text of some length"};
  for (int round = 0; round < 5000; ++round) {
    std::string text = "\"";
    for (uint64_t pieces = random.Below(8); pieces > 0; --pieces)
      text += kPieces[random.Below(std::size(kPieces))];
    text += "\"";
    rapidjson::Document document;
    document.Parse(text.data(), text.size());
    REQUIRE_FALSE(document.HasParseError());
    StringSource source(text, 1 + random.Below(20));
    const Place place;
    JsonScanner scanner(source, "f", place, 0);
    std::string_view ours;
    REQUIRE(scanner.ReadString(&ours));
    CHECK(ours == std::string_view(document.GetString(), document.GetStringLength()));
  }
}

TEST_CASE("lone surrogates are kept, which the oracle refuses") {
  for (const std::string_view text : {"\"\\ud800\"", "\"\\udc00\\ud800x\"", "\"\\ud800\\u0041\""}) {
    CHECK(ScannerAccepts(text, SIZE_MAX));
  }
  CHECK_FALSE(ScannerAccepts("\"\\ud80\"", SIZE_MAX));
}

TEST_CASE("integers: all of 64 bits, nothing else") {
  const auto read = [](std::string_view text, int64_t* value) {
    StringSource source(text, 1);
    const Place place;
    JsonScanner scanner(source, "f", place, 0);
    scanner.Peek();
    return scanner.ReadInteger(value);
  };
  using Number = JsonScanner::Number;
  int64_t value = 0;
  for (const int64_t expected :
       {int64_t{0}, int64_t{-1}, int64_t{999999999999999999}, INT64_MAX, INT64_MIN}) {
    CHECK(read(std::to_string(expected) + ",", &value) == Number::kInteger);
    CHECK(value == expected);
    CHECK(read(std::to_string(expected), &value) == Number::kInteger);
    CHECK(value == expected);
  }
  CHECK(read("9223372036854775808", &value) == Number::kTooLarge);
  CHECK(read("-9223372036854775809", &value) == Number::kTooLarge);
  CHECK(read("1" + std::string(100000, '0'), &value) == Number::kTooLarge);
  CHECK(read("1.0", &value) == Number::kFraction);
  CHECK(read("1e2", &value) == Number::kFraction);
  CHECK(read("-", &value) == Number::kFailed);
  CHECK(read("00", &value) == Number::kFailed);
}

TEST_CASE("what the writer writes is what the oracle reads") {
  for (uint64_t seed = 0; seed < 300; ++seed) {
    const Profile profile = MakeRandomProfile(seed);
    WriteOptions options;
    options.pretty = seed % 2 == 0;
    const std::string text = *WriteProfileText(profile, options);
    rapidjson::Document document;
    document.Parse<rapidjson::kParseFullPrecisionFlag>(text.data(), text.size());
    if (document.HasParseError()) {
      // The only disagreement: lone surrogates.
      REQUIRE(text.find("\\ud800") != std::string::npos);
      continue;
    }
    INFO("seed " << seed);
    const auto& types = document["types"];
    REQUIRE(types.Size() == profile.type_count());
    for (const TypeIndex t : TypesOf(profile)) {
      const auto& type = types[static_cast<uint32_t>(t)];
      REQUIRE(type["id"].GetInt64() == profile.TypeFileId(t));
      REQUIRE(std::string_view(type["name"].GetString(), type["name"].GetStringLength()) ==
              profile.TypeName(t));
    }
    for (const MethodIndex m : MethodsOf(profile)) {
      const auto& method = document["methods"][static_cast<uint32_t>(m)];
      REQUIRE(method["id"].GetInt64() == profile.MethodFileId(m));
      REQUIRE(method["signature"].Size() == profile.Signature(m).size());
    }
    for (const EntryIndex e : EntriesOf(profile, Table::kConditionals)) {
      const auto& entry = document["conditionalProfiles"][static_cast<uint32_t>(e)];
      REQUIRE(entry["ctx"].GetString() ==
              profile.FormatContext(profile.EntryContext(Table::kConditionals, e)));
      const auto successors = profile.EntrySuccessors(e);
      REQUIRE(entry["records"].Size() == 3 * successors.size());
      for (uint32_t i = 0; i < successors.size(); ++i) {
        REQUIRE(entry["records"][3 * i].GetInt64() == successors[i].bci);
        REQUIRE(entry["records"][3 * i + 1].GetInt64() == successors[i].index);
        REQUIRE(entry["records"][3 * i + 2].GetInt64() == successors[i].count);
      }
    }
    for (const EntryIndex e : EntriesOf(profile, Table::kCalls)) {
      REQUIRE(document["callCountProfiles"][static_cast<uint32_t>(e)]["records"][0].GetInt64() ==
              profile.EntryCount(Table::kCalls, e));
    }
  }
}

}  // namespace
}  // namespace iprof
