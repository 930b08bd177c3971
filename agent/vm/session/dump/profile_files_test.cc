// Which file a session's profile goes to, during and at the end of its life.
#include "agent/vm/session/dump/profile_files.h"

#include <unistd.h>

#include <catch2/catch.hpp>
#include <filesystem>
#include <fstream>

#include "agent/settings/temporary_log.h"
#include "writer/base/temporary_folder.h"
#include "writer/profile/io/reader.h"

namespace iprof::vm {
namespace {

namespace fs = std::filesystem;

Options Parsed(std::string_view text) {
  const auto parsed = ParseOptions(text);
  REQUIRE(parsed.ok());
  return parsed->options;
}

Profile Called(int64_t count) {
  Profile profile;
  profile.AddStandardTypes();
  const TypeIndex signature[] = {profile.AddType("a.B"), profile.AddType("void")};
  const MethodIndex method = profile.AddMethod("run", signature);
  profile.AddCount(Table::kCalls, profile.AddContext(kNoContext, method, Bci{0}), count);
  return profile;
}

using Names = std::vector<std::string>;

Names WithoutLocks(const TemporaryFolder& folder) {
  Names names = folder.Names();
  std::erase_if(names, [](const std::string& name) {
    return name.ends_with(".lock") || name.ends_with(".lock.merge");
  });
  return names;
}

int64_t CallsIn(const std::string& path) {
  const Result<Profile> read = ReadProfileFile(path);
  REQUIRE(read.ok());
  return read->Total(Table::kCalls);
}

constexpr auto kNoWait = std::chrono::milliseconds(0);

// One JVM with out=app.iprof.
struct Jvm {
  Jvm(const TemporaryFolder& folder, std::string_view text) : options(Parsed(text)) {
    REQUIRE(log.Open(file.path()).ok());
    files.emplace(options, folder / "app.iprof");
    REQUIRE(files->Claim(log).ok());
  }
  std::string Write(int64_t count) {
    const auto written = files->Write(Called(count), files->out(), NameOwner::kSession);
    REQUIRE(written.ok());
    CHECK(written->added_to == (options.merge ? files->out() : ""));
    return fs::path(written->path).filename();
  }
  TemporaryLog file;
  Log log;
  const Options options;
  std::optional<ProfileFiles> files;
};

TEST_CASE("two live JVMs write two files, and the second one says so") {
  const TemporaryFolder folder;
  Jvm first(folder, "");
  Jvm second(folder, "");
  CHECK(first.file.lines().empty());
  REQUIRE(second.file.lines().size() == 1);
  CHECK(second.file.lines()[0].ends_with(
      (folder / "app.iprof") + ": another running process writes it; this JVM writes " +
      (folder / "app.1.iprof") + " (merge=y adds all to one file)"));
  CHECK(second.files->own_path() == folder / "app.1.iprof");
  CHECK(second.Write(2) == "app.1.iprof");
  CHECK(first.Write(1) == "app.iprof");
  CHECK(first.Write(10) == "app.iprof");  // a later profile replaces its own
  first.files->Finish(first.log, kNoWait);
  second.files->Finish(second.log, kNoWait);
  CHECK(CallsIn(folder / "app.iprof") == 10);
  CHECK(CallsIn(folder / "app.1.iprof") == 2);
  Jvm later(folder, "");
  CHECK(later.Write(3) == "app.iprof");
}

TEST_CASE("a JVM has a name only from its claim on, and a second claim changes nothing") {
  const TemporaryFolder folder;
  const Options options = Parsed("");
  Log log;
  ProfileFiles files(options, folder / "app.iprof");
  CHECK(files.out() == folder / "app.iprof");
  CHECK(files.own_path() == folder / "app.iprof");
  CHECK(folder.IsEmpty());
  const Jvm other(folder, "");
  REQUIRE(files.Claim(log).ok());
  CHECK(files.out() == folder / "app.1.iprof");
  REQUIRE(files.Claim(log).ok());
  CHECK(files.out() == folder / "app.1.iprof");
}

TEST_CASE("with merge=y each profile in between is the JVM's own, and the last is added once") {
  const TemporaryFolder folder;
  Jvm first(folder, "merge=y");
  Jvm second(folder, "merge=y");
  CHECK(first.file.lines().empty());
  CHECK(second.file.lines().empty());
  CHECK(first.Write(1) == "app.1.iprof");
  CHECK(first.Write(5) == "app.1.iprof");
  CHECK(second.Write(20) == "app.2.iprof");
  CHECK(WithoutLocks(folder) == Names{"app.1.iprof", "app.2.iprof"});
  first.files->Finish(first.log, kNoWait);
  second.files->Finish(second.log, kNoWait);
  second.files->Finish(second.log, kNoWait);
  CHECK(WithoutLocks(folder) == Names{"app.iprof"});
  CHECK(CallsIn(folder / "app.iprof") == 25);
  CHECK(first.file.lines().back().ends_with("removed " + (folder / "app.1.iprof") +
                                            ": it was added to " + (folder / "app.iprof")));
}

TEST_CASE("with merge=y a damaged file stays, and so does the JVM's own profile") {
  const TemporaryFolder folder;
  std::ofstream(folder / "app.iprof") << "damaged";
  {
    Jvm jvm(folder, "merge=y");
    CHECK(jvm.Write(1) == "app.1.iprof");
    jvm.files->Finish(jvm.log, kNoWait);
    CHECK(jvm.file.lines().back().find("; not merged: the profile stays in ") != std::string::npos);
  }
  Jvm next(folder, "merge=y");  // does not replace what the first one left
  CHECK(next.Write(2) == "app.2.iprof");
  next.files->Finish(next.log, kNoWait);
  CHECK(WithoutLocks(folder) == Names{"app.1.iprof", "app.2.iprof", "app.iprof"});
  CHECK(CallsIn(folder / "app.1.iprof") == 1);
}

TEST_CASE("a JVM that merges does not wait for one that has the file and does not merge") {
  const TemporaryFolder folder;
  Jvm other(folder, "");
  Jvm jvm(folder, "merge=y");
  CHECK(jvm.Write(1) == "app.1.iprof");
  const auto begin = std::chrono::steady_clock::now();
  jvm.files->Finish(jvm.log, std::chrono::minutes(5));
  CHECK(std::chrono::steady_clock::now() - begin < std::chrono::minutes(1));
  CHECK(jvm.file.lines().back().ends_with((folder / "app.iprof") +
                                          ": another running process writes it (a JVM without "
                                          "merge=y, or an iprof command); not merged: " +
                                          "the profile stays in " + (folder / "app.1.iprof")));
  CHECK(WithoutLocks(folder) == Names{"app.1.iprof"});
}

TEST_CASE("a JVM that wrote nothing adds nothing") {
  const TemporaryFolder folder;
  Jvm jvm(folder, "merge=y");
  jvm.files->Finish(jvm.log, kNoWait);
  CHECK(folder.IsEmpty());
  CHECK(jvm.file.lines().empty());
}

TEST_CASE("with force=n each profile gets a name of its own") {
  const TemporaryFolder folder;
  std::ofstream(folder / "app.iprof") << "old";
  Jvm jvm(folder, "force=n");
  CHECK(jvm.files->own_path() == folder / "app.1.iprof");
  CHECK(jvm.Write(1) == "app.1.iprof");
  CHECK(jvm.Write(2) == "app.2.iprof");
}

TEST_CASE("a file that a command names is not written while it is another JVM's") {
  const TemporaryFolder folder;
  Jvm first(folder, "");
  Jvm second(folder, "out=other.iprof");
  const auto written = second.files->Write(Called(1), folder / "app.iprof", NameOwner::kNobody);
  REQUIRE(written.ok());
  CHECK(written->path == folder / "app.2.iprof");  // app.1.iprof is the second JVM's own
  CHECK(written->not_replaced.message() ==
        (folder / "app.iprof") + ": another running process writes it");
  const auto free = second.files->Write(Called(1), folder / "free.iprof", NameOwner::kNobody);
  CHECK(free->path == folder / "free.iprof");
  CHECK(free->not_replaced.ok());
}

}  // namespace
}  // namespace iprof::vm
