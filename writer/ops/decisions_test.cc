#include "writer/ops/decisions.h"

#include <catch2/catch.hpp>

#include "writer/ops/ops_test_profiles.h"

namespace iprof {
namespace {

Profile Calls(const std::string& entries) {
  return ParseTables(R"(,"callCountProfiles":[)" + entries + "]");
}

Profile Branch(const std::string& records) {
  return ParseTables(R"(,"conditionalProfiles":[{"ctx":"2:3","records":[)" + records + "]}]");
}

Profile Receivers(const std::string& records) {
  return ParseTables(R"(,"virtualInvokeProfiles":[{"ctx":"2:7","records":[)" + records + "]}]");
}

TEST_CASE("hot are the methods of 99.9 % of calls and conditionals; totals do not matter") {
  const Profile a = Calls(
      R"({"ctx":"1:0","records":[9989]},{"ctx":"2:0","records":[10]},{"ctx":"3:0","records":[1]})");
  const Profile b = Calls(R"({"ctx":"1:0","records":[98]},{"ctx":"3:0","records":[2]})");
  const Decisions same = CompareDecisions(a, a);
  CHECK(same.hot.in_a == 2);
  CHECK(same.hot.missed == 0);
  CHECK(same.hot.extra == 0);
  const Decisions decisions = CompareDecisions(a, b);
  CHECK(decisions.hot.in_b == 2);
  CHECK(decisions.hot.missed == Approx(0.001));
  CHECK(decisions.hot.extra == Approx(0.02));
}

TEST_CASE("conditionals make a method hot, too") {
  const Profile a = ParseTables(
      R"(,"callCountProfiles":[{"ctx":"1:0","records":[1]},{"ctx":"2:0","records":[1]}],)"
      R"("conditionalProfiles":[{"ctx":"2:3","records":[5,0,500000,9,1,500000]}])");
  CHECK(CompareDecisions(a, a).hot.in_a == 1);
}

TEST_CASE("branches: off by more than ten points, inverted, unknown") {
  const Profile truth = Branch("53,0,60,14,1,40");
  const auto compare = [&](const std::string& records) {
    return CompareDecisions(truth, Branch(records)).branches;
  };
  CHECK(compare("14,0,5,53,1,5").off == 0);       // exactly ten points
  CHECK(compare("14,0,5,53,1,5").inverted == 0);  // equal is not inverted
  CHECK(compare("14,0,52,53,1,48").off == 1);
  CHECK(compare("14,0,51,53,1,49").inverted == 1);
  CHECK(compare("53,0,9,14,1,1").inverted == 0);
  CHECK(compare("53,0,9,14,1,1").off == 1);
  CHECK(compare("53,0,0,14,1,0").known == 0);
  CHECK(CompareDecisions(truth, Calls(R"({"ctx":"1:0","records":[1]})")).branches.known == 0);
}

TEST_CASE("a switch without a majority cannot be inverted") {
  const Profile truth = Branch("30,0,4,40,1,4,50,2,2");
  CHECK(CompareDecisions(truth, Branch("50,0,9,30,1,1")).branches.inverted == 0);
  CHECK(CompareDecisions(truth, Branch("50,0,9,30,1,1")).branches.off == 1);
}

TEST_CASE("shares are weighted with the first profile's executions") {
  const Profile a = ParseTables(
      R"(,"conditionalProfiles":[{"ctx":"2:3","records":[5,0,300,9,1,0]},)"
      R"({"ctx":"1:3","records":[5,0,100,9,1,0]},{"ctx":"1:8","records":[5,0,100,9,1,0]}])");
  const Profile b = ParseTables(R"(,"conditionalProfiles":[{"ctx":"2:3","records":[5,0,0,9,1,1]},)"
                                R"({"ctx":"1:3","records":[5,0,1000,9,1,0]}])");
  const BranchDecisions branches = CompareDecisions(a, b).branches;
  CHECK(branches.known == Approx(0.8));
  CHECK(branches.off == Approx(0.6));
  CHECK(branches.inverted == Approx(0.6));
}

TEST_CASE("receivers: the set of classes that get dispatched decides") {
  const Profile truth = Receivers("12,80,11,20");
  const auto other = [&](const std::string& records) {
    return CompareDecisions(truth, Receivers(records)).receivers.other;
  };
  CHECK(other("11,5,12,5") == 0);
  CHECK(other("12,91,11,9") == 1);  // one class has less than a tenth
  CHECK(other("12,1") == 1);
  CHECK(CompareDecisions(truth, Branch("5,0,1,9,1,1")).receivers.known == 0);
}

TEST_CASE("empty profiles have nothing to decide") {
  const Profile empty = Parse(R"({"version":"1.0.0","types":[],"methods":[]})");
  const Decisions decisions = CompareDecisions(empty, empty);
  CHECK(decisions.hot.in_a == 0);
  CHECK(decisions.branches.known == 0);
  CHECK(decisions.receivers.other == 0);
}

}  // namespace
}  // namespace iprof
