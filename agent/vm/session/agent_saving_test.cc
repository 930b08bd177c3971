// A profile in a tool's folder is not in its place yet: the tool may fail to save it, or be killed. Nothing that was
// recorded is lost then.
#include <fcntl.h>
#include <sys/file.h>
#include <sys/resource.h>
#include <unistd.h>

#include <algorithm>
#include <catch2/catch.hpp>
#include <cstdlib>
#include <filesystem>
#include <string>

#include "agent/vm/session/loaded_agent.h"
#include "agent/vm/session/tools_folder.h"

namespace iprof::vm {
namespace {

namespace fs = std::filesystem;

// As a tool makes it, with its lock.
class AToolsFolder {
 public:
  AToolsFolder() {
    std::string name = std::string(control::kToolsFolders) + "test.XXXXXX";
    REQUIRE(mkdtemp(name.data()) != nullptr);
    path_ = name;
    lock_ = open(name.c_str(), O_RDONLY | O_DIRECTORY | O_CLOEXEC);
    REQUIRE(flock(lock_, LOCK_EX | LOCK_NB) == 0);
  }
  ~AToolsFolder() {
    KillTool();
    Remove();
  }
  AToolsFolder(const AToolsFolder&) = delete;
  AToolsFolder& operator=(const AToolsFolder&) = delete;

  std::string PathOf(const char* file) const { return (path_ / file).string(); }
  bool Has(const char* file) const { return fs::exists(path_ / file); }
  void KillTool() {
    if (lock_ >= 0) close(lock_);
    lock_ = -1;
  }
  void Remove() { fs::remove_all(path_); }

 private:
  fs::path path_;
  int lock_ = -1;
};

std::string Saved(uint64_t recording) {
  return "command=saved,recording=" + std::to_string(recording);
}

TEST_CASE("a tool's folder is in use as long as its tool lives") {
  AToolsFolder folder;
  const std::string file = folder.PathOf("x.iprof");
  CHECK(LookAtToolsFolder(file) == ToolsFolder::kHasItsTool);
  folder.KillTool();
  CHECK(LookAtToolsFolder(file) == ToolsFolder::kIsLeft);
  CHECK(LookAtToolsFolder(file) == ToolsFolder::kIsLeft);  // no lock stays
  folder.Remove();
  CHECK(LookAtToolsFolder(file) == ToolsFolder::kIsGone);
}

TEST_CASE("a tool whose folder cannot be looked at counts as alive") {
  AToolsFolder folder;
  folder.KillTool();
  rlimit files{};
  REQUIRE(getrlimit(RLIMIT_NOFILE, &files) == 0);
  const rlimit none{.rlim_cur = 0, .rlim_max = files.rlim_max};
  REQUIRE(setrlimit(RLIMIT_NOFILE, &none) == 0);
  const ToolsFolder seen = LookAtToolsFolder(folder.PathOf("x.iprof"));
  REQUIRE(setrlimit(RLIMIT_NOFILE, &files) == 0);
  CHECK(seen == ToolsFolder::kHasItsTool);
}

TEST_CASE("a profile that a tool took counts as written when the tool has saved it") {
  AToolsFolder folder;
  LoadedAgent l;
  REQUIRE(l.Load(kCalls).ok());
  l.jvm.LivePhase();
  REQUIRE(Tell(l, "command=stop").outcome == control::Outcome::kDone);
  const control::Answer taken = Tell(l, "command=stop,out=" + folder.PathOf("profile.iprof"));
  REQUIRE(taken.outcome == control::Outcome::kDone);
  REQUIRE(taken.status->recording > 0);
  CHECK(folder.Has("profile.iprof"));
  bool is_written_at_end = true;
  SECTION("it could not, or was killed") {}
  SECTION("it has") {
    CHECK(Tell(l, Saved(taken.status->recording)).outcome == control::Outcome::kDone);
    CHECK(Tell(l, "command=status").status->raw.empty());
    is_written_at_end = false;
  }
  SECTION("it has, and tells it twice") {
    CHECK(Tell(l, Saved(taken.status->recording)).outcome == control::Outcome::kDone);
    CHECK(Tell(l, Saved(taken.status->recording)).outcome == control::Outcome::kDone);
    is_written_at_end = false;
  }
  SECTION("it tells it of another recording") {
    const std::string raw = Tell(l, "command=status").status->raw;
    CHECK(Tell(l, Saved(taken.status->recording + 1)).outcome == control::Outcome::kRefused);
    CHECK(Tell(l, "command=status").status->raw == raw);
  }
  SECTION("it tells it when more is being recorded") {
    CHECK(Tell(l, "command=start").outcome == control::Outcome::kDone);
    CHECK(Tell(l, Saved(taken.status->recording)).outcome == control::Outcome::kRefused);
  }
  SECTION("it tells it when more was recorded") {
    CHECK(Tell(l, "command=start").outcome == control::Outcome::kDone);
    CHECK(Tell(l, "command=stop").outcome == control::Outcome::kDone);
    CHECK(Tell(l, Saved(taken.status->recording)).outcome == control::Outcome::kRefused);
  }
  SECTION("it tells it after a reset") {
    CHECK(Tell(l, "command=reset").outcome == control::Outcome::kDone);
    CHECK(Tell(l, Saved(taken.status->recording)).outcome == control::Outcome::kRefused);
  }
  folder.KillTool();
  folder.Remove();
  l.jvm.Die();
  CHECK(fs::exists(l.out) == is_written_at_end);
}

TEST_CASE("the raw file of HotSpot's counters has what a stop recorded, until a profile has it") {
  LoadedAgent l;
  REQUIRE(l.Load("source=methoddata,samples=n,force=always").ok());
  l.jvm.LivePhase();
  const std::string raw = fs::path(l.out).replace_extension(".iraw").string();
  REQUIRE(Tell(l, "command=stop").outcome == control::Outcome::kDone);
  const control::Answer status = Tell(l, "command=status");
  CHECK(status.status->raw == raw);
  CHECK(status.status->no_raw.empty());
  CHECK(fs::exists(raw));
  SECTION("which is saved by a command") {
    const std::string saved = l.folder / "saved.iprof";
    CHECK(Tell(l, "command=stop,out=" + saved).outcome == control::Outcome::kDone);
    CHECK_FALSE(fs::exists(raw));
    CHECK(fs::exists(saved));
  }
  SECTION("which goes on") {
    CHECK(Tell(l, "command=start").outcome == control::Outcome::kDone);
    CHECK(fs::exists(raw));
  }
  SECTION("whose profile cannot be written") {
    CHECK(Tell(l, "command=start").outcome == control::Outcome::kDone);
    fs::remove(raw);
    CHECK(Tell(l, "command=stop,out=" + (l.folder / "none/saved.iprof")).outcome ==
          control::Outcome::kFailed);
    CHECK(fs::exists(raw));
  }
  l.jvm.Die();
  CHECK_FALSE(fs::exists(raw));
}

TEST_CASE("a stop that writes a profile reads HotSpot's counters once") {
  LoadedAgent l;
  REQUIRE(l.Load("source=methoddata,samples=n,force=always").ok());
  l.jvm.LivePhase();
  REQUIRE(Tell(l, "command=stop,out=" + (l.folder / "saved.iprof")).outcome ==
          control::Outcome::kDone);
  CHECK(Tell(l, "command=status").status->snapshots == 0);
}

TEST_CASE("what a tool records while the program ends is for the tool and in the user's file") {
  AToolsFolder folder;
  LoadedAgent l;
  REQUIRE(l.Load("start=n," + std::string(kCalls)).ok());
  l.jvm.LivePhase();
  REQUIRE(Tell(l, "command=start,out=" + folder.PathOf("exit.iprof")).outcome ==
          control::Outcome::kDone);
  bool has_tool = true;
  SECTION("it takes it") {}
  SECTION("it was killed") {
    folder.KillTool();
    has_tool = false;
  }
  SECTION("it was killed, and its folder removed") {
    folder.KillTool();
    folder.Remove();
    has_tool = false;
  }
  l.jvm.Die();
  CHECK(folder.Has("exit.iprof") == has_tool);
  CHECK(fs::exists(l.out));
}

TEST_CASE("a profile for the tool and for the user is made once, and the user's file comes first") {
  AToolsFolder folder;
  LoadedAgent l;
  REQUIRE(l.Load("start=n,jdk=n,receivers=n,monitors=n,samples=n,force=always").ok());
  l.jvm.LivePhase();
  REQUIRE(Tell(l, "command=start,out=" + folder.PathOf("exit.iprof")).outcome ==
          control::Outcome::kDone);
  SECTION("both can be written") {
    l.jvm.Die();
    CHECK(folder.Has("exit.iprof"));
    CHECK(fs::exists(l.out));
    const auto lines = l.log.lines();
    const auto first = [&](std::string_view part) {
      return std::find_if(lines.begin(), lines.end(), [&](const std::string& line) {
        return line.find(part) != std::string::npos;
      });
    };
    CHECK(first("wrote " + l.out.string()) < first("wrote a profile for the tool"));
    CHECK(first("wrote a profile for the tool") != lines.end());
    CHECK(std::count_if(lines.begin(), lines.end(), [](const std::string& line) {
            return line.find("the profile has no ") != std::string::npos;
          }) == 1);
  }
  SECTION("the user's cannot") {
    fs::remove_all(l.folder.path());
    l.jvm.Die();
    CHECK(folder.Has("exit.iprof"));
    CHECK(l.Says("one file of the profile was not written: "));
    CHECK_FALSE(l.Says("no profile was written"));
  }
}

TEST_CASE("the stop at the end of a duration writes the user's file if the tool is gone") {
  AToolsFolder folder;
  LoadedAgent l;
  REQUIRE(l.Load("start=n," + std::string(kCalls)).ok());
  l.jvm.LivePhase();
  const std::string own = folder.PathOf("exit.iprof");
  CHECK(Tell(l, "command=start,out=" + own).status->out == own);
  folder.KillTool();
  CHECK(Tell(l, "command=stop,out=" + own).message.ends_with("; wrote " + l.out.string()));
  CHECK_FALSE(folder.Has("exit.iprof"));
  CHECK(fs::exists(l.out));
}

TEST_CASE("without a file of the user, the tool's folder has the last profile") {
  AToolsFolder folder;
  LoadedAgent l;
  l.out = folder.PathOf("agent.iprof");
  REQUIRE(l.Load("start=n," + std::string(kCalls)).ok());
  l.jvm.LivePhase();
  REQUIRE(Tell(l, "command=start,out=" + folder.PathOf("exit.iprof")).outcome ==
          control::Outcome::kDone);
  constexpr std::string_view kNamed = "exit.iprof is the profile, because the tool";
  SECTION("for the tool") {
    l.jvm.Die();
    CHECK(folder.Has("exit.iprof"));
    CHECK_FALSE(l.Says(kNamed));
  }
  SECTION("which was killed") {
    folder.KillTool();
    l.jvm.Die();
    CHECK(folder.Has("exit.iprof"));
    CHECK(l.Says(kNamed));
  }
  SECTION("which is of a release that does not tell what it saved") {
    AToolsFolder of_stop;
    REQUIRE(Tell(l, "command=stop,out=" + of_stop.PathOf("profile.iprof")).outcome ==
            control::Outcome::kDone);
    folder.KillTool();
    folder.Remove();
    l.jvm.Die();
    CHECK(l.Says("a tool took a profile after the stop, and did not say whether it has saved it"));
  }
  SECTION("which is gone, and a later start says so") {
    const control::Answer stopped = Tell(l, "command=stop,out=" + folder.PathOf("profile.iprof"));
    REQUIRE(Tell(l, Saved(stopped.status->recording)).outcome == control::Outcome::kDone);
    folder.KillTool();
    folder.Remove();
    CHECK(Tell(l, "command=start").message.find("there is no raw file") != std::string::npos);
  }
}

TEST_CASE("a raw file in a folder of the user is not forgotten when the profile is the tool's") {
  AToolsFolder folder;
  LoadedAgent l;
  l.out = folder.PathOf("agent.iprof");
  l.raw = l.folder.path() / "u.iraw";
  REQUIRE(l.Load("start=n," + std::string(kCalls)).ok());
  l.jvm.LivePhase();
  REQUIRE(Tell(l, "command=start,out=" + folder.PathOf("exit.iprof")).outcome ==
          control::Outcome::kDone);
  const std::string again = "command=start,out=" + folder.PathOf("last.iprof");
  constexpr std::string_view kNamed = "what was recorded is in the raw file; 'iprof recover ";
  SECTION("the tool lives, and is told of it") {
    REQUIRE(Tell(l, "command=stop").status->raw == l.raw.string());
    REQUIRE(Tell(l, again).outcome == control::Outcome::kDone);
    l.jvm.Die();
    CHECK(folder.Has("last.iprof"));
    CHECK(fs::read_symlink(folder.PathOf(control::kRawOfLast)) == l.raw);
    CHECK_FALSE(l.Says(kNamed));
  }
  SECTION("the tool is gone, so the user is told") {
    REQUIRE(Tell(l, "command=stop").status->raw == l.raw.string());
    REQUIRE(Tell(l, again).outcome == control::Outcome::kDone);
    folder.KillTool();
    l.jvm.Die();
    CHECK_FALSE(folder.Has(control::kRawOfLast));
    CHECK(l.Says(kNamed));
  }
  SECTION("nothing can be written, and the raw file is all there is") {
    AToolsFolder of_stop;
    REQUIRE(Tell(l, "command=stop,out=" + of_stop.PathOf("profile.iprof")).outcome ==
            control::Outcome::kDone);
    folder.KillTool();
    folder.Remove();
    l.jvm.Die();
    CHECK(l.Says("no profile was written: the agent's own file was in the folder of a tool"));
    CHECK(l.Says(kNamed));
  }
  SECTION("a later start has one") {
    const control::Answer stopped = Tell(l, "command=stop,out=" + folder.PathOf("profile.iprof"));
    REQUIRE(Tell(l, Saved(stopped.status->recording)).outcome == control::Outcome::kDone);
    CHECK_FALSE(fs::exists(l.raw));
    folder.KillTool();
    folder.Remove();
    CHECK(Tell(l, "command=start")
              .message.ends_with("which is gone: only 'iprof stop' or 'iprof dump' with -o write "
                                 "the profile"));
    CHECK(Tell(l, "command=stop").status->raw == l.raw.string());
    return;
  }
  CHECK(fs::exists(l.raw));
}

TEST_CASE("the raw file of a later tool's recording is in that tool's folder") {
  AToolsFolder first;
  LoadedAgent l;
  l.out = first.PathOf("agent.iprof");
  REQUIRE(l.Load("start=n," + std::string(kCalls)).ok());
  l.jvm.LivePhase();
  REQUIRE(Tell(l, "command=start,out=" + first.PathOf("exit.iprof")).outcome ==
          control::Outcome::kDone);
  const control::Answer stopped = Tell(l, "command=stop,out=" + first.PathOf("profile.iprof"));
  CHECK(stopped.status->raw == first.PathOf("agent.iraw"));
  REQUIRE(Tell(l, Saved(stopped.status->recording)).outcome == control::Outcome::kDone);
  first.KillTool();
  first.Remove();
  AToolsFolder second;
  REQUIRE(Tell(l, "command=start,out=" + second.PathOf("exit.iprof.gz")).outcome ==
          control::Outcome::kDone);
  CHECK(Tell(l, "command=stop").status->raw == second.PathOf("exit.iraw"));
}

TEST_CASE("the status says of a raw file that could not be made whether it is tried again") {
  LoadedAgent l;
  l.raw = l.folder.path() / "nowhere" / "u.iraw";
  REQUIRE(l.Load(kCalls).ok());
  l.jvm.LivePhase();
  constexpr std::string_view kAgain = "; it is tried again";
  const std::string why = Tell(l, "command=stop").status->no_raw;
  CHECK(why.find("u.iraw") != std::string::npos);
  CHECK_FALSE(why.ends_with(kAgain));
  REQUIRE(Tell(l, "command=start").outcome == control::Outcome::kDone);
  CHECK(Tell(l, "command=status").status->no_raw.ends_with(kAgain));
}

TEST_CASE("an answer says that force=always is for the load") {
  LoadedAgent l;
  REQUIRE(l.Load("jdk=n,branches=n,receivers=n,monitors=n,samples=n").ok());
  l.jvm.LivePhase();
  CHECK(Tell(l, "command=dump").message ==
        "nothing was recorded (force=always, given when the agent is loaded, writes it anyway)");
}

}  // namespace
}  // namespace iprof::vm
