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
  CHECK(Placed("source=methoddata", "/raws/a.iraw").path == "/raws/a.iraw");
  CHECK(Placed("source=methoddata,keep-raw=y").path == "/x/app.iraw");
  CHECK(Placed("source=both,include=a.*,samples=n").path == "/x/app.iraw");
}

TEST_CASE("where a raw file would lack something, there is a partial profile") {
  for (const char* options : {"mode=budget", "overhead=5%", "count-until=9", "mode=methoddata",
                              "source=methoddata,samples=n"}) {
    INFO(options);
    const RawPlace place = Placed(options);
    CHECK(place.path == "/x/app.iprof.partial");
    CHECK(place.why_none.empty());
    CHECK_FALSE(place.why_partial.empty());
    CHECK(Placed(options, "", "/x/app.1.iprof.gz").path == "/x/app.1.iprof.gz.partial");
    CHECK(Placed(options, "", "/dev/null").path.empty());
    CHECK(Placed(options, "", "/dev/null").why_none.find("a device or a pipe") !=
          std::string::npos);
  }
  CHECK(Placed("mode=budget").why_partial == "a raw file would lack the estimates of overhead=");
  CHECK(Placed("count-until=9").why_partial.find("count-until=") != std::string::npos);
  CHECK(Placed("mode=methoddata").why_partial == "a raw file would lack HotSpot's own counters");
  CHECK(Placed("").why_partial.empty());
}

TEST_CASE("where there is neither, there is a reason") {
  for (const char* options :
       {"snapshot=0", "mode=budget,snapshot=0", "source=methoddata,snapshot=0"}) {
    INFO(options);
    CHECK(Placed(options).path.empty());
    CHECK_FALSE(Placed(options).why_none.empty());
  }
  CHECK(Placed("snapshot=0").why_none == "snapshot=0");
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
  CHECK(notice("source=methoddata,raw=app.iraw") ==
        "the samples are in the raw file, and HotSpot's own counts are lost; 'iprof recover "
        "/x/app.iraw -o FILE' makes the profile");
  for (const char* options : {"source=methoddata", "mode=budget"}) {
    CHECK(RawNotice(ParseOptions(options)->options, "/x/app.iprof.partial") ==
          "what was recorded up to the last partial profile is in that; 'iprof recover "
          "/x/app.iprof.partial -o FILE' makes the profile");
  }
  CHECK(notice("source=both,include=a.*") ==
        "what the agent counted and sampled is in the raw file, and HotSpot's own counts are lost; "
        "'iprof recover /x/app.iraw -o FILE' makes the profile");
  CHECK(notice("source=both,include=a.*,samples=n") ==
        "what the agent counted is in the raw file, and HotSpot's own counts are lost; 'iprof "
        "recover /x/app.iraw -o FILE' makes the profile");
}

}  // namespace
}  // namespace iprof::vm
