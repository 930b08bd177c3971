#include "writer/profile/image/site_receivers.h"

#include <catch2/catch.hpp>

#include "writer/profile/image/split_test_profile.h"

namespace iprof {
namespace {

// Whether samples in the run() of these classes agree with the counts.
bool Agrees(const std::vector<int64_t>& counts, const std::vector<size_t>& sampled,
            const std::vector<size_t>& inherits = {}) {
  CallProfile program(counts.size(), inherits);
  program.Receive(program.call, counts);
  std::set<MethodIndex> callees;
  for (const size_t i : sampled) callees.insert(program.runs[i]);
  return SiteReceivers::Of(program.profile).Agrees(program.call, callees);
}

TEST_CASE("the sampled methods must be those of the classes that have a tenth of the calls") {
  CHECK(Agrees({95, 5}, {0}));
  CHECK_FALSE(Agrees({95, 5}, {1}));
  CHECK_FALSE(Agrees({95, 5}, {0, 1}));
  CHECK(Agrees({90, 10}, {0, 1}));
  CHECK_FALSE(Agrees({90, 10}, {0}));
  CHECK_FALSE(Agrees({60, 40}, {1}));
}

TEST_CASE("at most three classes are selected") {
  CHECK(Agrees({30, 28, 22, 20}, {0, 1, 2}));
  CHECK_FALSE(Agrees({30, 28, 22, 20}, {0, 1, 2, 3}));
  CHECK_FALSE(Agrees({30, 28, 22, 20}, {0, 1}));
  CHECK(Agrees({25, 25, 25, 25}, {0, 1, 2}));  // the smaller ids
}

TEST_CASE("no class has a tenth: every sampled method disagrees") {
  const std::vector<int64_t> twenty(20, 5);
  CHECK_FALSE(Agrees(twenty, {0}));
}

TEST_CASE("a selected class may inherit the method") {
  CHECK(Agrees({100}, {0}, {0}));
  CHECK(Agrees({60, 40}, {0, 1}, {1}));
  CHECK_FALSE(Agrees({60, 40}, {0}, {1}));  // it was not sampled
  CHECK_FALSE(Agrees({60, 40}, {1}, {1}));  // the own one was not
}

TEST_CASE("where another class may explain the method, it is not certain") {
  CHECK_FALSE(Agrees({95, 5}, {0}, {0, 1}));   // both inherit, perhaps from different classes
  CHECK_FALSE(Agrees({60, 40}, {0}, {0, 1}));  // both inherit here, too
  CHECK(Agrees({95, 5}, {0}, {0}));            // the rare class has its own
}

TEST_CASE("a method of another name is no target of the classes") {
  CallProfile program(1);
  program.Receive(program.call, {100});
  const SiteReceivers sites = SiteReceivers::Of(program.profile);
  // main() has no name in common with C0; it could only be inherited, as by generated classes.
  CHECK_FALSE(sites.Agrees(program.call, {program.runs[0], program.main}));
}

TEST_CASE("sites without receivers agree with everything; records with callers are no sites") {
  CallProfile program(2);
  const Frame frames[] = {program.call, {program.main, 5}};
  const TypeCount counts[] = {{program.types[0], 9}};
  program.profile.AddTypeCounts(Table::kVirtualInvokes, program.profile.AddContext(frames), counts);
  const SiteReceivers sites = SiteReceivers::Of(program.profile);
  CHECK_FALSE(sites.Has(program.call));
  CHECK(sites.Agrees(program.call, {program.runs[1]}));
  CHECK(sites.Selected(program.call).empty());
  CHECK(sites.Calls(program.call) == 0);
}

TEST_CASE("a call matters from a thousand calls on") {
  CallProfile program(2);
  program.Receive(program.call, {kFewestCalls - 5, 4});
  CHECK_FALSE(SiteReceivers::Of(program.profile).Matters(program.call));
  program.Receive(program.call, {1});
  CHECK(SiteReceivers::Of(program.profile).Matters(program.call));
  CHECK_FALSE(SiteReceivers::Of(program.profile).Matters({program.main, 5}));
}

TEST_CASE("calls and classes of a site") {
  CallProfile program(3);
  program.Receive(program.call, {80, 15, 5});
  const SiteReceivers sites = SiteReceivers::Of(program.profile);
  CHECK(sites.Calls(program.call) == 100);
  CHECK(sites.Selected(program.call) == std::set{program.types[0], program.types[1]});
}

}  // namespace
}  // namespace iprof
