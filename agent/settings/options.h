// Options: what the user asked for, and the table that defines every option.
//
// Grammar: "key=value" joined by commas, as in HPROF; values contain no commas; "help" alone asks
// for the options that most users need, "help=all" for all, and "help=OPTION" for one. Parsing, the help
// text and docs/options.md all use the table, so they cannot disagree. To add an option, add a member
// here, a row in options.cc and a text in option_details.cc.
//
// Guarantees: pure logic without JVM, files or global state. Threads: any.
// Failure: any text gives either Options or a Status whose message is one sentence that names the
// option and the nearest valid name.
#pragma once

#include <cstdint>
#include <functional>
#include <span>
#include <string>
#include <string_view>
#include <variant>

#include "agent/plan/placement.h"
#include "agent/sampling/core/sampler_options.h"
#include "agent/settings/option_values.h"
#include "writer/base/lost_share.h"
#include "writer/base/status.h"
#include "writer/profile/io/writer.h"

namespace iprof::vm {

enum class OnError { kFail, kIgnore };

// Where counts come from: the agent's probes, HotSpot's MethodData, or both.
enum class CountSource { kCounters, kMethodData, kBoth };

// What may happen to an existing profile.
enum class Overwrite {
  kYes,     // it is replaced, but not by a profile without a program or without counts
  kNo,      // it is kept, and the new one gets a number
  kAlways,  // it is replaced
};

// What follows if the last profile cannot be written.
enum class OnWriteFailure { kReport, kExit };

struct Options {
  std::string out;  // a pattern, see out_path.h
  // It stands behind reply=, or its folder has a tool's name: no file of the user, but one in the folder of a tool.
  bool out_is_tools = false;
  Overwrite force = Overwrite::kYes;
  bool merge = false;  // add to an existing profile
  OnWriteFailure on_write_failure = OnWriteFailure::kReport;
  bool dump_on_exit = true;
  bool dump_on_request = true;
  FormatVersion format = FormatVersion::k1_0_0;
  bool gzip = false;  // after parsing: whether to compress, by the option or the file name
  PatternList only;   // empty: every program
  OnError on_error = OnError::kFail;
  int64_t verbose = 0;
  std::string log;         // empty: stderr
  bool provenance = true;  // the profile says how and where it was recorded
  bool lines = true;       // the profile has source lines, and what virtual calls name
  std::string given;       // what the user wrote, before reply=, for the profile: without folders

  // The crash-safe raw file.
  std::string raw;        // a pattern; empty: beside `out`
  Duration snapshot;      // the time between two snapshots; 0: no raw file
  bool keep_raw = false;  // also after the profile was written
  ByteSize raw_max;       // the file's largest size

  // When it is recorded, and how a running agent is reached.
  bool start = true;    // with the agent; otherwise by a command
  Duration delay;       // 0: none
  Duration duration;    // 0: until a command or the end
  std::string control;  // a socket's path; empty: none
  std::string reply;    // the socket at which an attaching tool waits for the result; empty: none
  Duration pause;       // the longest one that swapping a batch of classes should cause
  bool WaitsForStart() const { return !start || delay.ns > 0; }

  // What is counted, and where.
  CountSource source = CountSource::kCounters;
  bool Harvests() const { return source != CountSource::kCounters; }
  bool estimate = true;  // what HotSpot did not count; otherwise its numbers as they are
  bool calls = true;
  bool branches = true;
  bool receivers = true;
  bool monitors = true;
  bool instance_ofs = false;
  int64_t receivers_max_lost = kMostLostPercent;
  bool call_edges = false;      // calls by caller
  bool context_stacks = false;  // receivers and branches, too; then call_edges is set
  bool jdk = true;              // also classes of the boot and platform loaders
  int target_jdk = 0;   // JDK of the image build that will use the profile; 0: the running JVM's
  bool image = true;    // leave out what an image build cannot use
  PatternList include;  // class names with dots; empty: all
  PatternList exclude;
  instrument::PlacementPolicy placement = instrument::PlacementPolicy::kAutomatic;
  std::string weights;  // an earlier profile; empty: none
  ByteSize memory;      // of the whole agent; 0: depends on the memory that is available
  int64_t stripes = 1;  // a power of two
  bool self_check = false;

  // When methods stop being counted, because enough is known of them.
  int64_t count_until = 0;  // increments of one of its counters; 0: never
  int64_t overhead = 0;     // the agent's cost should stay below this, in percent; 0: no limit
  Duration rearm;           // how long methods stay frozen at first; 0: for ever
  bool Freezes() const { return count_until > 0 || overhead > 0; }

  // Samples.
  bool samples = true;
  Interval interval;
  sampling::SampleEvent sample_event = sampling::SampleEvent::kCpu;
  int64_t depth = 2048;     // frames
  ByteSize samples_memory;  // part of `memory`, for distinct stacks; 0: a share
  int signal = 0;           // 0: choose a free one
  bool threads = false;     // samples know their thread
  bool precise = true;      // compile code again whose samples lack precise lines

  // Events.
  ByteSize alloc;  // the mean distance between two sampled allocations; 0: none is sampled
  Duration lock;   // the shortest wait for a lock that is recorded; 0: none is
  bool RecordsEvents() const { return alloc.bytes > 0 || lock.ns > 0; }
};

// How an option's text is stored in its member. The alternative is the option's kind.
struct NumberSlot {
  int64_t Options::*member;
  int64_t min;
  int64_t max;
};
struct PercentSlot {
  int64_t Options::*member;
  int64_t most;
};
struct ChoiceSlot {
  std::string_view choices;  // "a|b|c"
  void (*store)(Options& options, size_t index);
};
struct SignalSlot {
  int Options::*member;
};
struct PathSlot {
  std::string Options::*member;
};
using OptionSlot = std::variant<bool Options::*, NumberSlot, PercentSlot, ChoiceSlot, PathSlot,
                                SignalSlot, PatternList Options::*, Duration Options::*,
                                Interval Options::*, ByteSize Options::*>;

// Who needs an option. It decides only where help and docs/options.md show it.
enum class Audience {
  kUsers,    // the user pages recommend it for a usual task: "help" shows it
  kExperts,  // its default is right for nearly all programs: only "help=all" shows it
};

struct OptionSpec {
  std::string_view name;
  Audience audience;
  OptionSlot slot;
  std::string_view default_value;  // in the option's own syntax; empty: none
  std::string_view help;           // one line
};

std::span<const OptionSpec> OptionTable();

// "y|n", "FILE", "0..3" …: the syntax of a value, for help and docs.
std::string ValueSyntax(const OptionSpec& spec);

// What "help=" takes besides the name of an option.
constexpr std::string_view kHelpAboutAll = "all";

struct ParsedOptions {
  Options options;
  bool help = false;       // "help" was given: print the help and do not start
  std::string help_about;  // of help=OPTION, or kHelpAboutAll
};

// Parses everything after the '=' of -agentpath. Null or empty text gives the defaults.
Result<ParsedOptions> ParseOptions(std::string_view text);

// Whether the text contains onerror=ignore. Works even if the rest of the text is wrong.
bool AsksToIgnoreErrors(std::string_view text);

// The value of reply=, also if the rest of the text is wrong; empty: none.
std::string ReplyPathIn(std::string_view text);

// What a word of mode= stands for: other options, which the user's own ones override.
struct ModeSpec {
  std::string_view name;
  std::string_view options;  // empty: all defaults
};
std::span<const ModeSpec> ModeTable();

}  // namespace iprof::vm
