// Many profiles become one, one after the other, and what cannot be merged is left alone.
#include "agent/vm/session/dump/profile_merge.h"

#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include <catch2/catch.hpp>
#include <filesystem>
#include <fstream>
#include <sstream>
#include <vector>

#include "writer/base/temporary_folder.h"
#include "writer/profile/io/agent_section.h"
#include "writer/profile/io/code_part.h"
#include "writer/profile/io/file_place.h"
#include "writer/profile/io/lock_file.h"
#include "writer/profile/io/reader.h"
#include "writer/profile/io/run_note.h"

namespace iprof::vm {
namespace {

namespace fs = std::filesystem;
using std::chrono::milliseconds;

// A profile with one method that was called so often.
Profile Called(int64_t count, const std::string& of_class = "a.B") {
  Profile profile;
  profile.AddStandardTypes();
  const TypeIndex signature[] = {profile.AddType(of_class), profile.AddType("void")};
  const MethodIndex method = profile.AddMethod("run", signature);
  profile.AddCount(Table::kCalls, profile.AddContext(kNoContext, method, Bci{0}), count);
  return profile;
}

void Put(const std::string& path, const Profile& profile, WriteOptions options = {}) {
  REQUIRE(WriteProfileFile(profile, options, path, Readers::kOwner).ok());
}

std::string TextOf(const std::string& path) {
  std::stringstream text;
  text << std::ifstream(path).rdbuf();
  return text.str();
}

int64_t CallsIn(const std::string& path) {
  const Result<Profile> read = ReadProfileFile(path);
  INFO(read.status().message());
  REQUIRE(read.ok());
  return read->Total(Table::kCalls);
}

const MergeWait kNone;

TEST_CASE("the first profile becomes the shared one, and later ones are added to it") {
  const TemporaryFolder folder;
  const std::string shared = folder / "app.iprof";
  const std::string own = folder / "app.1.iprof";
  for (const int64_t count : {1, 20, 300}) {
    Put(own, Called(count));
    REQUIRE(MergeInto(own, shared, {}, kNone).status().message() == "");
    CHECK(folder.Names().size() == 1);  // neither the own file nor a lock is left
  }
  CHECK(CallsIn(shared) == 321);
  CHECK((fs::status(shared).permissions() & fs::perms(0077)) == fs::perms::none);
}

// One `if`, by whose bci the versions of the code can be told apart, as often as the method was called.
Profile OfVersion(uint64_t hash, int64_t count, int64_t end_ms) {
  Profile profile = Called(count);
  profile.SetCodeHash(MethodIndex{0}, hash << 40);  // the upper bits are written
  const Bci bci{static_cast<int32_t>(hash)};
  const Successor successors[] = {{.bci = 50, .index = 0, .count = count}};
  profile.AddSuccessors(profile.AddContext(kNoContext, MethodIndex{0}, bci), successors);
  NoteCodeHashes(profile);
  RunNote run;
  run.end_ms = end_ms;
  RunList runs;
  runs.Add(run);
  SetAgentPart(profile, kProvenancePart, runs.ToJson());
  return profile;
}

TEST_CASE("after an update the code of the newest run is kept, and the user is told once") {
  const TemporaryFolder folder;
  const std::string shared = folder / "app.iprof";
  const std::string own = folder / "app.1.iprof";
  const auto add = [&](uint64_t hash, int64_t count, int64_t end_ms) {
    Put(own, OfVersion(hash, count, end_ms));
    const auto warnings = MergeInto(own, shared, {}, kNone);
    REQUIRE(warnings.ok());
    return *warnings;
  };
  const auto branches = [&] { return ReadProfileFile(shared)->Total(Table::kConditionals); };
  CHECK(add(7, 1000, 1).empty());
  CHECK(add(7, 1000, 2).empty());
  CHECK(branches() == 2000);
  CHECK(add(8, 10, 3) ==
        std::vector<std::string>{
            "the code of 1 method differs between the inputs; the calls were added up, and the "
            "positions of the newest version were kept: a.B.run()void"});
  CHECK(branches() == 10);
  CHECK(add(8, 10, 4).empty());
  CHECK(branches() == 20);
  CHECK(CallsIn(shared) == 2020);
}

TEST_CASE("a file that another program has written is added to, and the user is told the names") {
  const TemporaryFolder folder;
  const std::string shared = folder / "app.iprof";
  const std::string own = folder / "app.1.iprof";
  Put(shared, Called(5));
  Put(own, Called(7, "b.C"));
  const auto warnings = MergeInto(own, shared, {}, kNone);
  REQUIRE(warnings.ok());
  REQUIRE(warnings->size() == 1);
  CHECK(warnings->front().starts_with("the inputs seem to be of different programs: " + own +
                                      " and " + shared + " share less than 5 %"));
  CHECK(CallsIn(shared) == 12);
}

TEST_CASE("processes that merge at once lose nothing") {
  const TemporaryFolder folder;
  const std::string shared = folder / "app.iprof";
  constexpr int kProcesses = 8;
  std::vector<pid_t> children;
  int64_t sum = 0;
  for (int i = 0; i < kProcesses; ++i) {
    sum += int64_t{1} << (4 * i);  // so that a missing or repeated one shows
    children.push_back(fork());
    if (children.back() != 0) continue;
    const std::string own = folder / ("app." + std::to_string(i + 1) + ".iprof");
    if (!WriteProfileFile(Called(int64_t{1} << (4 * i)), {}, own).ok()) _exit(1);
    _exit(MergeInto(own, shared, {}, {.patience = std::chrono::minutes(5)}).ok() ? 0 : 2);
  }
  for (const pid_t child : children) {
    int status = -1;
    REQUIRE(waitpid(child, &status, 0) == child);
    CHECK(status == 0);
  }
  CHECK(CallsIn(shared) == sum);
  CHECK(folder.Names().size() == 1);
}

TEST_CASE("what is no profile of ours to change stays as it is, and so does the own file") {
  const TemporaryFolder folder;
  const std::string shared = folder / "app.iprof";
  const std::string own = folder / "app.1.iprof";
  Put(own, Called(5));
  const std::string whole = TextOf(own);
  std::string text = GENERATE(as<std::string>(), "", "not a profile", "truncated",
                              R"({"version":"9.0.0","types":[],"methods":[]})");
  if (text == "truncated") text = whole.substr(0, whole.size() / 2);
  INFO(text);
  std::ofstream(shared) << text;
  const Status status = MergeInto(own, shared, {}, kNone).status();
  REQUIRE_FALSE(status.ok());
  CHECK(status.message().starts_with(shared));
  CHECK(TextOf(shared) == text);
  CHECK(TextOf(own) == whole);
  CHECK(folder.Names().size() == 2);
}

TEST_CASE("a shared file of another user, or behind another user's link, is not opened") {
  if (geteuid() != 0) return;
  const TemporaryFolder folder;
  const std::string shared = folder / "app.iprof";
  const std::string own = folder / "app.1.iprof";
  Put(own, Called(5));
  SECTION("a file") {
    Put(shared, Called(1));
    REQUIRE(chown(shared.c_str(), 4002, static_cast<gid_t>(-1)) == 0);
    CHECK(MergeInto(own, shared, {}, kNone).status().message() ==
          shared + ": belongs to another user (uid 4002), and is not merged");
    CHECK(CallsIn(shared) == 1);
  }
  SECTION("a link") {
    Put(folder / "precious", Called(1));
    fs::create_symlink("precious", shared);
    REQUIRE(lchown(shared.c_str(), 4002, static_cast<gid_t>(-1)) == 0);
    CHECK(MergeInto(own, shared, {}, kNone).status().message().find("belongs to another user") !=
          std::string::npos);
    CHECK(CallsIn(folder / "precious") == 1);
  }
  CHECK(CallsIn(own) == 5);
}

// What another process has locked.
Result<LockFile> Held(const std::string& path, LockUse use) {
  const Result<FilePlace> place = FilePlace::Find(path);
  REQUIRE(place.ok());
  return LockFile::Take(*place, {}, SystemCalls::Real(), use);
}

TEST_CASE("the wait for other JVMs that merge is bounded, and the user is told of it") {
  const TemporaryFolder folder;
  const std::string shared = folder / "app.iprof";
  const std::string own = folder / "app.1.iprof";
  Put(own, Called(5));
  Result<LockFile> held = Held(shared, LockUse::kTurn);
  REQUIRE(held.ok());
  int told = 0;
  const MergeWait wait{
      .patience = milliseconds(20), .on_wait = [&] { ++told; }, .silence = milliseconds(5)};
  CHECK(MergeInto(own, shared, {}, wait).status().message() ==
        shared + ": other JVMs have been merging into it for too long");
  CHECK(told == 1);
  CHECK(CallsIn(own) == 5);
  // While the user is told, the other one ends.
  const MergeWait longer{.patience = std::chrono::minutes(5),
                         .on_wait = [&] { held->Release(); },
                         .silence = milliseconds(5)};
  CHECK(MergeInto(own, shared, {}, longer).ok());
  CHECK(folder.Names().size() == 1);
}

TEST_CASE("no JVM waits for one that has the file and does not merge") {
  const TemporaryFolder folder;
  const std::string shared = folder / "app.iprof";
  const std::string own = folder / "app.1.iprof";
  Put(own, Called(5));
  Result<LockFile> held = Held(shared, LockUse::kClaim);
  REQUIRE(held.ok());
  const auto begin = std::chrono::steady_clock::now();
  const MergeWait wait{.patience = std::chrono::minutes(5), .on_wait = [] { FAIL("it waits"); }};
  CHECK(MergeInto(own, shared, {}, wait).status().message() ==
        shared +
            ": another running process writes it (a JVM without merge=y, or an iprof command)");
  CHECK(std::chrono::steady_clock::now() - begin < std::chrono::minutes(1));
  CHECK(CallsIn(own) == 5);
  held->Release();
  CHECK(MergeInto(own, shared, {}, kNone).ok());
  CHECK(folder.Names().size() == 1);
}

TEST_CASE("the shared file keeps tables that the older format has no place for") {
  const TemporaryFolder folder;
  const std::string shared = folder / "app.iprof";
  const std::string own = folder / "app.1.iprof";
  Profile with_checks = Called(1);
  const TypeCount counts[] = {{.type = with_checks.AddType("a.C"), .count = 9}};
  with_checks.AddTypeCounts(Table::kInstanceOfs,
                            with_checks.AddContext(kNoContext, MethodIndex{0}, Bci{4}), counts);
  Put(shared, with_checks, {.version = FormatVersion::k1_1_0});
  Put(own, Called(2));
  REQUIRE(MergeInto(own, shared, {}, kNone).ok());
  CHECK(CallsIn(shared) == 3);
  CHECK(ReadProfileFile(shared)->Total(Table::kInstanceOfs) == 9);
}

}  // namespace
}  // namespace iprof::vm
