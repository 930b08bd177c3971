// Encoding and decoding a class gives the same class.
#include "agent/instrument/table/kept_class.h"

#include <catch2/catch.hpp>

namespace iprof::instrument {
namespace {

CountedMethod Method(std::string_view name, Effort effort) {
  CountedMethod method;
  method.name = name;
  method.descriptor = "()V";
  method.effort = effort;
  return method;
}

TEST_CASE("efforts and what was left out are kept with their methods") {
  const Effort efforts[] = {
      {},
      {.step = Effort::Step::kCompact, .inherited = true},
      {.step = Effort::Step::kTrimmed, .budget = 1234},
      {.step = Effort::Step::kTrimmed, .inherited = true, .sites = false, .budget = 65535},
      {.step = Effort::Step::kCallsOnly},
      {.sites = false},
  };
  ClassRecord klass;
  klass.super_name = "java/lang/Object";
  for (const Effort& effort : efforts) klass.methods.push_back(Method("m", effort));
  klass.left_out.push_back({2, {.branches = 300, .all_branches = 420, .sites = 1, .all_sites = 9}});
  klass.left_out.push_back({4, {.everything = true}});

  NameTable names;
  const std::vector<uint8_t> content = EncodeContent(klass, names);
  ClassRecord decoded;
  DecodeContent(content, {}, names, &decoded);
  REQUIRE(decoded.methods.size() == klass.methods.size());
  for (size_t m = 0; m < klass.methods.size(); ++m)
    CHECK(decoded.methods[m].effort == klass.methods[m].effort);
  REQUIRE(decoded.left_out.size() == 2);
  CHECK(decoded.left_out[0].method == 2);
  CHECK(decoded.left_out[0].left_out == klass.left_out[0].left_out);
  CHECK(decoded.left_out[1].method == 4);
  CHECK(decoded.left_out[1].left_out == klass.left_out[1].left_out);
  int mentions = 0;
  ForEachName(content, [&](NameId) { ++mentions; });
  CHECK(mentions == 1 + 2 * static_cast<int>(klass.methods.size()));
}

TEST_CASE("lines and the targets of calls are kept with their methods") {
  ClassRecord klass;
  klass.super_name = "java/lang/Object";
  klass.targets = {{"java/util/List", "get"}, {"a/B", "run"}};
  klass.lines = {1, 0, 80, 1, 4, 90};
  klass.positions = {7};
  for (const bool has_lines : {true, false, true}) {
    CountedMethod method = Method("m", {});
    method.rewritten = has_lines;
    method.has_lines = has_lines;
    method.lines = has_lines && !klass.methods.empty() ? 3 : 0;
    method.positions = has_lines && !klass.methods.empty() ? 1 : 0;
    method.sites = has_lines ? 2 : 0;
    const auto number = static_cast<uint32_t>(klass.methods.size());
    if (has_lines) {
      klass.sites.push_back({number, 4, 0, SiteKind::kReceiver, 1 + number / 2});
      klass.sites.push_back({number, 9, 1, SiteKind::kInstanceOf});
    }
    klass.methods.push_back(method);
  }
  NameTable names;
  const std::vector<uint8_t> content = EncodeContent(klass, names);
  ClassRecord decoded;
  DecodeContent(content, {}, names, &decoded);
  CHECK(decoded.targets == klass.targets);
  CHECK(decoded.lines == klass.lines);
  CHECK(decoded.methods[0].has_lines);
  CHECK_FALSE(decoded.methods[1].has_lines);
  CHECK(decoded.methods[2].lines == 3);
  REQUIRE(decoded.sites.size() == 4);
  for (size_t s = 0; s < 4; ++s) {
    CHECK(decoded.sites[s].target == klass.sites[s].target);
    CHECK(decoded.sites[s].bci == klass.sites[s].bci);
  }
  int mentions = 0;
  ForEachName(content, [&](NameId) { ++mentions; });
  CHECK(mentions == 1 + 2 * 2 + 2 * 3);
}

}  // namespace
}  // namespace iprof::instrument
