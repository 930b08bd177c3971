#include "cli/views/coverage/coverage.h"

#include <catch2/catch.hpp>

namespace iprof {
namespace {

// Blocks with these counts, and edges between them.
MethodFlow FlowOf(const std::vector<int64_t>& counts,
                  const std::vector<std::pair<uint32_t, uint32_t>>& edges) {
  MethodFlow flow;
  for (size_t b = 0; b < counts.size(); ++b)
    flow.blocks.push_back({b, b + 1, counts[b], counts[b]});
  for (const auto& [from, to] : edges) flow.edges.push_back({from, to, std::nullopt, 0});
  return flow;
}

CoveredMethod Method(const std::string& name, std::vector<CoveredLine> lines) {
  return {name, "()V", lines.front().line, 1, 0, 0, std::move(lines), {}};
}

std::map<int, int64_t> CountsOf(const CoveredFile& file) {
  std::map<int, int64_t> counts;
  for (const CoveredLine& line : file.Lines()) counts[line.line] = line.count;
  return counts;
}

}  // namespace

TEST_CASE("a line with a choice runs as often as the choice") {
  // x = c ? a() : b();
  const MethodFlow flow = FlowOf({10, 4, 6, 10}, {{0, 1}, {0, 2}, {1, 3}, {2, 3}});
  CHECK(LineCount(flow, std::vector<uint32_t>{0, 1, 2, 3}, {}) == 10);
}

TEST_CASE("the line of a for loop runs as often as its condition") {
  // 0: i = 0;  1: i < 3;  2: the body, which is on another line;  3: i++, goto 1;  4: return
  const MethodFlow flow = FlowOf({1, 4, 3, 3, 1}, {{0, 1}, {1, 2}, {1, 4}, {2, 3}, {3, 1}});
  CHECK(LineCount(flow, std::vector<uint32_t>{0, 1, 3}, {}) == 4);
}

TEST_CASE("copies of a finally block exclude each other, also in a loop") {
  // 0: head;  1: try;  2: finally, goto 0;  3: handler with finally, athrow;  4: return
  const MethodFlow flow = FlowOf({11, 10, 8, 2, 1}, {{0, 1}, {0, 4}, {1, 2}, {2, 0}});
  const std::vector<BlockEdge> exceptions = {{1, 3, std::nullopt, 0}};
  CHECK(LineCount(flow, std::vector<uint32_t>{2, 3}, exceptions) == 10);
  // With the try block on the same line, the handler follows it.
  CHECK(LineCount(flow, std::vector<uint32_t>{1, 2, 3}, exceptions) == 10);
}

TEST_CASE("the parts of a call around an argument on another line are one execution") {
  // 0: f(  1: x   2: y   3: the call, on the line of 0
  const MethodFlow flow = FlowOf({5, 3, 2, 5}, {{0, 1}, {0, 2}, {1, 3}, {2, 3}});
  CHECK(LineCount(flow, std::vector<uint32_t>{0, 3}, {}) == 5);
}

TEST_CASE(
    "lines of several methods: initialisers of constructors are added up, bodies of lambdas are "
    "not") {
  CoveredClass of{"a/Cart", "Cart.java", "a/Cart.java", {}};
  of.methods.push_back(Method("<init>", {{3, 2, 4, 0}, {5, 2, 2, 0}}));
  of.methods.push_back(Method("<init>", {{3, 7, 4, 0}, {6, 7, 2, 0}}));
  of.methods.push_back(Method("run", {{9, 1, 5, 0}}));
  of.methods.push_back(Method("lambda$run$0", {{9, 40, 3, 3}}));
  CoveredFile file;
  file.Add(of);
  CHECK(CountsOf(file) == std::map<int, int64_t>{{3, 9}, {5, 2}, {6, 7}, {9, 40}});
  CHECK(file.Lines().back().instructions == 8);
  CHECK(file.Lines().back().missed == 3);
}

TEST_CASE("source files of one name are apart by package, and classes of one file together") {
  Coverage coverage;
  for (const char* name : {"A", "a/Cart", "a/Cart$Item", "b/Cart"})
    coverage.classes.push_back({name, "Cart.java", "", {Method("m", {{1, 1, 1, 0}})}});
  coverage.classes.push_back({"b/Nameless", "", "", {Method("m", {{1, 1, 1, 0}})}});
  std::vector<std::string> found;
  for (const CoveredPackage& package : PackagesOf(coverage)) {
    found.push_back(package.name + ":" + std::to_string(package.classes.size()));
    for (const auto& [name, file] : package.files)
      found.push_back(name + " " + std::to_string(file.classes().size()));
  }
  CHECK(found ==
        std::vector<std::string>{":1", "Cart.java 1", "a:2", "Cart.java 2", "b:2", "Cart.java 1"});
}

}  // namespace iprof
