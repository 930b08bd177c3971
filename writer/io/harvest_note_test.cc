#include "writer/io/harvest_note.h"

#include <catch2/catch.hpp>

namespace iprof {
namespace {

TEST_CASE("a note reads back as it was written, also with members of later versions") {
  HarvestNote note;
  note.estimator = "flow-1";
  note.without_data_permille = 83;
  note.type_width = 2;
  note.recursive_groups = 17;
  note.jvm_age_s = 86'400;
  note.time = "2026-11-22T23:35:27Z";
  note.trained = true;
  note.exact_classes = "com.acme.* without com.acme.gen.*";
  note.exact_methods = 1234;
  const std::string json = note.ToJson();
  CHECK(HarvestNote::Parse(json) == note);
  CHECK(HarvestNote::Parse(R"({"later":[1],)" + json.substr(1)) == note);
  CHECK(note.Describe().find("estimated (flow-1)") != std::string::npos);
  CHECK(note.Describe().find("exact counts of 1234 methods in com.acme.* without") !=
        std::string::npos);
}

TEST_CASE("anything else is no note") {
  for (const char* json :
       {"", "{", "{}", "[]", "1", R"({"source":1})", R"({"source":"x","type_width":"2"})",
        R"({"source":"x","time":3})", R"({"source":"x"}{)"})
    CHECK_FALSE(HarvestNote::Parse(json));
}

}  // namespace
}  // namespace iprof
