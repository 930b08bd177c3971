// What a user is told of hot methods that keep their probes.
#include "agent/vm/counting/kept_methods.h"

#include <catch2/catch.hpp>

namespace iprof::vm {
namespace {

using Reasons = std::vector<KeptMethods::Reason>;

TEST_CASE("each reason has a number and the hottest method", "[kept_methods]") {
  KeptMethods kept;
  kept.Note(WhyKept::kDoesNotPay, 5e6, "a/B", "run");
  kept.Note(WhyKept::kLoop, 2e6, "Solo", "leaf");
  kept.Note(WhyKept::kLoop, 9e6, "com/acme/Solo$Part", "main");
  kept.Note(WhyKept::kLoop, 3e6, "Solo", "step");
  const Reasons reasons = kept.Reasons();
  CHECK(reasons == Reasons{{"a loop in the class runs all the time (com.acme.Solo$Part.main)", 3},
                           {"taking them out has not paid yet (a.B.run)", 1}});
  CHECK(DescribeKept(reasons) ==
        "3 methods keep their probes because a loop in the class runs all the time "
        "(com.acme.Solo$Part.main), and 1 because taking them out has not paid yet (a.B.run)");
  kept.Clear();
  CHECK(kept.Reasons().empty());
  CHECK(DescribeKept({}).empty());
}

TEST_CASE("one method is one", "[kept_methods]") {
  KeptMethods kept;
  kept.Note(WhyKept::kUncalled, 0, "A", "f");
  CHECK(DescribeKept(kept.Reasons()) ==
        "1 method keeps its probes because the callers are not counted (A.f)");
}

TEST_CASE("all reasons have a text", "[kept_methods]") {
  KeptMethods kept;
  for (const WhyKept why : {WhyKept::kLoop, WhyKept::kUnsteady, WhyKept::kUncalled,
                            WhyKept::kUnchangeable, WhyKept::kSwapped, WhyKept::kDoesNotPay}) {
    kept.Note(why, 1, "A", "f");
  }
  const Reasons reasons = kept.Reasons();
  CHECK(reasons.size() == 6);
  for (const auto& reason : reasons) CHECK(reason.what.size() > sizeof(" (A.f)"));
}

}  // namespace
}  // namespace iprof::vm
