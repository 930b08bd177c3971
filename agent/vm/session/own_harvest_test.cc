// In a process without HotSpot. With one: java-tests/tests/harvest_inside.py.
#include "agent/vm/session/own_harvest.h"

#include <catch2/catch.hpp>

#include "agent/vm/jvmti/fake_jvm.h"
#include "writer/profile/io/agent_section.h"
#include "writer/records/raw/profile_sink.h"

namespace iprof::vm {
namespace {

TEST_CASE("where there is no HotSpot, nothing is added, and the reason is a sentence") {
  FakeJvm jvm;
  Options options;
  options.source = CountSource::kMethodData;
  Profile profile;
  profile.AddStandardTypes();
  const size_t types = profile.type_count();
  ProfileSink sink(profile);
  const auto added = WriteOwnHarvest(
      jvm.vm(), {.options = options, .target_jdk = 0, .most_bytes = 1 << 20, .is_counted = {}},
      nullptr, sink);
  REQUIRE_FALSE(added.ok());
  CHECK(added.status().message().starts_with("has an unknown layout"));
  CHECK(profile.type_count() == types);
  CHECK_FALSE(AgentPart(profile, kHarvestPart));
}

TEST_CASE("a harvest may keep what memory= says, without what is used already") {
  Options options;
  options.memory.bytes = 64 << 20;
  const uint64_t most = MostHarvestBytes(options);
  CHECK(most > 32 << 20);
  CHECK(MostHarvestBytes(options, 10 << 20) == most - (10 << 20));
  CHECK(MostHarvestBytes(options, 65 << 20) == 0);
}

}  // namespace
}  // namespace iprof::vm
