#include "agent/vm/sampling/code_renewal.h"

#include <algorithm>
#include <array>
#include <catch2/catch.hpp>
#include <optional>

#include "agent/vm/sampling/code_age.h"

namespace iprof::vm {
namespace {

using Classes = CodeRenewal::Classes;

const void* Id(uintptr_t number) { return reinterpret_cast<const void*>(number * 8); }

// A program with methods 1 in a.B, 2 in a.C and 3 in a hidden class.
struct Program {
  OldCode old{.samples = 300, .methods = {{Id(1), "a.B"}, {Id(2), "a.C"}}};
  std::optional<Classes> looping = Classes();
  int discards = 0;
  std::vector<Classes> swaps;

  void Compiles(uintptr_t number) {
    std::erase_if(old.methods, [&](const OldMethod& method) { return method.id == Id(number); });
  }
  CodeRenewal::Hooks Hooks() {
    return {.find = [this](double) { return old; },
            .is_old =
                [this](const void* id) {
                  return std::any_of(old.methods.begin(), old.methods.end(),
                                     [&](const OldMethod& method) { return method.id == id; });
                },
            .discard = [this](JNIEnv*) { ++discards; },
            .swap =
                [this](JNIEnv*, const Classes& names) {
                  swaps.push_back(names);
                  return names.size();
                },
            .looping = [this](JNIEnv*) { return looping; }};
  }
};

void Tick(CodeRenewal& renewal, int times) {
  for (int i = 0; i < times; ++i) renewal.Tick(nullptr);
}

TEST_CASE("the example in the header") {
  Program program;
  CodeRenewal renewal(program.Hooks(), true);
  Tick(renewal, 2);
  CHECK(program.discards == 1);
  CHECK(renewal.figures().still_old == 2);
  program.Compiles(1);
  Tick(renewal, 3);
  CHECK(renewal.figures().compiled_anew == 1);
  CHECK(program.swaps == std::vector{Classes{"a.C"}});
  CHECK_FALSE(renewal.done());
  program.Compiles(2);
  Tick(renewal, 1);
  CHECK(renewal.done());
  CHECK(renewal.figures().compiled_anew == 2);
  CHECK(renewal.figures().still_old == 0);
  CHECK(renewal.figures().classes == 1);
}

TEST_CASE("nothing is swapped without enough samples, and without old code that is hot") {
  Program program;
  CodeRenewal renewal(program.Hooks(), true);
  SECTION("few samples: it waits") {
    program.old.samples = 99;
    Tick(renewal, 50);
    CHECK_FALSE(renewal.done());
    CHECK(program.discards == 0);
    program.old.samples = 100;
    Tick(renewal, 1);
    CHECK(program.discards == 1);
  }
  SECTION("no old code: it is done") {
    program.old.methods.clear();
    Tick(renewal, 2);
    CHECK(renewal.done());
    CHECK(program.discards == 0);
  }
}

TEST_CASE("a class is swapped once, and only when none of its loops runs") {
  Program program;
  program.looping = {"a.B"};
  CodeRenewal renewal(program.Hooks(), true);
  Tick(renewal, 6);
  CHECK(program.swaps == std::vector{Classes{"a.C"}});
  program.looping->clear();
  Tick(renewal, 50);
  CHECK(program.swaps == std::vector{Classes{"a.C"}, Classes{"a.B"}});
  CHECK(renewal.done());
  CHECK(renewal.figures().compiled_anew == 0);
  CHECK(renewal.figures().still_old == 2);
}

TEST_CASE("a class that may not be swapped, and a recording that must not swap hot ones") {
  Program program;
  program.old.methods = {{Id(3), ""}};
  const bool may_swap_hot = GENERATE(true, false);
  if (!may_swap_hot) program.old.methods.push_back({Id(1), "a.B"});
  CodeRenewal renewal(program.Hooks(), may_swap_hot);
  Tick(renewal, 50);
  CHECK(program.swaps.empty());
  CHECK(program.discards == 1);
  CHECK(renewal.done());
}

TEST_CASE("nothing is swapped if the JVM does not tell what runs") {
  Program program;
  program.looping = std::nullopt;
  CodeRenewal renewal(program.Hooks(), true);
  Tick(renewal, 50);
  CHECK(program.swaps.empty());
  CHECK(renewal.done());
}

TEST_CASE("a method that becomes hot with old code later is compiled again, too") {
  Program program;
  CodeRenewal renewal(program.Hooks(), true);
  Tick(renewal, 2);
  program.Compiles(1);
  program.old.methods.push_back({Id(4), "a.D"});
  Tick(renewal, 3);
  CHECK(program.swaps == std::vector{Classes{"a.C", "a.D"}});
  program.old.methods.clear();
  Tick(renewal, 1);
  CHECK(renewal.figures().compiled_anew == 3);
}

TEST_CASE("a method is old until new code contains it") {
  CodeAge ages;
  const std::array both{Id(1), Id(2)};
  ages.Note(both, CodeAge::Age::kOld);
  CHECK_FALSE(ages.IsOld(Id(1)));  // not begun
  ages.Begin();
  ages.Note(both, CodeAge::Age::kOld);
  ages.Note(std::array{Id(2), Id(3)}, CodeAge::Age::kNew);
  ages.Note(both, CodeAge::Age::kOld);
  CHECK(ages.IsOld(Id(1)));
  CHECK_FALSE(ages.IsOld(Id(2)));
  CHECK_FALSE(ages.IsOld(Id(3)));
  ages.End();
  CHECK_FALSE(ages.IsOld(Id(1)));
}

}  // namespace
}  // namespace iprof::vm
