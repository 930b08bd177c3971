// What another user may put at the names that the options of the agent give, and beside them: nothing of it is waited for.
#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include <catch2/catch.hpp>
#include <filesystem>
#include <functional>
#include <map>
#include <memory>
#include <string>
#include <thread>
#include <variant>

#include "agent/settings/log.h"
#include "agent/settings/options.h"
#include "agent/settings/out_claim.h"
#include "agent/settings/out_path.h"
#include "agent/vm/session/control/control_socket.h"
#include "agent/vm/session/control/tool_connection.h"
#include "agent/vm/session/dump/profile_dump.h"
#include "agent/vm/session/dump/profile_merge.h"
#include "agent/vm/session/weights_file.h"
#include "writer/base/odd_files.h"
#include "writer/profile/example_profiles.h"
#include "writer/profile/io/atomic_file.h"
#include "writer/profile/io/reader.h"
#include "writer/records/raw/raw_writer.h"

namespace iprof::vm {
namespace {

namespace fs = std::filesystem;

// Reads a pipe to its end, so that it has a reader.
class Reader {
 public:
  explicit Reader(const std::string& pipe) : fd_(::open(pipe.c_str(), O_RDWR | O_CLOEXEC)) {
    thread_ = std::thread([this] {
      char part[4096];
      while (true) {
        const ssize_t count = ::read(fd_, part, sizeof part);
        if (count <= 0 || part[count - 1] == kEnd) return;
      }
    });
  }
  ~Reader() {
    CHECK(::write(fd_, &kEnd, 1) == 1);
    thread_.join();
    ::close(fd_);
  }
  Reader(const Reader&) = delete;
  Reader& operator=(const Reader&) = delete;

 private:
  static constexpr char kEnd = '\0';
  const int fd_;
  std::thread thread_;
};

std::string Dump(const std::string& path) {
  const auto out = ResolveOutPath(path, CurrentPathFacts());
  if (!out.ok()) return out.status().message();
  const auto dumped =
      DumpProfile(MakeRandomProfile(1), {.path = *out, .overwrite = true, .format = {}});
  return dumped.ok() ? dumped->not_replaced.message() : dumped.status().message();
}

std::string OpenLog(const std::string& path) {
  const auto resolved = ResolveOutPath(path, CurrentPathFacts());
  if (!resolved.ok()) return resolved.status().message();
  Log log;
  return log.Open(*resolved).message();
}

std::string MakeRaw(const std::string& path) {
  const auto raw = ResolveOutPath(path, CurrentPathFacts(), OldFile::kIsKept);
  if (!raw.ok()) return raw.status().message();
  const auto name_of = [&](int attempt) {
    return attempt > 1 ? std::string() : attempt == 1 ? NumberedName(*raw, 1) : *raw;
  };
  const auto writer = RawWriter::Create(name_of, {}, {});
  return writer.ok() ? "" : writer.status().message();
}

struct Use {
  std::function<std::string(const std::string& path)> open;  // the message, or empty
  std::map<OddKind, std::string> refused;  // part of the message; a kind that is not here is fine
};

constexpr char kNotFollowed[] = "Too many levels of symbolic links";

// By the option's name.
std::map<std::string_view, Use> Uses() {
  const std::map<OddKind, std::string> unusable = {
      {OddKind::kOthersPipe, "it is a named pipe of another user"},
      {OddKind::kSocket, "it is a socket"},
      {OddKind::kFolder, "is a folder"},
      {OddKind::kLoop, kNotFollowed}};
  std::map<OddKind, std::string> no_log = unusable;
  no_log[OddKind::kPipe] = "it is a named pipe, and no process reads it";
  std::map<OddKind, std::string> no_raw = unusable;
  no_raw.erase(OddKind::kLoop);  // the next number is taken
  const auto all = [](const std::string& why) {
    std::map<OddKind, std::string> refused;
    for (const OddKind kind :
         {OddKind::kPipe, OddKind::kOthersPipe, OddKind::kSocket, OddKind::kFolder,
          OddKind::kDevice, OddKind::kDangling, OddKind::kLoop})
      refused[kind] = why;
    return refused;
  };
  std::map<OddKind, std::string> no_control = all("exists already, and is not a socket");
  no_control.erase(OddKind::kSocket);  // that a killed JVM left
  return {
      {"out", {Dump, unusable}},
      {"log", {OpenLog, no_log}},
      {"raw", {MakeRaw, no_raw}},
      {"control",
       {[](const std::string& path) { return ControlSocket::Open(path).status().message(); },
        no_control}},
      {"reply",
       {[](const std::string& path) { return ToolConnection::To(path, {}).status().message(); },
        all("cannot be answered: ")}},
      {"weights",
       {[](const std::string& path) { return ReadWeights(path).status().message(); },
        all("cannot open: ")}},
  };
}

TEST_CASE("no option that names a file waits for what is there") {
  const auto uses = Uses();
  for (const OptionSpec& option : OptionTable()) {
    if (!std::holds_alternative<PathSlot>(option.slot)) continue;
    INFO(option.name);
    const auto use = uses.find(option.name);
    REQUIRE(use != uses.end());  // a new option: say here how its file is opened
    const OddFiles odd("app.iprof");
    for (const OddFile& file : odd.all()) {
      INFO(file.path);
      const auto refused = use->second.refused.find(file.kind);
      const bool writes_pipe = option.name == "out" && file.kind == OddKind::kPipe;
      const auto reader = writes_pipe ? std::make_unique<Reader>(file.path) : nullptr;
      const std::string said = use->second.open(file.path);
      INFO(said);
      CHECK(said.empty() == (refused == use->second.refused.end()));
      if (refused != use->second.refused.end())
        CHECK(said.find(refused->second) != std::string::npos);
      CHECK(said.find('\n') == std::string::npos);
    }
  }
}

TEST_CASE("a profile whose name was then taken by another user's pipe goes beside it") {
  const OddFiles odd("app.iprof");
  for (const OddFile& file : odd.all()) {
    if (file.kind != OddKind::kOthersPipe && file.kind != OddKind::kSocket) continue;
    INFO(file.path);
    const auto dumped =
        DumpProfile(MakeRandomProfile(1), {.path = file.path, .overwrite = true, .format = {}});
    REQUIRE(dumped.ok());
    CHECK(dumped->path == NumberedName(file.path, 1));
    CHECK(dumped->not_replaced.message().starts_with(file.path + ": cannot open: it is a "));
    CHECK(ReadProfileFile(dumped->path).ok());
  }
}

TEST_CASE("what is beside a profile is not waited for") {
  SECTION("at the name of its lock") {
    const OddFiles odd(".app.iprof.lock");
    for (const OddFile& file : odd.all()) {
      INFO(file.path);
      const std::string path = fs::path(file.path).parent_path() / "app.iprof";
      const auto claim = OutClaim::Take(path);
      REQUIRE(claim.ok());
      CHECK(claim->is_held() == (file.kind == OddKind::kOthersPipe));  // under the next name
    }
  }
  SECTION("at the name of a temporary file") {
    const OddFiles odd(".app.iprof.1.1.tmp");
    for (const OddFile& file : odd.all()) {
      INFO(file.path);
      const fs::path folder = fs::path(file.path).parent_path();
      const auto written = AtomicFile::Create(folder / "app.iprof");
      CHECK(written.ok());
      CHECK(fs::symlink_status(file.path).type() != fs::file_type::not_found);
    }
  }
  SECTION("at the names of a merge") {
    for (const char* name :
         {"app.iprof", ".app.iprof.lock.merge", ".app.iprof.lock", "own.iprof"}) {
      const OddFiles odd(name);
      for (const OddFile& file : odd.all()) {
        INFO(file.path);
        const fs::path folder = fs::path(file.path).parent_path();
        if (std::string_view(name) != "own.iprof") {
          REQUIRE(WriteProfileFile(MakeRandomProfile(1), {}, (folder / "own.iprof").string()).ok());
        }
        const auto merged = MergeInto(folder / "own.iprof", folder / "app.iprof", {},
                                      {.patience = std::chrono::milliseconds(1)});
        const bool leads_nowhere =
            std::string_view(name) == "app.iprof" && file.kind == OddKind::kDangling;
        CHECK(merged.ok() == leads_nowhere);  // the link's target is made
      }
    }
  }
}

}  // namespace
}  // namespace iprof::vm
