#include "cli/views/report/call_edges.h"

#include <catch2/catch.hpp>

#include "writer/profile/io/reader.h"

namespace iprof {
namespace {

using Edges = std::map<std::string, Counts>;  // calls, by the other method

// a.Main: main(1) calls loop(2) at 5; that calls area of a.Circle(3) or a.Square(4) at 7, and a.Main.help(5) at 20.
// a.Square also has area(int)(6).
Profile Shapes(const std::string& tables) {
  Result<Profile> read = ReadProfileText(
      R"({"version":"1.0.0","types":[{"id":4,"name":"int"},{"id":8,"name":"void"},{"id":10,"name":"a.Main"},)"
      R"({"id":11,"name":"a.Circle"},{"id":12,"name":"a.Square"}],"methods":[)"
      R"({"id":1,"name":"main","signature":[10,8]},{"id":2,"name":"loop","signature":[10,8,4]},)"
      R"({"id":3,"name":"area","signature":[11,4]},{"id":4,"name":"area","signature":[12,4]},)"
      R"({"id":5,"name":"help","signature":[10,8]},{"id":6,"name":"area","signature":[12,4,4]}])" +
      tables + "}");
  if (!read.ok()) FAIL(read.status().message());
  return std::move(*read);
}

const char* const kTables =
    R"(,"callCountProfiles":[{"ctx":"2:0","records":[9]},{"ctx":"3:0","records":[75]},{"ctx":"4:0","records":[25]},)"
    R"({"ctx":"5:0","records":[90]},{"ctx":"6:0","records":[1]}])"
    R"(,"conditionalProfiles":[{"ctx":"2:3","records":[6,0,90,30,1,10]}])"
    R"(,"virtualInvokeProfiles":[{"ctx":"2:7","records":[11,75,12,25]}])"
    R"(,"samplingProfiles":[{"ctx":"3:2<2:7<1:5","records":[5]}])";

// What loop calls, and what calls it there.
MethodListing LoopListing() {
  MethodListing listing;
  listing.instructions = {{3, "ifeq", "", {30}, true, false, ""},
                          {6, "aload_0", "", {}, true, false, ""},
                          {7, "invokeinterface", "", {}, true, false, "a.Shape.area()int"},
                          {20, "invokestatic", "", {}, true, false, "a.Main.help()void"},
                          {23, "invokestatic", "", {}, true, false, "a.Gone.help()void"},
                          {26, "return", "", {}, false, false, ""},
                          {30, "return", "", {}, false, false, ""}};
  return listing;
}

class Fixture {
 public:
  explicit Fixture(std::initializer_list<std::string> tables, const char* callee = nullptr) {
    for (const std::string& each : tables) {
      Profile profile = Shapes(each);
      if (callee != nullptr) {
        for (const MethodIndex method : MethodsOf(profile)) {
          if (profile.MethodName(method) == "loop") profile.notes().SetCallee(method, 7, callee);
        }
      }
      model_.Add(profile);
    }
    model_.Finish();
    for (const ReportMethod& method : model_.methods()) methods_.push_back(&method);
  }

  const ReportMethod& Method(const std::string& name) const {
    for (const ReportMethod* method : methods_) {
      if (model_.names().DescribeMethod(method->method) == name) return *method;
    }
    FAIL("no method " << name);
    return *methods_.front();
  }
  CallEdges Edges() const { return {model_.names(), methods_, model_.sides()}; }
  iprof::Edges CallsOf(const std::vector<ReportEdge>& edges) const {
    iprof::Edges calls;
    for (const ReportEdge& edge : edges)
      calls[model_.names().DescribeMethod(edge.other)] = edge.calls;
    return calls;
  }

 private:
  ReportModel model_;
  std::vector<const ReportMethod*> methods_;
};

const std::string kLoop = "a.Main.loop(int)void";

}  // namespace

TEST_CASE("receivers and the name at their call site are callees") {
  const Fixture made({kTables}, "a.Shape.area");
  CallEdges edges = made.Edges();
  CHECK(edges.AddSites(made.Method(kLoop), nullptr) == 0);
  // a.Square has two methods of this name.
  CHECK(made.CallsOf(edges.CalleesOf(made.Method(kLoop))) ==
        Edges{{"a.Circle.area()int", {75, 0}}});
  const auto callers = edges.CallersOf(made.Method("a.Circle.area()int"));
  REQUIRE(callers.size() == 1);
  CHECK(callers[0].samples == Counts{5, 0});
  CHECK(callers[0].calls == Counts{75, 0});
  CHECK(edges.CallersOf(made.Method("a.Square.area()int")).empty());
}

TEST_CASE("with bytecode, the types of parameters are known, and static calls") {
  const Fixture made({kTables});
  CallEdges edges = made.Edges();
  const MethodListing listing = LoopListing();
  CHECK(edges.AddSites(made.Method(kLoop), &listing) == 1);
  CHECK(made.CallsOf(edges.CalleesOf(made.Method(kLoop))) == Edges{{"a.Circle.area()int", {75, 0}},
                                                                   {"a.Square.area()int", {25, 0}},
                                                                   {"a.Main.help()void", {90, 0}}});
  CHECK(made.CallsOf(edges.CallersOf(made.Method("a.Main.help()void"))) == Edges{{kLoop, {90, 0}}});
  CHECK(edges.CallersOf(made.Method("a.Square.area(int)int")).empty());
}

TEST_CASE("a call that a context and a call site tell of is counted once") {
  std::string with_context = kTables;
  with_context.replace(with_context.find(R"("3:0")"), 5, R"("3:0<2:7<1:5")");
  const Fixture made({with_context});
  CallEdges edges = made.Edges();
  const MethodListing listing = LoopListing();
  edges.AddSites(made.Method(kLoop), &listing);
  CHECK(made.CallsOf(edges.CallersOf(made.Method("a.Circle.area()int"))) ==
        Edges{{kLoop, {75, 0}}});
}

TEST_CASE("a comparison has the calls of both profiles") {
  std::string changed = kTables;
  changed.replace(changed.find("[6,0,90,30,1,10]"), 16, "[6,0,40,30,1,60]");
  changed.replace(changed.find("[11,75,12,25]"), 13, "[11,10,12,30]");
  const Fixture made({kTables, changed});
  CallEdges edges = made.Edges();
  const MethodListing listing = LoopListing();
  edges.AddSites(made.Method(kLoop), &listing);
  const auto calls = made.CallsOf(edges.CalleesOf(made.Method(kLoop)));
  CHECK(calls.at("a.Main.help()void") == Counts{90, 40});
  CHECK(calls.at("a.Circle.area()int") == Counts{75, 10});
}

}  // namespace iprof
