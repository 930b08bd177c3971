#include "cli/views/report/report_model.h"

#include <catch2/catch.hpp>

#include "writer/profile/io/reader.h"

namespace iprof {
namespace {

// a.Main: main(1) calls loop(2) at 5; that calls a.Circle.area(3) or a.Square.area(4) at 7.
Profile Shapes(const std::string& tables) {
  Result<Profile> read = ReadProfileText(
      R"({"version":"1.0.0","types":[{"id":4,"name":"int"},{"id":8,"name":"void"},{"id":10,"name":"a.Main"},)"
      R"({"id":11,"name":"a.Circle"},{"id":12,"name":"a.Square"}],"methods":[)"
      R"({"id":1,"name":"main","signature":[10,8]},{"id":2,"name":"loop","signature":[10,8,4]},)"
      R"({"id":3,"name":"area","signature":[11,4]},{"id":4,"name":"area","signature":[12,4]}])" +
      tables + "}");
  if (!read.ok()) FAIL(read.status().message());
  return std::move(*read);
}

const ReportMethod& Method(const ReportModel& model, const std::string& name) {
  for (const ReportMethod& method : model.methods()) {
    if (model.names().DescribeMethod(method.method) == name) return method;
  }
  FAIL("no method " << name);
  return model.methods().front();
}

}  // namespace

TEST_CASE("figures of a method, over all contexts") {
  ReportModel model;
  model.Add(Shapes(
      R"(,"callCountProfiles":[{"ctx":"3:0<2:7<1:5","records":[60]},{"ctx":"3:0","records":[30]}])"
      R"(,"conditionalProfiles":[{"ctx":"2:3","records":[53,0,90,14,1,10]},{"ctx":"2:3<1:5","records":[14,0,5,53,1,1]}])"
      R"(,"virtualInvokeProfiles":[{"ctx":"2:7","records":[11,75,12,25]}])"
      R"(,"monitorProfiles":[{"ctx":"0:0","records":[11,7,12,9]}])"
      R"(,"samplingProfiles":[{"ctx":"3:2<2:7<2:7<1:5","records":[5]},{"ctx":"2:9<1:5","records":[2]}])"));
  model.Finish();
  const ReportMethod& loop = Method(model, "a.Main.loop(int)void");
  CHECK(loop.self == Counts{2, 0});
  CHECK(loop.total == Counts{7, 0});  // once, although one stack has it twice
  CHECK(loop.branches == Counts{106, 0});
  CHECK(loop.receivers == Counts{100, 0});
  REQUIRE(loop.sites.size() == 2);
  CHECK(loop.sites[0].table == Table::kConditionals);
  REQUIRE(loop.sites[0].outcomes.size() == 2);
  CHECK(loop.sites[0].outcomes[0].key == 53);
  CHECK(loop.sites[0].outcomes[0].count == Counts{91, 0});
  CHECK(loop.sites[0].outcomes[1].key == 14);
  CHECK(loop.sites[0].outcomes[1].count == Counts{15, 0});
  const auto& receivers = loop.sites[1].outcomes;
  REQUIRE(receivers.size() == 2);
  CHECK(model.names().TypeName(TypeIndex{static_cast<uint32_t>(receivers[0].key)}) == "a.Circle");
  CHECK(receivers[0].count == Counts{75, 0});
  REQUIRE(loop.positions.size() == 2);
  CHECK(loop.positions[0].bci == 7);
  CHECK(loop.positions[0].total == Counts{5, 0});
  CHECK(loop.positions[0].self == Counts{});
  CHECK(loop.positions[1].self == Counts{2, 0});

  const ReportMethod& area = Method(model, "a.Circle.area()int");
  CHECK(area.calls == Counts{90, 0});
  REQUIRE(area.callers.size() == 1);
  CHECK(area.callers[0].other == loop.method);
  CHECK(area.callers[0].samples == Counts{5, 0});
  CHECK(area.callers[0].calls == Counts{60, 0});
  REQUIRE(loop.callers.size() == 2);  // main and itself
  CHECK(loop.callers[0].samples == Counts{7, 0});
  REQUIRE(model.monitors().size() == 2);
  CHECK(model.monitors()[0].count == Counts{9, 0});
}

TEST_CASE("methods are ordered by their largest share") {
  ReportModel model;
  model.Add(
      Shapes(R"(,"callCountProfiles":[{"ctx":"1:0","records":[10]},{"ctx":"3:0","records":[90]}])"
             R"(,"conditionalProfiles":[{"ctx":"2:3","records":[53,0,1,14,1,1]}])"));
  model.Finish();
  std::vector<std::string> names;
  for (const ReportMethod& method : model.methods())
    names.emplace_back(model.names().MethodName(method.method));
  CHECK(names == std::vector<std::string>{"loop", "area", "main"});  // square's area never ran
}

TEST_CASE("two profiles are matched by name, not by their numbers") {
  ReportModel model;
  model.Add(Shapes(R"(,"callCountProfiles":[{"ctx":"3:0","records":[8]}])"));
  Result<Profile> other = ReadProfileText(
      R"({"version":"1.0.0","types":[{"id":77,"name":"int"},{"id":20,"name":"a.Circle"},{"id":21,"name":"a.New"}],)"
      R"("methods":[{"id":5,"name":"area","signature":[20,77]},{"id":6,"name":"make","signature":[21,77]}],)"
      R"("callCountProfiles":[{"ctx":"5:0","records":[3]},{"ctx":"6:0","records":[4]}]})");
  REQUIRE(other.ok());
  model.Add(*other);
  model.Finish();
  CHECK(model.sides() == 2);
  CHECK(Method(model, "a.Circle.area()int").calls == Counts{8, 3});
  CHECK(Method(model, "a.New.make()int").calls == Counts{0, 4});
  CHECK(model.TotalOf(Table::kCalls) == Counts{8, 7});
}

}  // namespace iprof
