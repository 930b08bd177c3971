// A profile that was sent to a tool is not in its place yet: the tool may fail to save it, or be killed. Nothing that was
// recorded is lost then.
#include <unistd.h>

#include <algorithm>
#include <catch2/catch.hpp>
#include <filesystem>
#include <memory>
#include <string>
#include <thread>
#include <vector>

#include "agent/classfile/testing/assembled_class.h"
#include "agent/vm/session/loaded_agent.h"

namespace iprof::vm {
namespace {

namespace fs = std::filesystem;

// As a tool loads the agent that names no file of the user.
constexpr std::string_view kByTool = "reply=/none,start=n,out=/none/agent.iprof,";

TEST_CASE("a profile that a tool took counts as written when the tool has saved it") {
  LoadedAgent l;
  REQUIRE(l.Load(kCalls).ok());
  l.jvm.LivePhase();
  const bool saves = GENERATE(true, false);
  const bool stopped_before = GENERATE(true, false);
  if (stopped_before) REQUIRE(Tell(l, "command=stop").outcome == control::Outcome::kDone);
  const auto tool = std::make_shared<TakingTool>(saves);
  const control::Answer taken = Tell(l, "command=stop,send=plain", tool);
  CHECK(taken.outcome == (saves ? control::Outcome::kDone : control::Outcome::kFailed));
  CHECK(taken.message.find("wrote") == std::string::npos);  // the tool knows where
  CHECK(tool->HasProfile());
  // The raw file goes with it.
  CHECK(taken.status->raw.empty() == saves);
  bool is_written_at_end = !saves;
  SECTION("nothing more is recorded") {}
  SECTION("more is recorded") {
    REQUIRE(Tell(l, "command=start").outcome == control::Outcome::kDone);
    is_written_at_end = true;
  }
  l.jvm.Die();
  CHECK(fs::exists(l.out) == is_written_at_end);
  CHECK_FALSE(l.Says("no profile was written"));
}

TEST_CASE("a tool that asks for it hears how far a stop is that takes long") {
  LoadedAgent l;
  REQUIRE(l.Load("start=n," + std::string(kCalls), SessionEvent::kAttach).ok());
  instrument::AssembledClass file("a/B");
  file.Add({.name = "f", .code = {0x03, 0x57, 0xb1}});
  FakeClass* const loaded = l.jvm.Load("a/B", file.Bytes(), l.jvm.application_loader);
  REQUIRE(Tell(l, "command=start").outcome == control::Outcome::kDone);
  REQUIRE(loaded->bytes != file.Bytes());
  l.jvm.on_retransform = [] { std::this_thread::sleep_for(Steps::kEvery); };
  const bool asks = GENERATE(true, false);
  const auto tool = std::make_shared<TakingTool>();
  CHECK(Tell(l, asks ? "command=stop,progress=y" : "command=stop", tool).outcome ==
        control::Outcome::kDone);
  CHECK(loaded->bytes == file.Bytes());
  using Heard = std::vector<control::Progress>;
  CHECK(tool->heard == (asks ? Heard{{control::Step::kClasses, 1, 1}} : Heard()));
}

TEST_CASE("a profile of a recording that goes on is not the last one") {
  LoadedAgent l;
  REQUIRE(l.Load(kCalls).ok());
  l.jvm.LivePhase();
  const auto tool = std::make_shared<TakingTool>();
  CHECK(Tell(l, "command=dump,send=gzip", tool).outcome == control::Outcome::kDone);
  CHECK(tool->HasProfile());
  CHECK(Tell(l, "command=dump,send=plain").message == "no tool takes the profile");
  l.jvm.Die();
  CHECK(fs::exists(l.out));
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
  LoadedAgent l;
  REQUIRE(l.Load("start=n,jdk=n,receivers=n,monitors=n,samples=n,force=always").ok());
  l.jvm.LivePhase();
  const auto tool = std::make_shared<TakingTool>();
  REQUIRE(Tell(l, "command=start,window=plain", tool).outcome == control::Outcome::kDone);
  SECTION("it takes it") {
    l.jvm.Die();
    CHECK(tool->HasProfile());
    REQUIRE(tool->answers.size() == 1);
    CHECK(tool->answers.front().outcome == control::Outcome::kDone);
    const auto lines = l.log.lines();
    const auto first = [&](std::string_view part) {
      return std::find_if(lines.begin(), lines.end(), [&](const std::string& line) {
        return line.find(part) != std::string::npos;
      });
    };
    // The profile is made once, and the user's file comes first.
    CHECK(first("wrote " + l.out.string()) < first("wrote a profile for the tool"));
    CHECK(first("wrote a profile for the tool") != lines.end());
    CHECK(std::count_if(lines.begin(), lines.end(), [](const std::string& line) {
            return line.find("the profile has no ") != std::string::npos;
          }) == 1);
    CHECK(fs::exists(l.out));
  }
  SECTION("it was killed") {
    tool->is_there = false;
    l.jvm.Die();
    CHECK_FALSE(tool->HasProfile());
    CHECK(fs::exists(l.out));
  }
  SECTION("the user's file cannot be written") {
    fs::remove_all(l.folder.path());
    l.jvm.Die();
    CHECK(tool->HasProfile());
    CHECK(l.Says("one file of the profile was not written: "));
    CHECK_FALSE(l.Says("no profile was written"));
  }
  SECTION("it was stopped, and no profile was written") {
    REQUIRE(Tell(l, "command=stop").outcome == control::Outcome::kDone);
    l.jvm.Die();
    CHECK(tool->HasProfile());
    CHECK(fs::exists(l.out));
  }
  SECTION("its profile was written, so the end is nothing to it") {
    REQUIRE(Tell(l, "command=stop,out=" + (l.folder / "saved.iprof")).outcome ==
            control::Outcome::kDone);
    CHECK(tool.use_count() == 1);  // its connection is closed
    l.jvm.Die();
    CHECK_FALSE(tool->HasProfile());
    CHECK_FALSE(fs::exists(l.out));
  }
  SECTION("somebody else records by then") {
    REQUIRE(Tell(l, "command=stop").outcome == control::Outcome::kDone);
    REQUIRE(Tell(l, "command=start").outcome == control::Outcome::kDone);
    l.jvm.Die();
    CHECK_FALSE(tool->HasProfile());
    CHECK(fs::exists(l.out));
  }
}

TEST_CASE("what neither the tool nor a raw file has is written to the tool's folder") {
  LoadedAgent l;
  REQUIRE(l.Load(std::string(kByTool) + "snapshot=0," + std::string(kCalls)).ok());
  l.jvm.LivePhase();
  const bool saves = GENERATE(true, false);
  const auto tool = std::make_shared<TakingTool>(saves);
  REQUIRE(Tell(l, "command=start,window=plain", tool).outcome == control::Outcome::kDone);
  l.jvm.Die();
  CHECK(tool->HasProfile());
  CHECK(fs::exists(l.out) == !saves);
  CHECK(l.Says(" is the profile, because the agent has no file of yours") == !saves);
}

TEST_CASE("without a file of the user, the tool has the last profile, or the raw file stays") {
  LoadedAgent l;
  REQUIRE(l.Load(std::string(kByTool) + std::string(kCalls)).ok());
  l.jvm.LivePhase();
  const bool saves = GENERATE(true, false);
  const auto tool = std::make_shared<TakingTool>(saves);
  REQUIRE(Tell(l, "command=start,window=plain", tool).outcome == control::Outcome::kDone);
  CHECK(Tell(l, "command=status").status->out.empty());
  const fs::path raw = l.folder.path() / "x.iraw";
  SECTION("the tool is there") {
    l.jvm.Die();
    CHECK(tool->HasProfile());
    CHECK_FALSE(fs::exists(l.out));
    CHECK(fs::exists(raw) == !saves);
  }
  SECTION("the tool was killed, so its folder has the profile") {
    tool->is_there = false;
    l.jvm.Die();
    CHECK(fs::exists(l.out));
    CHECK(l.Says(" is the profile, because the agent has no file of yours"));
    CHECK_FALSE(fs::exists(raw));
  }
  SECTION("a later start without a tool says that the end writes nothing") {
    REQUIRE(Tell(l, "command=stop").outcome == control::Outcome::kDone);
    CHECK(Tell(l, "command=start").message.find("there is no raw file, and only 'iprof stop'") !=
          std::string::npos);
  }
}

TEST_CASE("the user's raw file stays if the profile is only in the folder of a tool that is gone") {
  LoadedAgent l;
  l.raw = l.folder.path() / "u.iraw";
  REQUIRE(l.Load(std::string(kByTool) + std::string(kCalls)).ok());
  l.jvm.LivePhase();
  const auto tool = std::make_shared<TakingTool>();
  REQUIRE(Tell(l, "command=start,window=plain", tool).outcome == control::Outcome::kDone);
  tool->is_there = GENERATE(true, false);
  l.jvm.Die();
  CHECK(fs::exists(l.out) != tool->is_there);
  CHECK(fs::exists(l.raw) != tool->is_there);
}

TEST_CASE("what survives a kill is in the folder of the tool that records") {
  LoadedAgent l;
  REQUIRE(l.Load(std::string(kByTool) + std::string(kCalls)).ok());
  l.jvm.LivePhase();
  const auto tool = std::make_shared<TakingTool>();
  REQUIRE(Tell(l, "command=start,window=plain", tool).outcome == control::Outcome::kDone);
  REQUIRE(Tell(l, "command=stop,send=plain", tool).outcome == control::Outcome::kDone);
  const TemporaryFolder second;
  const std::string start = "command=start,window=plain,folder=" + second.path().string();
  const control::Answer started = Tell(l, start, tool);
  CHECK(started.message == "the recording is running");
  CHECK(started.status->out.empty());
  CHECK(Tell(l, "command=stop").status->raw == second / "x.iraw");
}

TEST_CASE("the user's own file and raw file stay where they are with any folder of a tool") {
  LoadedAgent l;
  l.raw = l.folder.path() / "u.iraw";
  REQUIRE(l.Load("start=n," + std::string(kCalls)).ok());
  l.jvm.LivePhase();
  const TemporaryFolder folder;
  const auto tool = std::make_shared<TakingTool>();
  REQUIRE(Tell(l, "command=start,window=plain,folder=" + folder.path().string(), tool).outcome ==
          control::Outcome::kDone);
  const control::Answer stopped = Tell(l, "command=stop");
  CHECK(stopped.status->raw == l.raw.string());
  CHECK(stopped.status->out == l.out.string());
  CHECK(fs::is_empty(folder.path()));
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
