// Command: what a tool asks a running agent to do, and its text.
//
// The text is a list of options, as an agent's: "command=stop,timeout=30s,out=/tmp/x.iprof". In paths, ',', '%' and control
// characters are written as %XX. It is what a tool says in its first line (message.h).
//
// Guarantees: ParseCommand(FormatCommand(c)) gives c back for every valid command, and any text may be
// parsed. Paths are absolute. No option may be given twice, and none to a command that does not have it.
// Threads: any; pure. Failure: kUsage, with one sentence that has no control characters and at most 600
// characters.
#pragma once

#include <chrono>
#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>
#include <variant>

#include "writer/base/lost_share.h"
#include "writer/base/status.h"

namespace iprof::control {

inline constexpr std::chrono::milliseconds kDefaultTimeout{60'000};
inline constexpr std::chrono::milliseconds kLongestTime{24 * 3'600'000};
inline constexpr size_t kLongestCommand = 15 * 1024;  // bytes of text

// Where the agent writes a profile, or that it sends the profile over the connection. With neither, a stop writes none, and
// a dump goes to the recording's file.
enum class Sent : uint8_t { kNo, kPlain, kGzip };
struct ProfileWish {
  std::string out = {};  // absolute
  Sent sent = Sent::kNo;
  bool operator==(const ProfileWish&) const = default;
};

struct Start {
  // The recording's file, until its profile is written after a stop; empty: the agent's out=.
  std::string out = {};
  // The recording stops by itself after this long, and the profile goes to the recording's file. So the program does not
  // stay slow if the tool is killed. 0: the agent's option duration= says.
  std::chrono::milliseconds duration{0};
  // The connection stays open after the answer: if the program ends while it records, its profile is sent there.
  Sent window = Sent::kNo;
  // A folder of the tool. An agent that has no file of the user keeps what must survive a kill there.
  std::string folder = {};
  bool operator==(const Start&) const = default;
};
struct Stop : ProfileWish {
  bool operator==(const Stop&) const = default;
};
enum class Forgotten : uint8_t { kAll, kSamples };
struct Reset {
  Forgotten only = Forgotten::kAll;
  bool operator==(const Reset&) const = default;
};
struct Dump : ProfileWish {
  bool operator==(const Dump&) const = default;
};
struct Describe {
  bool operator==(const Describe&) const = default;
};
// Reads HotSpot's own counters. It and Refresh need only the agent's library; the agent need not be started.
struct Harvest : ProfileWish {
  bool estimate = true;  // calls and weights; otherwise they are HotSpot's
  // Per mille; a site that lost a larger share is left out.
  int64_t receivers_max_lost = kMostLostPermilleHarvest;
  int64_t target = 0;  // the JDK of the image build; 0: the JVM's
  bool operator==(const Harvest&) const = default;
};
// Makes HotSpot count again.
struct Refresh {
  int64_t share = 990;  // of the work that the classes do, per mille
  bool operator==(const Refresh&) const = default;
};

using Wish = std::variant<Describe, Start, Stop, Reset, Dump, Harvest, Refresh>;

std::string_view VerbName(const Wish& wish);  // "start"; of Describe, "status"

struct Command {
  Wish wish = {};
  // How long it may wait for the commands before it.
  std::chrono::milliseconds timeout = kDefaultTimeout;
  bool progress = false;  // whether the tool hears how far it is

  bool operator==(const Command&) const = default;
};

// What it says of a profile; null if it makes none.
const ProfileWish* ProfileOf(const Wish& wish);

// A tool loads the library again with "command=/tmp/.iprof-0123456789abcdef/agent", or leaves that text where the agent looks
// for it. The agent then connects to that socket, and hears what the tool wants. CalledTo gives the socket; empty: these
// options are no such call; no absolute path: it is one of another release.
std::string CalledTo(std::string_view options);
std::string CallTo(std::string_view socket);

Result<Command> ParseCommand(std::string_view text);
std::string FormatCommand(const Command& command);

}  // namespace iprof::control
