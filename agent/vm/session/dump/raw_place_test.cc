// Where the raw file is, and what the user reads if there is no raw file.
#include "agent/vm/session/dump/raw_place.h"

#include <catch2/catch.hpp>
#include <string_view>

namespace iprof::vm {
namespace {

RawPlace Placed(std::string_view text, const std::string& asked = "",
                const std::string& profile = "/x/app.iprof") {
  const auto parsed = ParseOptions(text);
  REQUIRE(parsed.ok());
  return PlaceRaw(parsed->options, asked, profile);
}

TEST_CASE("the raw file is beside the profile, or where the user wants it") {
  CHECK(Placed("").path == "/x/app.iraw");
  CHECK(Placed("", "/raws/a.iraw").path == "/raws/a.iraw");
  CHECK(Placed("", "/raws/a.iraw", "/dev/null").path == "/raws/a.iraw");
  CHECK(Placed("").why_none.empty());
}

TEST_CASE("every way to record has one") {
  for (const char* options : {"mode=budget", "overhead=5%", "count-until=9", "mode=methoddata",
                              "source=methoddata,samples=n", "source=both,include=a.*,samples=n"}) {
    INFO(options);
    CHECK(Placed(options).path == "/x/app.iraw");
    CHECK(Placed(options, "", "/x/app.1.iprof.gz").path == "/x/app.1.iraw");
  }
}

TEST_CASE("where there is none, there is a reason") {
  for (const char* options :
       {"snapshot=0", "mode=budget,snapshot=0", "source=methoddata,snapshot=0"}) {
    INFO(options);
    CHECK(Placed(options).path.empty());
    CHECK(Placed(options).why_none == "snapshot=0");
  }
  CHECK(Placed("", "", "/dev/null").path.empty());
  CHECK(Placed("", "", "/dev/null").why_none.find("a device or a pipe") != std::string::npos);
}

TEST_CASE("the notice of a raw file says how its profile is made") {
  CHECK(RawNotice("/x/app.iraw") ==
        "what was recorded is in the raw file; 'iprof recover /x/app.iraw -o FILE' makes the "
        "profile");
}

}  // namespace
}  // namespace iprof::vm
