#include "agent/harvest/harvest_profile.h"

#include <algorithm>
#include <catch2/catch.hpp>
#include <string>
#include <vector>

#include "writer/profile/image/finish_for_image.h"
#include "writer/profile/image/image_note.h"

namespace iprof::hotspot {
namespace {

// Each method was called 100 times, and has a branch, a call site with receivers, and a type check.
class Program {
 public:
  void Class(std::string_view name) {
    HarvestedClass klass;
    klass.name = klass.stable_name = name;
    klass.first_method = static_cast<uint32_t>(made.methods.size());
    made.classes.push_back(klass);
  }
  void Method(std::string_view name, std::string_view descriptor) {
    const auto number = static_cast<uint32_t>(made.methods.size());
    HarvestedMethod method;
    method.klass = static_cast<uint32_t>(made.classes.size() - 1);
    method.name = name;
    method.descriptor = descriptor;
    method.invocations = 100 + number;
    method.has_data = true;
    method.code_hash = 7 + number;
    method.branches.push_back({.bci = 3, .targets = {9, 6}, .counts = {10, 20 + number}});
    method.types.push_back({.bci = 1, .is_call = true, .rows = {{0, 30}, {2, 40 + number}}});
    method.types.push_back({.bci = 12, .is_call = false, .rows = {{1, 5}}});
    made.methods.push_back(method);
    ++made.classes.back().methods;
  }

  HarvestedProgram made;
};

Program EveryUse() {
  Program program;
  program.Class("a/B");
  program.Method("run", "()V");
  program.Method("run", "(I)V");
  program.Class("java/lang/Class");
  program.Method("getName", "()Ljava/lang/String;");  // replaced
  program.Method("cast", "(Ljava/lang/Object;)Ljava/lang/Object;");
  program.Class("java/lang/String");
  program.Method("split", "(Ljava/lang/String;I)[Ljava/lang/String;");  // replaced for some JDKs
  program.Method("split", "(Ljava/lang/String;)[Ljava/lang/String;");
  program.Class("java/lang/Thread");
  program.Method("registerNatives", "()V");  // absent
  program.Method("yield", "()V");            // replaced for some JDKs
  program.Class("jdk/internal/loader/BuiltinClassLoader");
  program.Method("loadClass", "(Ljava/lang/String;)Ljava/lang/Class;");  // machinery
  program.Class("jdk/internal/reflect/DirectMethodHandleAccessor");
  program.Method("invoke", "(Ljava/lang/Object;)V");  // machinery, too
  return program;
}

Profile Write(const HarvestedProgram& program, std::optional<ImageTarget> image) {
  Profile profile;
  profile.AddStandardTypes();
  WriteHarvest(program, RawScales(program), {.image = image}, profile);
  return profile;
}

// Everything that a profile counts, by names.
std::vector<std::string> CountsOf(const Profile& profile) {
  std::vector<std::string> counts;
  for (const Table table : kAllTables) {
    for (const EntryIndex entry : EntriesOf(profile, table)) {
      const Frame frame = profile.InnermostFrame(profile.EntryContext(table, entry));
      std::string text(TableKey(table));
      text += ' ' + profile.DescribeMethod(frame.method) + ':' + std::to_string(frame.bci);
      switch (RecordKindOf(table)) {
        case RecordKind::kCount:
          text += ' ' + std::to_string(profile.EntryCount(table, entry));
          break;
        case RecordKind::kSuccessors:
          for (const Successor& s : profile.EntrySuccessors(entry))
            text += ' ' + std::to_string(s.bci) + '=' + std::to_string(s.count);
          break;
        case RecordKind::kTypeCounts:
          for (const TypeCount& t : profile.EntryTypeCounts(table, entry))
            text += ' ' + std::string(profile.TypeName(t.type)) + '=' + std::to_string(t.count);
          break;
      }
      text += " hash " + std::to_string(profile.CodeHash(frame.method));
      counts.push_back(std::move(text));
    }
  }
  std::sort(counts.begin(), counts.end());
  return counts;
}

TEST_CASE("a call site may miss more than a type check, unless the user allows more to both") {
  Program program;
  program.Class("a/B");
  program.Class("a/C");
  program.Class("a/D");
  program.Method("run", "()V");
  HarvestedMethod& method = program.made.methods[0];
  method.types[0] = {.bci = 1, .is_call = true, .rows = {{0, 80}, {1, 9}}, .lost = 11};
  method.types[1] = {.bci = 12, .is_call = false, .rows = {{0, 80}, {1, 9}}, .lost = 11};
  const auto write = [&](double max_lost, Profile& profile) {
    profile.AddStandardTypes();
    return WriteHarvest(program.made, RawScales(program.made), {.max_lost = max_lost}, profile)
        .sites_left_out;
  };
  Profile usual;
  CHECK(write(kMostLostHarvest, usual) == 1);
  CHECK(usual.entry_count(Table::kVirtualInvokes) == 1);
  CHECK(usual.entry_count(Table::kInstanceOfs) == 0);
  const Frame site =
      usual.InnermostFrame(usual.EntryContext(Table::kVirtualInvokes, EntryIndex{0}));
  CHECK(usual.notes().RestOf(site.method, site.bci) == 110);
  Profile strict;
  CHECK(write(kMostLost, strict) == 2);
  Profile everything;
  CHECK(write(1, everything) == 0);
  CHECK(everything.entry_count(Table::kInstanceOfs) == 1);
}

TEST_CASE("what is left out for an image is what is taken out of a whole profile for it") {
  const Program program = EveryUse();
  const size_t all = CountsOf(Write(program.made, std::nullopt)).size();
  CHECK(all == 4 * program.made.methods.size());
  for (const ImageTarget target : {ImageTarget::k17, ImageTarget::k21, ImageTarget::k25}) {
    const ImageProfile taken_out =
        FinishForImage(Write(program.made, std::nullopt), target, /*filter=*/true);
    Profile left_out = Write(program.made, target);
    FinishFiltered(left_out, target);
    const std::vector<std::string> counts = CountsOf(left_out);
    CHECK(counts == CountsOf(taken_out.profile));
    CHECK(counts.size() < all);
    CHECK(left_out.method_count() == taken_out.profile.method_count());
    const auto note = ImageNote::Of(left_out);
    REQUIRE(note);
    CHECK(note->target == target);
    CHECK(note->filtered);
    CHECK(ImageNote::Of(taken_out.profile)->ToJson() == note->ToJson());
  }
}

TEST_CASE("of a method that an image replaces, a profile has the calls alone") {
  Program program;
  program.Class("java/lang/Class");
  program.Method("getName", "()Ljava/lang/String;");
  const Profile profile = Write(program.made, ImageTarget::k17);
  CHECK(profile.Total(Table::kCalls) == 100);
  for (const Table table : {Table::kConditionals, Table::kVirtualInvokes, Table::kInstanceOfs})
    CHECK(profile.entry_count(table) == 0);
}

TEST_CASE("a class of machinery alone is not in the profile") {
  Program program;
  program.Class("jdk/internal/loader/BuiltinClassLoader");
  program.Method("loadClass", "(Ljava/lang/String;)Ljava/lang/Class;");
  const Profile profile = Write(program.made, ImageTarget::k21);
  CHECK(profile.method_count() == 0);
  CHECK_FALSE(profile.FindType("jdk.internal.loader.BuiltinClassLoader"));
}

}  // namespace
}  // namespace iprof::hotspot
