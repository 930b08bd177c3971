#include "agent/plan/weights/shipped_weights.h"

#include <fmt/core.h>

#include <algorithm>
#include <string>

#include "agent/classfile/testing/assembled_class.h"
#include "agent/plan/weights/code_shape.h"
#include "agent/plan/weights/known_weights.h"
#include "agent/plan/weights/planned_method.h"

namespace iprof::instrument {
namespace {

using classfile::Op;

std::vector<uint8_t> ClassWith(std::vector<uint8_t> code,
                               AssembledClass klass = AssembledClass("a/T")) {
  return klass.Add({.descriptor = "(I)I", .code = std::move(code)}).Bytes();
}

// What a table with this text about a/T says of CountdownCode's branch; %s is its code's shape.
std::vector<double> Ask(std::string text, const PlannedMethod& method) {
  const std::string shape = fmt::format("{:08x}", HashOfShape(method.code()));
  for (size_t at = text.find("%s"); at != std::string::npos; at = text.find("%s"))
    text.replace(at, 2, shape);
  const ShippedClass table[] = {{"a/S", "f(I)I 00000000 9 "}, {"a/T", text}, {"a/U", ""}};
  return method.Ask(ShippedWeights(table));
}

TEST_CASE("a character says how often a branch is taken") {
  const PlannedMethod method(ClassWith(CountdownCode()));
  CHECK(Ask("f(I)I %s 9", method) == std::vector<double>{512, 1});
  CHECK(Ask("f(I)I %s 0 ", method) == std::vector<double>{1.0 / 512, 1});
  CHECK(Ask("g(I)I %s 9 f(I)I 12345678 9 f(I)I %s 5 h()V %s 0", method) ==
        std::vector<double>{2, 1});
}

TEST_CASE("unknown branches, other methods, other code and malformed texts say nothing") {
  const PlannedMethod method(ClassWith(CountdownCode()));
  for (const char* text : {"", " ", "f(I)I", "f(I)I %s", "f(I)I %s ", "f(I)I %s .", "f(J)I %s 9",
                           "f(I)I 00000000 9", "xf(I)I %s 9", "f(I) %s 9"}) {
    CAPTURE(text);
    CHECK(Ask(text, method) == kUnknownIf);
  }
}

TEST_CASE("the shape of code is that of its instructions and branches, not of its constants") {
  const auto shape = [](std::initializer_list<int> code, uint16_t unused_constants = 0) {
    AssembledClass klass("a/T");
    for (uint16_t i = 0; i < unused_constants; ++i) klass.Integer(i);
    return HashOfShape(PlannedMethod(ClassWith(Code(code), klass)).code());
  };
  const int to_4[] = {B(Op::iload_0), B(Op::ifle), 0, 3, B(Op::iload_0), B(Op::ireturn)};
  const uint32_t same = shape({to_4[0], to_4[1], to_4[2], to_4[3], to_4[4], to_4[5]});
  CHECK(shape({to_4[0], to_4[1], to_4[2], to_4[3], to_4[4], to_4[5]}, 9) == same);
  CHECK(shape({to_4[0], B(Op::ifgt), to_4[2], to_4[3], to_4[4], to_4[5]}) != same);
  CHECK(shape({to_4[0], to_4[1], to_4[2], 4, to_4[4], to_4[5]}) != same);
  // As it was when the table was made: a change would make the table useless.
  CHECK(fmt::format("{:08x}", HashOfShape(PlannedMethod(ClassWith(CountdownCode())).code())) ==
        "ad9893eb");
}

TEST_CASE("the shipped table is in order and well-formed") {
  const auto table = ShippedTable();
  REQUIRE_FALSE(table.empty());
  CHECK(std::is_sorted(table.begin(), table.end(),
                       [](const auto& a, const auto& b) { return a.name < b.name; }));
  size_t bytes = 0;
  for (const ShippedClass& klass : table) {
    CAPTURE(klass.name);
    bytes += klass.name.size() + klass.methods.size();
    size_t words = 0;
    for (size_t at = 0; at < klass.methods.size();) {
      const size_t end = klass.methods.find(' ', at);
      REQUIRE(end != std::string_view::npos);
      const std::string_view word = klass.methods.substr(at, end - at);
      CAPTURE(word);
      if (words % 3 == 0) CHECK(word.find(')') != std::string_view::npos);
      if (words % 3 == 1) CHECK(word.find_first_not_of("0123456789abcdef") == word.npos);
      if (words % 3 == 1) CHECK(word.size() == 8);
      if (words % 3 == 2) CHECK(word.find_first_not_of("0123456789.") == word.npos);
      ++words;
      at = end + 1;
    }
    CHECK(words > 0);
    CHECK(words % 3 == 0);
  }
  CHECK(bytes < 100'000);
}

// java.lang.String with one of its methods, as javac compiles it. For a Latin-1 string, none of the
// ifs of these methods is taken.
struct StringClass {
  AssembledClass klass{"java/lang/String"};
  int compact = klass.FieldRef("java/lang/String", "COMPACT_STRINGS", "Z");
  int coder = klass.FieldRef("java/lang/String", "coder", "B");

  StringClass() {
    klass.AddField(kStaticFinal, "COMPACT_STRINGS", "Z").AddField(kPrivateFinal, "coder", "B");
  }

  // How many counters the method increments if no if is taken. They are placed with all that the
  // agent knows without options.
  size_t IncrementsOf(const std::string& name, const std::string& descriptor,
                      std::vector<uint8_t> code) {
    klass.Add({.access = kPublic, .name = name, .descriptor = descriptor, .code = std::move(code)});
    const PlannedMethod method(klass.Bytes());
    const CountingGraph& graph = method.graph().graph();
    std::vector<double> weights(graph.edge_count(), kUnknownWeight);
    KnownWeights().Weigh({"java/lang/String", name, descriptor}, method.graph(), weights);
    ProbePlanner planner;
    ProbePlan plan;
    planner.Plan(graph, {.weights = weights}, &plan);
    size_t increments = 0;
    for (EdgeId way = kEntryEdge;;) {
      for (const Probe& probe : plan.probes) increments += probe.edge == way ? 1 : 0;
      const NodeId block = graph.edge(way).dst;
      if (block == kRoot) return increments;
      for (const uint32_t out : graph.Out(Index(block))) {
        if (graph.edge(EdgeId{out}).kind != EdgeKind::kTaken) way = EdgeId{out};
      }
    }
  }

 private:
  static constexpr uint16_t kPublic = 0x0001;
  static constexpr uint16_t kPrivateFinal = 0x0012;
  static constexpr uint16_t kStaticFinal = 0x0018;
};

TEST_CASE("String.isLatin1, coder and charAt increment one counter if strings are Latin-1") {
  StringClass a;
  //  0 getstatic COMPACT_STRINGS; 3 ifeq 17; 6 aload_0; 7 getfield coder; 10 ifne 17; 13 iconst_1;
  // 14 goto 18; 17 iconst_0; 18 ireturn
  CHECK(a.IncrementsOf(
            "isLatin1", "()Z",
            Code({B(Op::getstatic), a.compact >> 8, a.compact, B(Op::ifeq), 0, 14, B(Op::aload_0),
                  B(Op::getfield), a.coder >> 8, a.coder, B(Op::ifne), 0, 7, B(Op::iconst_1),
                  B(Op::goto_), 0, 4, B(Op::iconst_0), B(Op::ireturn)})) == 1);
  StringClass b;
  //  0 getstatic COMPACT_STRINGS; 3 ifeq 13; 6 aload_0; 7 getfield coder; 10 goto 14; 13 iconst_1;
  // 14 ireturn
  CHECK(b.IncrementsOf("coder", "()B",
                       Code({B(Op::getstatic), b.compact >> 8, b.compact, B(Op::ifeq), 0, 10,
                             B(Op::aload_0), B(Op::getfield), b.coder >> 8, b.coder, B(Op::goto_),
                             0, 4, B(Op::iconst_1), B(Op::ireturn)})) == 1);
  StringClass c;
  const int test = c.klass.MethodRef("java/lang/String", "isLatin1", "()Z");
  const int value = c.klass.FieldRef("java/lang/String", "value", "[B");
  const int latin1 = c.klass.MethodRef("java/lang/StringLatin1", "charAt", "([BI)C");
  const int utf16 = c.klass.MethodRef("java/lang/StringUTF16", "charAt", "([BI)C");
  //  0 aload_0; 1 invokevirtual isLatin1; 4 ifeq 16; 7 aload_0; 8 getfield value; 11 iload_1;
  // 12 invokestatic StringLatin1.charAt; 15 ireturn; 16 the same with StringUTF16
  CHECK(c.IncrementsOf("charAt", "(I)C",
                       Code({B(Op::aload_0),
                             B(Op::invokevirtual),
                             test >> 8,
                             test,
                             B(Op::ifeq),
                             0,
                             12,
                             B(Op::aload_0),
                             B(Op::getfield),
                             value >> 8,
                             value,
                             B(Op::iload_1),
                             B(Op::invokestatic),
                             latin1 >> 8,
                             latin1,
                             B(Op::ireturn),
                             B(Op::aload_0),
                             B(Op::getfield),
                             value >> 8,
                             value,
                             B(Op::iload_1),
                             B(Op::invokestatic),
                             utf16 >> 8,
                             utf16,
                             B(Op::ireturn)})) == 1);
}

TEST_CASE("String.charAt is in the shipped table") {
  const auto table = ShippedTable();
  const auto found = std::find_if(table.begin(), table.end(),
                                  [](const auto& c) { return c.name == "java/lang/String"; });
  REQUIRE(found != table.end());
  CHECK(found->methods.find("charAt(I)C ") != std::string_view::npos);
}

TEST_CASE("an earlier profile has precedence over what is shipped") {
  const PlannedMethod method(ClassWith(CountdownCode()));
  Profile profile;
  const TypeIndex number = profile.AddType("int");
  const TypeIndex signature[] = {profile.AddType("a.T"), number, number};
  const MethodIndex f = profile.AddMethod("f", signature);
  const Successor ways[] = {{10, 0, 2}, {4, 1, 30}};
  profile.AddSuccessors(profile.AddContext(kNoContext, f, 1), ways);
  CHECK(method.Ask(KnownWeights(std::make_unique<ProfileWeights>(profile))) ==
        std::vector<double>{2, 30});
  CHECK(method.Ask(KnownWeights()) == kUnknownIf);
}

}  // namespace
}  // namespace iprof::instrument
