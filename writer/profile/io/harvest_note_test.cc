#include "writer/profile/io/harvest_note.h"

#include <catch2/catch.hpp>

#include "writer/profile/io/agent_section.h"

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
  note.methods_with_data = 188;
  note.methods_without_data = 1997;
  note.methods_trained = 7;
  note.methods_trained_unknown = 3;
  note.cpu_ms = 1234;
  note.estimate_refused = true;
  note.sites_left_out = 15;
  note.lambdas_left_out = 2;
  const std::string json = note.ToJson();
  CHECK(HarvestNote::Parse(json) == note);
  CHECK(HarvestNote::Parse(R"({"later":[1],)" + json.substr(1)) == note);
  std::string spaced;
  for (const char c : json) spaced += c == ':' || c == ',' ? std::string{c, ' '} : std::string{c};
  CHECK(HarvestNote::Parse(spaced)->type_width == 2);
  CHECK(note.Describe().find("estimated (flow-1)") != std::string::npos);
  CHECK(note.Describe().find("exact counts of 1,234 methods in com.acme.* without") !=
        std::string::npos);
}

TEST_CASE("what is one is told as one, and an age that is not known not at all") {
  HarvestNote note;
  note.time = "2026-11-22T23:35:27Z";
  note.type_width = 1;
  note.recursive_groups = 1;
  CHECK(note.Describe() ==
        "methoddata, calls and weights as HotSpot counted them, 2026-11-22T23:35:27Z; no data for "
        "0.0 % of the methods that ran, 1 class a site, 1 recursive group");
  CHECK(note.ToJson().find("jvm_age_s") == std::string::npos);
  CHECK(HarvestNote::Parse(note.ToJson()) == note);
  note.jvm_age_s = 0;
  note.type_width = 2;
  note.recursive_groups = 17;
  CHECK(note.Describe() ==
        "methoddata, calls and weights as HotSpot counted them, 2026-11-22T23:35:27Z after 0 s; no "
        "data for 0.0 % of the methods that ran, 2 classes a site, 17 recursive groups");
  CHECK(HarvestNote::Parse(note.ToJson()) == note);
}

TEST_CASE("a processor executes eight calls or branches in a nanosecond at most") {
  HarvestNote note;
  CHECK(note.CanHold(1e18));  // its time is not known
  note.cpu_ms = 1000;
  CHECK(note.CanHold(8e9));
  CHECK_FALSE(note.CanHold(8.2e9));
  HarvestNote other = note;
  other.Unite(note);
  CHECK(other.cpu_ms == 1000);
  note.cpu_ms = 2000;
  other.Unite(note);
  CHECK(other.cpu_ms == HarvestNote::kUnknownCpu);
  other.Unite(note);
  CHECK(other.cpu_ms == HarvestNote::kUnknownCpu);
  note.UniteExact();
  CHECK(note.cpu_ms == HarvestNote::kUnknownCpu);
}

TEST_CASE("a profile's note adds to its run what was left out") {
  Profile profile;
  CHECK_FALSE(HarvestNote::Of(profile));
  HarvestNote note;
  note.sites_left_out = 15;
  note.lambdas_left_out = 2;
  note.classes_left_out = 7;  // of no use in an image, so nothing is lost
  SetAgentPart(profile, kHarvestPart, note.ToJson());
  REQUIRE(HarvestNote::Of(profile) == note);
  RunNote run;
  run.Lose("sites", 4);  // of the classes that the agent counted
  HarvestNote::Of(profile)->AddLosses(&run);
  using Losses = std::vector<std::pair<std::string, int64_t>>;
  CHECK(run.losses == Losses{{"sites", 19}, {"lambdas_without_name", 2}});
}

TEST_CASE("notes of a merge are united: names are joined, numbers are the largest") {
  HarvestNote raw;
  raw.time = "2026-11-22T23:35:27Z";
  raw.jvm_age_s = 5;
  HarvestNote estimated;
  estimated.estimator = "flow-1";
  estimated.time = "2026-11-21T00:00:00Z";
  estimated.jvm_age_s = 86'400;
  estimated.type_width = 2;
  estimated.sites_left_out = 15;
  HarvestNote partly_exact;
  partly_exact.source = "both";
  partly_exact.estimator = "flow-1";
  partly_exact.exact_classes = "a.*";
  HarvestNote others = partly_exact;
  others.exact_classes = "b.*";

  const auto unite = [](HarvestNote a, const HarvestNote& b) {
    a.Unite(b);
    return a;
  };
  const HarvestNote all[] = {raw, estimated, partly_exact, others};
  for (const HarvestNote& a : all) {
    CHECK(unite(a, a) == a);
    for (const HarvestNote& b : all) {
      CHECK(unite(a, b) == unite(b, a));
      for (const HarvestNote& c : all) CHECK(unite(unite(a, b), c) == unite(a, unite(b, c)));
    }
  }
  const HarvestNote mixed = unite(raw, estimated);
  CHECK(mixed.source == "methoddata");
  CHECK(mixed.estimator == "flow-1+none");
  CHECK(mixed.time == raw.time);
  CHECK(mixed.jvm_age_s == 86'400);
  CHECK(mixed.sites_left_out == 15);
  CHECK(mixed.IsMixed());
  CHECK(mixed.Describe().find("each scaled to the same total") != std::string::npos);
  CHECK_FALSE(raw.IsMixed());
  CHECK_FALSE(estimated.IsMixed());
  CHECK_FALSE(unite(estimated, partly_exact).IsMixed());
  HarvestNote with_exact = estimated;
  with_exact.UniteExact();
  with_exact.UniteExact();
  CHECK(with_exact.source == "counters+methoddata");
  CHECK(with_exact.IsMixed());
  CHECK(HarvestNote::Parse(with_exact.ToJson()) == with_exact);
}

TEST_CASE("anything else is no note") {
  for (const char* json :
       {"", "{", "{}", "[]", "1", R"({"source":1})", R"({"source":"x","type_width":"2"})",
        R"({"source":"x","time":3})", R"({"source":"x"}{)"})
    CHECK_FALSE(HarvestNote::Parse(json));
}

}  // namespace
}  // namespace iprof
