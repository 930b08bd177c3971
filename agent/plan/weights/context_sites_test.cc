#include "agent/plan/weights/context_sites.h"

#include <catch2/catch.hpp>
#include <string>

namespace iprof::instrument {
namespace {

// A profile of methods a.T.NAME()void.
class Earlier {
 public:
  explicit Earlier(std::string_view klass = "a.T")
      : signature_{profile_.AddType(klass), profile_.AddType("void")} {}
  ContextIndex At(std::string_view method, Bci bci, Bci caller = -1) {
    const MethodIndex index = profile_.AddMethod(method, signature_);
    const ContextIndex outer =
        caller < 0 ? kNoContext : profile_.AddContext(kNoContext, index, caller);
    return profile_.AddContext(outer, index, bci);
  }
  void Branch(ContextIndex at, int64_t taken, int64_t other) {
    const Successor ways[] = {{50, 0, taken}, {60, 1, other}};
    profile_.AddSuccessors(at, ways);
  }
  void Call(ContextIndex at, int64_t first, int64_t second) {
    const TypeCount types[] = {{profile_.AddType("a.X"), first}, {profile_.AddType("a.Y"), second}};
    profile_.AddTypeCounts(Table::kVirtualInvokes, at, types);
  }
  // The chosen sites of a method: "3 c7", calls with a c.
  std::string Chosen(std::string_view method, uint64_t code_hash = 0) const {
    const ContextSites sites(profile_);
    std::string text;
    for (const ContextSite& site : sites.Of({"a/T", method, "()V"}, code_hash).sites) {
      if (!text.empty()) text += ' ';
      text += (site.is_call ? "c" : "") + std::to_string(site.bci);
    }
    return text;
  }
  Profile& profile() { return profile_; }

 private:
  Profile profile_;
  std::vector<TypeIndex> signature_;
};

TEST_CASE("sites that nearly always do the same are not chosen") {
  Earlier earlier;
  earlier.Branch(earlier.At("f", 3), 979, 21);  // 2.1 % go the other way
  earlier.Branch(earlier.At("f", 5), 981, 19);
  earlier.Call(earlier.At("f", 7), 890, 110);
  earlier.Call(earlier.At("f", 9), 910, 90);
  CHECK(earlier.Chosen("f") == "3 c7");
  CHECK(earlier.Chosen("g").empty());
}

TEST_CASE("a site is judged by all of its callers together") {
  Earlier earlier;
  earlier.Branch(earlier.At("f", 3, 40), 500, 0);
  earlier.Branch(earlier.At("f", 3, 41), 0, 500);
  CHECK(earlier.Chosen("f") == "3");
}

TEST_CASE("seldom executed sites are not chosen") {
  Earlier earlier;
  earlier.Branch(earlier.At("f", 3), 50'000, 50'000);
  earlier.Branch(earlier.At("f", 5), 1000, 900);
  earlier.Branch(earlier.At("f", 7), 100, 100);
  // 3 and 5 make 99.8 % of all executions, 3 alone 97.9 %.
  CHECK(earlier.Chosen("f") == "3 5");
}

TEST_CASE("there are never more than the most, and they are numbered by method") {
  Earlier earlier;
  for (Bci bci = 0; bci < 3000; ++bci)
    earlier.Branch(earlier.At(bci % 2 == 0 ? "even" : "odd", bci), 5000 - bci, 5000 - bci);
  const ContextSites sites(earlier.profile());
  CHECK(sites.sites().size() == ContextSites::kMost);
  const auto even = sites.Of({"a/T", "even", "()V"}, 0);
  const auto odd = sites.Of({"a/T", "odd", "()V"}, 0);
  REQUIRE(even.sites.size() == ContextSites::kMost / 2);
  REQUIRE(odd.sites.size() == ContextSites::kMost / 2);
  CHECK(std::min(even.first, odd.first) == 0);
  CHECK(sites.sites()[odd.first].bci == odd.sites[0].bci);
}

TEST_CASE("other code of a method has no sites") {
  Earlier earlier;
  earlier.Branch(earlier.At("f", 3), 100, 100);
  earlier.profile().SetCodeHash(
      earlier.profile()
          .FindMethod("f", std::vector<TypeIndex>{*earlier.profile().FindType("a.T"),
                                                  *earlier.profile().FindType("void")})
          .value(),
      0xABCDEF0123456789);
  // The highest 36 bits count.
  CHECK(earlier.Chosen("f", 0xABCDEF0120000000) == "3");
  CHECK(earlier.Chosen("f", 0xABCDEF1123456789).empty());
}

TEST_CASE("what runs while virtual threads move is never chosen") {
  for (const std::string name : {"java.lang.VirtualThread", "java.lang.ThreadLocal$ThreadLocalMap",
                                 "java.lang.Object", "jdk.internal.misc.Unsafe"}) {
    Earlier earlier(name);
    earlier.Branch(earlier.At("f", 3), 100, 100);
    CHECK(ContextSites(earlier.profile()).sites().empty());
  }
  Earlier other("java.lang.Objects");
  other.Branch(other.At("f", 3), 100, 100);
  CHECK(ContextSites(other.profile()).sites().size() == 1);
}

}  // namespace
}  // namespace iprof::instrument
