#include "cli/files/fitness/repair.h"

#include <catch2/catch.hpp>
#include <vector>

#include "agent/classfile/testing/assembled_class.h"
#include "cli/classpath/archive_builder.h"
#include "writer/base/temporary_folder.h"

namespace iprof::fitness {
namespace {

// A JDK in which BootLoader has no method load.
RepairedProfile Repaired(const Profile& profile) {
  instrument::AssembledClass map("java/util/HashMap");
  map.Add({.name = "get", .descriptor = "(I)I", .code = instrument::CountdownCode()});
  instrument::AssembledClass object("java/lang/Object", "");
  instrument::AssembledClass loader("jdk/internal/loader/BootLoader");
  std::vector<classpath::TestEntry> entries;
  const auto add = [&](const char* file, instrument::AssembledClass& klass) {
    const auto bytes = klass.Bytes();
    entries.push_back({file, std::string(bytes.begin(), bytes.end()), true});
  };
  add("java/util/HashMap.class", map);
  add("java/lang/Object.class", object);
  add("jdk/internal/loader/BootLoader.class", loader);
  const TemporaryFolder folder;
  const std::string jar =
      folder.Write("app.jar", classpath::ToText(classpath::MakeArchive(entries)));
  const auto classes = classpath::OpenClassPath(jar, "", 17);
  REQUIRE(classes.ok());
  return RepairProfile(profile, *classes, nullptr, {});
}

TEST_CASE("A stack of class loading is dropped where it would lose the frames that say so") {
  Profile profile;
  profile.AddStandardTypes();
  const auto method = [&](const char* type, const char* name) {
    const TypeIndex number = profile.AddType("int");
    const TypeIndex signature[] = {profile.AddType(type), number, number};
    return profile.AddMethod(name, signature);
  };
  const MethodIndex get = method("java.util.HashMap", "get");
  const MethodIndex load = method("jdk.internal.loader.BootLoader", "load");
  const MethodIndex gone = method("gone.Main", "main");
  const auto sample = [&](const std::vector<Frame>& frames, int64_t weight) {
    profile.AddCount(Table::kSamples, profile.AddContext(frames), weight);
  };
  sample({{get, 4}, {load, 1}, {gone, 1}}, 40);
  sample({{get, 4}, {gone, 1}}, 7);
  const RepairedProfile repaired = Repaired(profile);
  CHECK(repaired.profile.Total(Table::kSamples) == 7);
  CHECK(repaired.counts.stacks_cut == 7);
  CHECK(repaired.counts.dropped.weight == 40);
}

}  // namespace
}  // namespace iprof::fitness
