// Command: what a tool asks a running agent to do, and its text.
//
// The text has the form of agent options, because a tool hands it to the agent through a second load of
// the library: "command=stop,timeout=30s,out=/tmp/x.iprof,reply=/tmp/y". In paths, ',', '%' and control
// characters are written as %XX.
//
// Guarantees: ParseCommand(FormatCommand(c)) gives c back for every valid command, and any text may be
// parsed. Paths are absolute. No option may be given twice.
// Threads: any; pure. Failure: kUsage, with one sentence that has no control characters and at most 600
// characters.
#pragma once

#include <chrono>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

#include "writer/base/lost_share.h"
#include "writer/base/status.h"

namespace iprof::control {

// kHarvest reads HotSpot's own counters, and kRefresh makes HotSpot count again. They need only the agent's library; the
// agent need not be started.
// kSaved: a tool has put a profile of the stopped recording into its place.
enum class Verb : uint8_t { kStart, kStop, kReset, kDump, kStatus, kHarvest, kRefresh, kSaved };

std::string_view VerbName(Verb verb);  // "start"
std::optional<Verb> VerbNamed(std::string_view name);

inline constexpr std::chrono::milliseconds kDefaultTimeout{60'000};
inline constexpr std::chrono::milliseconds kLongestTime{24 * 3'600'000};
inline constexpr size_t kLongestCommand = 16 * 1024;  // bytes of text

struct Command {
  Verb verb = Verb::kStatus;
  // Where stop, dump and harvest write; empty: stop writes nothing, and dump to the recording's file. Of a start:
  // the recording's file, until its profile is written after a stop; empty: the agent's out=.
  std::string out;
  // How long it may wait for the commands before it.
  std::chrono::milliseconds timeout = kDefaultTimeout;
  // The file for the answer; empty: the answer has another way, or is not wanted.
  std::string reply;
  // Of a start: the recording stops by itself after this long, and the profile goes to the recording's file. So
  // the program does not stay slow if the tool is killed. 0: the agent's option duration= says.
  std::chrono::milliseconds duration{0};

  // Of a harvest.
  bool estimate = true;  // calls and weights; otherwise they are HotSpot's
  // Per mille; a site that lost a larger share is left out.
  int64_t receivers_max_lost = kMostLostPermilleHarvest;
  int64_t target = 0;  // the JDK of the image build; 0: the JVM's

  // Of a refresh: the share of the work that the classes do, per mille.
  int64_t share = 990;

  // Of a reset: the counts stay, and only the samples are forgotten.
  bool only_samples = false;

  // Of saved: the number of the recording, as SessionStatus has it; not 0.
  int64_t recording = 0;

  bool operator==(const Command&) const = default;
};

// A tool takes the answer, and a profile that it asked for, from a folder of its own whose path begins so; it is
// removed afterwards (cli/jvm/private_folder.h). So a profile there is not yet in its place: the tool says with the command
// "saved" when it is.
inline constexpr std::string_view kToolsFolders = "/tmp/.iprof-";
inline bool IsToolsFile(std::string_view path) { return path.starts_with(kToolsFolders); }

// In the folder beside the program's last profile: a symbolic link to the recording's raw file, if that is in no tool's
// folder. The tool removes that file when it has saved the profile.
inline constexpr char kRawOfLast[] = "raw";

// Whether agent options are a command: one of them is command=.
bool IsCommand(std::string_view options);

// Whether they are a command that needs no agent.
bool NeedsNoAgent(std::string_view options);

Result<Command> ParseCommand(std::string_view text);
std::string FormatCommand(const Command& command);

}  // namespace iprof::control
