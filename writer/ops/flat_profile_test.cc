#include "writer/ops/flat_profile.h"

#include <catch2/catch.hpp>

#include "writer/ops/ops_test_profiles.h"

namespace iprof {
namespace {

struct Rows {
  std::vector<std::string> lines;
  explicit Rows(const FlatProfile& flat) {
    for (const FlatRow& row : flat.rows)
      lines.push_back(row.name + " self " + std::to_string(row.self) + " total " +
                      std::to_string(row.total));
  }
};

// fib calls itself; main calls it; a class without a package is called at the end.
Profile Sampled() {
  Profile profile;
  profile.AddStandardTypes();
  const TypeIndex nothing = profile.AddType("void");
  const TypeIndex app = profile.AddType("a.b.App");
  const TypeIndex bare = profile.AddType("Bare");
  const MethodIndex main = profile.AddMethod("main", std::vector{app, nothing});
  const MethodIndex fib = profile.AddMethod("fib", std::vector{app, nothing});
  const MethodIndex run = profile.AddMethod("run", std::vector{bare, nothing});
  const auto add = [&](std::vector<Frame> frames, int64_t count) {
    profile.AddCount(Table::kSamples, profile.AddContext(frames), count);
  };
  add({{fib, 3}, {fib, 9}, {fib, 9}, {main, 1}}, 10);
  add({{fib, 9}, {main, 1}}, 5);
  add({{run, 0}, {main, 4}}, 2);
  return profile;
}

TEST_CASE("a recursive method counts once for each sample in its total") {
  const FlatProfile flat = ComputeFlatProfile(Sampled(), FlatKey::kMethod);
  CHECK(flat.total == 17);
  CHECK(Rows(flat).lines == std::vector<std::string>{"a.b.App.fib()void self 15 total 15",
                                                     "Bare.run()void self 2 total 2",
                                                     "a.b.App.main()void self 0 total 17"});
}

TEST_CASE("positions of one method are rows of their own") {
  CHECK(Rows(ComputeFlatProfile(Sampled(), FlatKey::kPosition)).lines ==
        std::vector<std::string>{
            "a.b.App.fib()void:3 self 10 total 10", "a.b.App.fib()void:9 self 5 total 15",
            "Bare.run()void:0 self 2 total 2", "a.b.App.main()void:1 self 0 total 15",
            "a.b.App.main()void:4 self 0 total 2"});
}

TEST_CASE("lines collect their positions; positions without a line are one row of their method") {
  Profile profile = Sampled();
  const auto note = [&](const std::string& method, Bci bci, int32_t line) {
    profile.notes().SetLine(MethodNamed(profile, method), bci, line);
  };
  note("a.b.App.fib()void", 3, 20);
  note("a.b.App.fib()void", 9, 20);
  note("a.b.App.main()void", 4, 31);
  const FlatProfile flat = ComputeFlatProfile(profile, FlatKey::kLine);
  CHECK(flat.has_lines);
  CHECK(Rows(flat).lines == std::vector<std::string>{"a.b.App.fib()void:20 self 15 total 15",
                                                     "Bare.run()void self 2 total 2",
                                                     "a.b.App.main()void self 0 total 15",
                                                     "a.b.App.main()void:31 self 0 total 2"});
  CHECK_FALSE(ComputeFlatProfile(Sampled(), FlatKey::kLine).has_lines);
}

TEST_CASE("a filter leaves out rows and changes no figures") {
  const FlatProfile flat = ComputeFlatProfile(Sampled(), FlatKey::kMethod, {.exclude = {"Bare"}});
  CHECK(flat.total == 17);
  CHECK(Rows(flat).lines == std::vector<std::string>{"a.b.App.fib()void self 15 total 15",
                                                     "a.b.App.main()void self 0 total 17"});
  CHECK(Rows(ComputeFlatProfile(Sampled(), FlatKey::kPackage, {.include = {"Bare"}})).lines ==
        std::vector<std::string>{"(default) self 2 total 2"});
}

TEST_CASE("packages gather their classes; no package has a name as well") {
  CHECK(Rows(ComputeFlatProfile(Sampled(), FlatKey::kPackage)).lines ==
        std::vector<std::string>{"a.b self 15 total 17", "(default) self 2 total 2"});
}

TEST_CASE("a profile without samples has no rows") {
  Profile profile;
  profile.AddStandardTypes();
  CHECK(ComputeFlatProfile(profile, FlatKey::kMethod).rows.empty());
}

}  // namespace
}  // namespace iprof
