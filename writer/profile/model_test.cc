// The guarantees of a profile in memory: uniqueness, stable order, saturation, contexts as a tree.
#include "writer/profile/model.h"

#include <catch2/catch.hpp>

#include "writer/base/utf8.h"
#include "writer/profile/example_profiles.h"

namespace iprof {
namespace {

TEST_CASE("types and methods are unique and keep their ids") {
  Profile p;
  p.AddStandardTypes();
  REQUIRE(p.type_count() == 10);
  CHECK(p.TypeName(TypeIndex{9}) == "java.lang.Object");
  const TypeIndex a = p.AddTypeWithId("a.A", 77);
  CHECK(p.AddType("a.A") == a);
  CHECK(p.TypeFileId(a) == 77);
  CHECK(p.TypeFileId(p.AddType("b.B")) == 78);
  CHECK(p.FindType("a.A") == a);
  CHECK_FALSE(p.FindType("nowhere"));
  const TypeIndex one[] = {a, TypeIndex{8}};
  const TypeIndex bridge[] = {a, TypeIndex{9}};
  const MethodIndex run = p.AddMethod("run", one);
  CHECK(p.AddMethod("run", one) == run);
  CHECK(p.AddMethod("run", bridge) != run);
  CHECK(p.FindMethod("run", one) == run);
  CHECK_FALSE(p.FindMethod("a.A", one));  // a string that is interned, but no method's name
  CHECK(p.DescribeMethod(run) == "a.A.run()void");
  CHECK(p.DescribeMethod(kNoMethod) == "(none)");
}

TEST_CASE("a description of many long names ends early, and not inside a character") {
  Profile p;
  std::string name;
  while (name.size() < 60000) name += "\u00e9";
  std::vector<TypeIndex> signature(257, p.AddType(name));
  const std::string long_type = p.DescribeMethod(p.AddMethod("m", signature));
  CHECK(long_type == name.substr(0, kMostDescribedBytes) + "...");
  signature.assign(257, p.AddType("A"));
  signature[0] = p.AddType("x" + name.substr(0, 400));
  std::fill(signature.begin() + 2, signature.end(), signature[0]);
  const std::string long_list = p.DescribeMethod(p.AddMethod("m", signature));
  CHECK(long_list.size() <= kMostDescribedBytes + 3);
  CHECK(long_list.ends_with("..."));
  CHECK(IsUtf8(long_list));
  CHECK(long_list.capacity() < 2 * kMostDescribedBytes);
}

TEST_CASE("names from the JVM become UTF-8") {
  Profile p;
  const TypeIndex pair =
      p.AddType("\xed\xa0\xbd\xed\xb8\x80");  // a surrogate pair in modified UTF-8
  CHECK(p.TypeName(pair) == "\U0001f600");
  CHECK(p.FindType("\U0001f600") == pair);
  CHECK(p.TypeName(p.AddType("\xed\xa0\xbd")) == "\xed\xa0\xbd");  // alone: kept
  CHECK(p.TypeName(p.AddType(std::string_view("\xc0\x80", 2))) == std::string_view("\0", 1));
  CHECK(p.TypeName(p.AddType("\xff")) == "\ufffd");
}

TEST_CASE("contexts share their callers") {
  Profile p;
  const TypeIndex sig[] = {p.AddType("A"), p.AddType("void")};
  const MethodIndex m[] = {p.AddMethod("a", sig), p.AddMethod("b", sig), p.AddMethod("c", sig)};
  const Frame deep[] = {{m[2], 0}, {m[1], 7}, {m[0], 3}};
  const Frame other[] = {{m[2], 5}, {m[1], 7}, {m[0], 3}};
  const ContextIndex c = p.AddContext(deep);
  CHECK(p.context_count() == 3);
  CHECK(p.AddContext(deep) == c);
  const ContextIndex d = p.AddContext(other);
  CHECK(p.context_count() == 4);
  CHECK(p.Caller(c) == p.Caller(d));
  CHECK(p.Depth(c) == 3);
  CHECK(p.FormatContext(c) == "2:0<1:7<0:3");
  CHECK(p.Frames(c) == std::vector<Frame>(std::begin(deep), std::end(deep)));
  CHECK(p.FindContext(deep) == c);
  CHECK_FALSE(p.FindContext(std::span(deep).first(2)));
  CHECK(p.FormatContext(p.AddMonitorContext()) == "0:0");
  CHECK(p.AddMonitorContext() != p.AddContext(kNoContext, m[0], 0));
}

TEST_CASE("counts add up and saturate") {
  CHECK(SaturatingAdd(INT64_MAX, 1) == INT64_MAX);
  CHECK(SaturatingMultiply(INT64_MAX / 2, 3) == INT64_MAX);
  CHECK(SaturatingMultiply(-3, 4) == -12);
  Profile p;
  const TypeIndex sig[] = {p.AddType("A"), p.AddType("void")};
  const ContextIndex c = p.AddContext(kNoContext, p.AddMethod("a", sig), 0);
  const EntryIndex e = p.AddCount(Table::kCalls, c, INT64_MAX - 1);
  CHECK(p.AddCount(Table::kCalls, c, 5) == e);
  CHECK(p.EntryCount(Table::kCalls, e) == INT64_MAX);
  CHECK(p.entry_count(Table::kCalls) == 1);
  CHECK(p.entry_count(Table::kSamples) == 0);
  CHECK(p.FindEntry(Table::kCalls, c) == e);
  CHECK_FALSE(p.FindEntry(Table::kSamples, c));
  CHECK(p.Total(Table::kCalls) == INT64_MAX);
}

TEST_CASE("lists of one shape add key by key, others target by target") {
  Profile p;
  const TypeIndex sig[] = {p.AddType("A"), p.AddType("void")};
  const ContextIndex c = p.AddContext(kNoContext, p.AddMethod("a", sig), 9);
  // A switch with three keys for one target, and its default.
  const Successor first[] = {{40, 0, 1}, {-5, 0, 2}, {-5, 0, 3}, {60, 1, 4}};
  const Successor second[] = {{-5, 0, 10}, {40, 0, 20}, {-5, 0, 30}, {-5, 0, 40}, {70, 2, 50}};
  p.AddSuccessors(c, first);
  EntryIndex e = p.AddSuccessors(c, first);
  const auto got = [&] {
    const auto successors = p.EntrySuccessors(e);
    return std::vector<Successor>(successors.begin(), successors.end());
  };
  CHECK(got() == std::vector<Successor>{{40, 0, 2}, {-5, 0, 4}, {-5, 0, 6}, {60, 1, 8}});
  e = p.AddSuccessors(c, second);
  CHECK(got() == std::vector<Successor>{{40, 0, 112}, {60, 1, 8}, {70, 2, 50}});
  CHECK(p.EntryTotal(Table::kConditionals, e) == 170);
}

TEST_CASE("long lists add like short ones") {
  // The same additions one at a time (short way) and all at once (long way) must agree.
  RepeatableRandom random(3);
  Profile p;
  const TypeIndex sig[] = {p.AddType("A"), p.AddType("void")};
  const MethodIndex m = p.AddMethod("a", sig);
  for (int i = 0; i < 200; ++i) p.AddType("t" + std::to_string(i));
  const ContextIndex at_once = p.AddContext(kNoContext, m, 1);
  const ContextIndex one_by_one = p.AddContext(kNoContext, m, 2);
  for (int round = 0; round < 20; ++round) {
    std::vector<TypeCount> counts(random.Below(120));
    for (TypeCount& t : counts) t = {TypeIndex{static_cast<uint32_t>(random.Below(200))}, 1};
    p.AddTypeCounts(Table::kVirtualInvokes, at_once, counts);
    for (const TypeCount& t : counts) p.AddTypeCounts(Table::kVirtualInvokes, one_by_one, {&t, 1});
  }
  const auto a = p.EntryTypeCounts(Table::kVirtualInvokes, EntryIndex{0});
  const auto b = p.EntryTypeCounts(Table::kVirtualInvokes, EntryIndex{1});
  CHECK(std::vector<TypeCount>(a.begin(), a.end()) == std::vector<TypeCount>(b.begin(), b.end()));

  std::vector<Successor> many;
  for (int64_t i = 0; i < 100; ++i) many.push_back({i, i, 1});
  const ContextIndex s = p.AddContext(kNoContext, m, 3);
  p.AddSuccessors(s, many);
  many.push_back({100, 100, 1});
  const EntryIndex e = p.AddSuccessors(s, many);
  REQUIRE(p.EntrySuccessors(e).size() == 101);
  CHECK(p.EntrySuccessors(e)[99].count == 2);
  CHECK(p.EntrySuccessors(e)[100].count == 1);
  const Successor single[] = {{0, 0, 7}};
  p.AddSuccessors(s, single);
  CHECK(p.EntrySuccessors(e)[0].count == 9);
  CHECK(p.EntrySuccessors(e).size() == 101);
}

TEST_CASE("long lists take little more than their items") {
  Profile p;
  const TypeIndex sig[] = {p.AddType("A"), p.AddType("void")};
  const MethodIndex m = p.AddMethod("a", sig);
  std::vector<TypeCount> types;
  for (int i = 0; i < 4096; ++i) types.push_back({p.AddType("t" + std::to_string(i)), 1});
  const ContextIndex c = p.AddContext(kNoContext, m, 1);
  const size_t empty = p.MemoryBytes();
  std::vector<Successor> successors;
  for (int64_t i = 0; i < 65536; ++i) successors.push_back({i, i, 1});
  p.AddSuccessors(c, successors);
  const size_t with_successors = p.MemoryBytes();
  CHECK(with_successors - empty < 2 * sizeof(Successor) * successors.size());
  p.AddTypeCounts(Table::kVirtualInvokes, c, types);
  CHECK(p.MemoryBytes() - with_successors < 4 * sizeof(TypeCount) * types.size());
}

TEST_CASE("a long list of repeated types is a short one, and stays whole") {
  Profile p;
  const TypeIndex sig[] = {p.AddType("A"), p.AddType("void")};
  const ContextIndex c = p.AddContext(kNoContext, p.AddMethod("a", sig), 1);
  const std::vector<TypeCount> many(40, TypeCount{sig[0], 1});
  const TypeCount one[] = {{sig[1], 5}};
  p.AddTypeCounts(Table::kVirtualInvokes, c, many);
  p.AddTypeCounts(Table::kVirtualInvokes, c, one);
  p.AddTypeCounts(Table::kVirtualInvokes, c, many);
  p.AddTypeCounts(Table::kVirtualInvokes, c, one);
  const auto got = p.EntryTypeCounts(Table::kVirtualInvokes, EntryIndex{0});
  CHECK(std::vector<TypeCount>(got.begin(), got.end()) ==
        std::vector<TypeCount>{{sig[0], 80}, {sig[1], 10}});
}

TEST_CASE("unknown keys are replaced, not repeated") {
  Profile p;
  p.SetExtra("k", "1");
  p.SetExtra("l", "2");
  p.SetExtra("k", "3");
  REQUIRE(p.extras().size() == 2);
  CHECK(p.extras()[0] == ExtraKey{"k", "3"});
}

TEST_CASE("memory is accounted for") {
  const Profile small = MakeRandomProfile(1);
  const Profile large = MakeShapedProfile(1, 1);
  CHECK(small.MemoryBytes() < large.MemoryBytes());
  CHECK(large.MemoryBytes() < size_t{16} << 20);
}

}  // namespace
}  // namespace iprof
