#include "cli/jfr/field_reader.h"

#include <catch2/catch.hpp>

#include <vector>

#include "cli/jfr/frame_names.h"
#include "cli/jfr/settings.h"

namespace iprof::jfr {
namespace {

std::string TextOf(std::vector<uint8_t> bytes) {
  FieldReader reader(bytes);
  std::string made;
  const FieldReader::Text text = reader.ReadText(&made);
  return reader.ok() ? std::string(text.text) : "failed";
}

}  // namespace

TEST_CASE("integers are compressed or not") {
  const std::vector<uint8_t> bytes = {0xac, 0x02, 0xff, 0xff, 0xff, 0xff, 0x0f, 0xff,
                                      0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff};
  FieldReader compressed(bytes);
  CHECK(compressed.Int() == 300);
  CHECK(compressed.Int() == -1);
  CHECK(compressed.Long() == -1);
  CHECK(compressed.left() == 0);
  CHECK(compressed.ok());
  compressed.Byte();
  CHECK_FALSE(compressed.ok());
  FieldReader fixed(bytes, /*compressed=*/false);
  CHECK(fixed.Short() == 0xac02);
  CHECK(fixed.Int() == -1);
}

TEST_CASE("texts have five encodings") {
  CHECK(TextOf({0}).empty());
  CHECK(TextOf({1}).empty());
  CHECK(TextOf({3, 2, 'a', 'b'}) == "ab");
  CHECK(TextOf({4, 2, 'a', 0xe4, 0x01}) == "a\xc3\xa4");  // U+00E4
  CHECK(TextOf({5, 2, 'a', 0xe4}) == "a\xc3\xa4");
  CHECK(TextOf({3, 3, 'a', 'b'}) == "failed");
  CHECK(TextOf({9, 0}) == "failed");
  CHECK(TextOf({4, 0xff, 0xff, 0xff, 0xff, 0x0f}) == "failed");
}

TEST_CASE("names are those of a profile") {
  CHECK(ProfileTypeName("a/B$C") == "a.B$C");
  CHECK(ProfileTypeName("[La/B;") == "[La.B;");
  CHECK(ProfileTypeName("[La/B").empty());
  CHECK(ProfileTypeName("a.B$$Lambda$88+0x00007fd4c0007a08/1790421142") ==
        "a.B$$Lambda$88/0x00007fd4c0007a08");
  CHECK(ProfileTypeName("a.B$$Lambda/0x000000007d045210") == "a.B$$Lambda/0x000000007d045210");
  CHECK(EventTypeName("a.B$$Lambda/0x000000007d045210") == "a.B$$Lambda");
  CHECK(EventTypeName("[La.B$$Lambda/0x000000007d045210;") == "[La.B$$Lambda;");
  CHECK(EventTypeName("[I") == "[I");
  MethodFacts method{"jdk/proxy2/$Proxy7", "call", "()V"};
  CHECK(NameMethod(method) == FrameKind::kUnstable);
  method = {"java/lang/IprofTypes", "see", "()V"};
  CHECK(NameMethod(method) == FrameKind::kProbe);
  method = {"jdk/internal/reflect/GeneratedMethodAccessor7", "invoke", "()V"};
  CHECK(NameMethod(method) == FrameKind::kUnstable);
}

TEST_CASE("settings have units") {
  CHECK(ParseTime("20 ms") == 20'000'000);
  CHECK(ParseTime("10ms") == 10'000'000);
  CHECK(ParseTime("1 s") == 1'000'000'000);
  CHECK_FALSE(ParseTime("everyChunk"));
  CHECK_FALSE(ParseTime("0 ns"));
  CHECK_FALSE(ParseTime("99999999999999 d"));
}

}  // namespace iprof::jfr
