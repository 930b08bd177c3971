#include "agent/plan/weights/profile_weights.h"

#include "agent/classfile/testing/assembled_class.h"
#include "agent/plan/weights/planned_method.h"

namespace iprof::instrument {
namespace {

using classfile::Op;

std::vector<uint8_t> ClassWith(std::vector<uint8_t> code,
                               AssembledClass klass = AssembledClass("a/T")) {
  return klass.Add({.descriptor = "(I)I", .code = std::move(code)}).Bytes();
}

// A profile with one branch of the method f of a class.
class OneBranch {
 public:
  explicit OneBranch(std::string_view klass = "a.T") {
    const TypeIndex type = profile_.AddType(klass);
    const TypeIndex number = profile_.AddType("int");
    const TypeIndex signature[] = {type, number, number};
    method_ = profile_.AddMethod("f", signature);
  }
  OneBranch& Add(Bci bci, std::vector<Successor> successors, Bci caller = -1) {
    ContextIndex context = kNoContext;
    if (caller >= 0) context = profile_.AddContext(kNoContext, method_, caller);
    profile_.AddSuccessors(profile_.AddContext(context, method_, bci), successors);
    return *this;
  }
  const Profile& profile() const { return profile_; }

 private:
  Profile profile_;
  MethodIndex method_{};
};

TEST_CASE("a branch has the counts of the profile, added up over its callers") {
  const PlannedMethod method(ClassWith(CountdownCode()));  // ifle at 1: to 10, or on to 4
  OneBranch known;
  known.Add(1, {{10, 0, 2}, {4, 1, 30}}).Add(1, {{10, 0, 1}, {4, 1, 7}}, 5);
  const ProfileWeights weights(known.profile());
  CHECK(method.Ask(weights) == std::vector<double>{3, 37});
  CHECK(weights.fitting() == 2);
  CHECK(weights.unfitting() == 0);
}

TEST_CASE("ways are found by their targets in any order") {
  const PlannedMethod method(ClassWith(CountdownCode()));
  CHECK(method.Ask(ProfileWeights(OneBranch().Add(1, {{4, 1, 30}, {10, 0, 2}}).profile())) ==
        std::vector<double>{2, 30});
  CHECK(method.Ask(ProfileWeights(OneBranch().Add(1, {{4, 0, 9}}).profile())) ==
        std::vector<double>{0, 9});
}

TEST_CASE("a switch has a weight for each slot, also where slots share a target") {
  // 0 iload_0; 1 tableswitch 0..1: 28, 28, default 26; 24 nop nop; 26 iload_0; 27 ireturn; 28 …
  const PlannedMethod method(ClassWith(Code({B(Op::iload_0),
                                             B(Op::tableswitch),
                                             0,
                                             0,
                                             0,
                                             0,
                                             0,
                                             25,
                                             0,
                                             0,
                                             0,
                                             0,
                                             0,
                                             0,
                                             0,
                                             1,
                                             0,
                                             0,
                                             0,
                                             27,
                                             0,
                                             0,
                                             0,
                                             27,
                                             B(Op::nop),
                                             B(Op::nop),
                                             B(Op::iload_0),
                                             B(Op::ireturn),
                                             B(Op::iload_0),
                                             B(Op::ireturn)})));
  CHECK(method.Ask(
            ProfileWeights(OneBranch().Add(1, {{28, 0, 5}, {-5, 0, 6}, {26, 1, 7}}).profile())) ==
        std::vector<double>{5, 6, 7});
  // Added up by target: the first slot with it has all.
  CHECK(method.Ask(ProfileWeights(OneBranch().Add(1, {{28, 0, 11}, {26, 1, 7}}).profile())) ==
        std::vector<double>{11, 0, 7});
}

TEST_CASE("a profile of other code says nothing") {
  const PlannedMethod method(ClassWith(CountdownCode()));
  const ProfileWeights other_targets(OneBranch().Add(1, {{11, 0, 2}, {4, 1, 30}}).profile());
  CHECK(method.Ask(other_targets) == kUnknownIf);
  CHECK(other_targets.fitting() == 0);
  CHECK(other_targets.unfitting() == 1);
  CHECK(method.Ask(ProfileWeights(OneBranch().Add(2, {{10, 0, 2}, {4, 1, 3}}).profile())) ==
        kUnknownIf);
  CHECK(method.Ask(ProfileWeights(OneBranch("a.U").Add(1, {{10, 0, 2}, {4, 1, 3}}).profile())) ==
        kUnknownIf);
  CHECK(method.Ask(ProfileWeights(OneBranch().Add(1, {{-5, 0, 2}}).profile())) == kUnknownIf);
  CHECK(method.Ask(ProfileWeights(OneBranch().Add(1, {{10, 0, 0}, {4, 1, 0}}).profile())) ==
        kUnknownIf);
  CHECK(method.Ask(ProfileWeights(Profile())) == kUnknownIf);
}

TEST_CASE("two tests in a row need one increment, whichever way they usually go") {
  // if (a != 0 && a != 2) return 1; return 0;
  //  0 iload_0; 1 ifeq 11; 4 iload_0; 5 iconst_2; 6 if_icmpeq 11; 9 iconst_1; 10 ireturn; 11 iconst_0; 12 ireturn
  const PlannedMethod method(ClassWith(
      Code({B(Op::iload_0), B(Op::ifeq), 0, 10, B(Op::iload_0), B(Op::iconst_2), B(Op::if_icmpeq),
            0, 5, B(Op::iconst_1), B(Op::ireturn), B(Op::iconst_0), B(Op::ireturn)})));
  ProbePlanner planner;
  ProbePlan plan;
  planner.Plan(method.graph().graph(), {}, &plan);
  CHECK(plan.cost > 1.1);
  const Successor always[] = {{11, 0, 100}, {4, 1, 0}};
  const Successor never[] = {{11, 0, 0}, {4, 1, 100}};
  const Successor again[] = {{11, 0, 100}, {9, 1, 0}};
  const Successor neither[] = {{11, 0, 0}, {9, 1, 100}};
  const auto cost = [&](std::span<const Successor> first, std::span<const Successor> second) {
    OneBranch known;
    known.Add(1, {first.begin(), first.end()}).Add(6, {second.begin(), second.end()});
    std::vector<double> weights(method.graph().graph().edge_count(), kUnknownWeight);
    ProfileWeights(known.profile()).Weigh({"a/T", "f", "(I)I"}, method.graph(), weights);
    planner.Plan(method.graph().graph(), {.weights = weights}, &plan);
    return plan.cost;
  };
  CHECK(cost(never, neither) == Approx(1).margin(0.01));
  CHECK(cost(never, again) == Approx(1).margin(0.01));
  CHECK(cost(always, neither) == Approx(1).margin(0.01));
}

}  // namespace
}  // namespace iprof::instrument
