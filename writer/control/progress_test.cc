#include "writer/control/progress.h"

#include <catch2/catch.hpp>

namespace iprof::control {
namespace {

TEST_CASE("progress comes back from its JSON") {
  CHECK(FormatProgress({Step::kClasses, 1200, 5400}) ==
        R"({"step":"classes","done":1200,"all":5400})");
  for (const Step step : {Step::kClasses, Step::kProfile})
    CHECK(ParseProgress(FormatProgress({step, 1, 3})) == Progress{step, 1, 3});
}

TEST_CASE("progress may have more keys, and no other steps, numbers or ends") {
  CHECK(ParseProgress(R"({"all":3,"bytes":[1],"step":"profile"})") ==
        Progress{Step::kProfile, 0, 3});
  for (const char* bad : {"", "{}", "[]", R"({"step":"sleep"})", R"({"step":"classes","done":-1})",
                          R"({"step":"classes","done":1.5})", R"({"step":"classes"} x)"})
    CHECK_FALSE(ParseProgress(bad));
}

}  // namespace
}  // namespace iprof::control
