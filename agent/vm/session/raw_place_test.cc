// Where the raw file is, and what the user is told if there is none.
#include "agent/vm/session/raw_place.h"

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
  // It has what the agent itself records.
  CHECK(Placed("source=methoddata").path == "/x/app.iraw");
  CHECK(Placed("source=both,include=a.*,samples=n").path == "/x/app.iraw");
}

TEST_CASE("where there is no raw file, there is a reason") {
  for (const char* options : {"mode=budget", "overhead=5%", "count-until=9", "snapshot=0",
                              "mode=budget,snapshot=0", "source=methoddata,samples=n"}) {
    INFO(options);
    CHECK(Placed(options).path.empty());
    CHECK_FALSE(Placed(options).why_none.empty());
  }
  CHECK(Placed("mode=budget").why_none ==
        "it would lack the estimates of overhead=; 'iprof dump' now and then saves what a kill "
        "would lose");
  CHECK(Placed("count-until=9").why_none.find("count-until=") != std::string::npos);
  CHECK(Placed("snapshot=0").why_none == "snapshot=0");
  CHECK(Placed("mode=methoddata,samples=n").why_none.starts_with("it cannot have HotSpot's own"));
  CHECK(Placed("", "", "/dev/null").path.empty());
  CHECK(Placed("", "", "/dev/null").why_none.find("a device or a pipe") != std::string::npos);
}

TEST_CASE("the notice of a raw file claims no more than is in it") {
  const auto notice = [](std::string_view text) {
    return RawNotice(ParseOptions(text)->options, "/x/app.iraw");
  };
  CHECK(notice("") ==
        "what was recorded is in the raw file; 'iprof recover /x/app.iraw -o FILE' makes the "
        "profile");
  CHECK(notice("source=methoddata") ==
        "the samples are in the raw file, and HotSpot's own counts are lost; 'iprof recover "
        "/x/app.iraw -o FILE' makes the profile");
  CHECK(notice("source=both,include=a.*") ==
        "what the agent counted and sampled is in the raw file, and HotSpot's own counts are lost; "
        "'iprof recover /x/app.iraw -o FILE' makes the profile");
  CHECK(notice("source=both,include=a.*,samples=n") ==
        "what the agent counted is in the raw file, and HotSpot's own counts are lost; 'iprof "
        "recover /x/app.iraw -o FILE' makes the profile");
}

}  // namespace
}  // namespace iprof::vm
