#include "agent/settings/options.h"

#include <fmt/core.h>

#include <algorithm>
#include <array>
#include <iterator>
#include <vector>

#include "agent/sampling/core/sample_signal.h"
#include "agent/sampling/core/trace_table.h"
#include "agent/settings/option_contradictions.h"
#include "agent/settings/option_hints.h"
#include "agent/settings/out_path.h"
#include "writer/base/lost_share.h"
#include "writer/base/option_text.h"
#include "writer/base/overloaded.h"

namespace iprof::vm {
namespace {

using enum Audience;

constexpr int64_t kMaxCountUntil = 1'000'000'000'000;
constexpr int64_t kMaxOverhead = 100;

constexpr std::string_view kHelpAbout = "help=";

// An option that is part of a mode, so that a user needs one word.
constexpr std::array<ModeSpec, 3> kModes{{
    {"exact", ""},
    {"budget", "overhead=5%"},
    {"methoddata", "source=methoddata"},
}};

// "1.0.0|1.1.0"
constexpr size_t kFormatsSize = [] {
  size_t size = kFormatVersions.size() - 1;
  for (const std::string_view version : kFormatVersions) size += version.size();
  return size;
}();
constexpr std::array kFormats = [] {
  std::array<char, kFormatsSize> text{};
  size_t at = 0;
  for (const std::string_view version : kFormatVersions) {
    if (at > 0) text[at++] = '|';
    for (const char digit : version) text[at++] = digit;
  }
  return text;
}();

void StoreFormat(Options& options, size_t index) {
  options.format = static_cast<FormatVersion>(index);
}
void StorePlacement(Options& options, size_t index) {
  options.placement =
      index == 0 ? instrument::PlacementPolicy::kAutomatic : instrument::PlacementPolicy::kDirect;
}
void StoreTarget(Options& options, size_t index) {
  constexpr std::array kVersions{17, 21, 23, 24, 25};
  options.target_jdk = kVersions[index];
}
void StoreSource(Options& options, size_t index) {
  options.source = static_cast<CountSource>(index);
}
void StoreContexts(Options& options, size_t index) {
  options.call_edges = index >= 1;
  options.context_stacks = index == 2;
}
void StoreOnError(Options& options, size_t index) {
  options.on_error = static_cast<OnError>(index);
}

void StoreForce(Options& options, size_t index) { options.force = static_cast<Overwrite>(index); }
void StoreOnWriteFailure(Options& options, size_t index) {
  options.on_write_failure = static_cast<OnWriteFailure>(index);
}

void StoreEvent(Options& options, size_t index) {
  options.sample_event = static_cast<sampling::SampleEvent>(index);
}

const auto kTable = std::to_array<OptionSpec>({
    {"out", kUsers, PathSlot{&Options::out}, "default.iprof",
     "file for the profile; %p is the process id, %h the host, %t the start time"},
    {"force", kUsers, ChoiceSlot{"y|n|always", StoreForce}, "y",
     "overwrite an existing file; n: number the new one; always: even if nothing was recorded"},
    {"merge", kUsers, &Options::merge, "n",
     "add to an existing profile instead of overwriting it; many JVMs may share one file"},
    {"onwritefailure", kExperts, ChoiceSlot{"report|exit", StoreOnWriteFailure}, "report",
     "if the last profile cannot be written: only report it, or also exit with status 74"},
    {"doe", kExperts, &Options::dump_on_exit, "y",
     "dump on exit: write the profile when the program ends"},
    {"dump-on-request", kExperts, &Options::dump_on_request, "y",
     "also write the profile on 'jcmd PID JVMTI.data_dump' and 'kill -QUIT PID'"},
    {"format", kExperts, ChoiceSlot{{kFormats.data(), kFormats.size()}, StoreFormat}, "1.0.0",
     "version of the .iprof format to write; instanceofs=y needs 1.1.0"},
    {"gzip", kExperts, &Options::gzip, "n",
     "compress the profile; a name that ends in .gz implies y"},
    {"only", kUsers, &Options::only, "",
     "profile only programs whose main class or jar matches, as in only=com.acme.*+app.jar"},
    {"onerror", kUsers, ChoiceSlot{"fail|ignore", StoreOnError}, "fail",
     "if the agent cannot start: stop the JVM (fail), or run the program without it (ignore)"},
    {"verbose", kUsers, NumberSlot{&Options::verbose, 0, 3}, "0",
     "what to print: 0 warnings and the result, 1 also statistics, 2 also steps, 3 everything"},
    {"log", kUsers, PathSlot{&Options::log}, "",
     "file for messages, instead of stderr; %p, %h and %t as in out"},
    {"provenance", kExperts, &Options::provenance, "y",
     "write into the profile how and where it was recorded, and hashes of the methods' code"},
    {"lines", kExperts, &Options::lines, "y",
     "write into the profile its source lines, and which method each virtual call names"},
    {"raw", kExperts, PathSlot{&Options::raw}, "",
     "file for 'iprof recover', if the JVM is killed; default: as out, ending in .iraw"},
    {"snapshot", kExperts, &Options::snapshot, "5s",
     "how often the raw file is updated; 0: there is none"},
    {"keep-raw", kExperts, &Options::keep_raw, "n",
     "keep the raw file after the profile was written at the program's end"},
    {"raw-max", kExperts, &Options::raw_max, "256m", "the largest size of the raw file"},
    {"start", kUsers, &Options::start, "y",
     "record from the start; n: load the agent, and record from 'iprof start PID' on"},
    {"delay", kExperts, &Options::delay, "0", "how long the agent waits before it records"},
    {"duration", kExperts, &Options::duration, "0",
     "how long the agent records before it writes the profile; 0: until the program ends"},
    {"control", kExperts, PathSlot{&Options::control}, "",
     "Unix socket for commands of the iprof tool; %p, %h and %t as in out"},
    {"pause", kExperts, &Options::pause, "50ms",
     "the longest pause that the agent should cause when it changes loaded classes"},
    {"reply", kExperts, PathSlot{&Options::reply}, "",
     "for tools that attach: the socket at which they wait for the result"},
    {"mode", kUsers, ChoiceSlot{"exact|budget|methoddata", [](Options&, size_t) {}}, "exact",
     "exact counts, cheaper ones that are partly estimated, or HotSpot's own; see below"},
    {"source", kUsers, ChoiceSlot{"counters|methoddata|both", StoreSource}, "counters",
     "methoddata: HotSpot counts, not the agent; both: the agent in include=, HotSpot elsewhere"},
    {"estimate", kExperts, &Options::estimate, "y",
     "with source=methoddata: estimate the calls that HotSpot did not count; n: its own numbers"},
    {"calls", kUsers, &Options::calls, "y", "count how often each method is called"},
    {"branches", kUsers, &Options::branches, "y", "count which way every branch and switch goes"},
    {"receivers", kUsers, &Options::receivers, "y",
     "count the classes of the objects whose methods are called"},
    {"receivers-max-lost", kExperts, NumberSlot{&Options::receivers_max_lost, 0, 100}, "2",
     "leave out call sites with more than this percentage of unknown classes; methoddata: 20"},
    {"monitors", kUsers, &Options::monitors, "y",
     "count the classes of the objects that synchronized code locks"},
    {"instanceofs", kExperts, &Options::instance_ofs, "n",
     "count the classes of the objects at instanceof and casts; needs format=1.1.0"},
    {"contexts", kExperts, ChoiceSlot{"n|calls|all", StoreContexts}, "n",
     "calls: write calls by caller; all: receivers and branches, too"},
    {"jdk", kUsers, &Options::jdk, "y",
     "count in the JDK's classes too; n: do not, so that the JVM starts faster"},
    {"target", kUsers, ChoiceSlot{"17|21|23|24|25", StoreTarget}, "",
     "JDK version of the GraalVM that will build the image; default: that of this JVM"},
    {"image", kExperts, &Options::image, "y",
     "leave out what an image build cannot use; n: write everything"},
    {"include", kUsers, &Options::include, "",
     "count only in classes that match, as in include=com.acme.*+org.acme.*"},
    {"exclude", kUsers, &Options::exclude, "",
     "do not count in classes that match, even if include= has them"},
    {"placement", kExperts, ChoiceSlot{"tree|direct", StorePlacement}, "tree",
     "tree: few counters, the other counts are derived; direct: one for every count, slower"},
    {"weights", kUsers, PathSlot{&Options::weights}, "",
     "an earlier profile of the program; with it, counting costs less and is as exact"},
    {"memory", kUsers, &Options::memory, "",
     "the most memory that the agent may use; default: at most 256m, less in small containers"},
    {"stripes", kExperts, NumberSlot{&Options::stripes, 1, 64}, "1",
     "copies of every counter, for programs with many threads; a power of two; more are slower"},
    {"selfcheck", kExperts, &Options::self_check, "n",
     "count everything directly, and compare it with what placement=tree would derive"},
    {"count-until", kExperts, NumberSlot{&Options::count_until, 0, kMaxCountUntil}, "0",
     "count a method up to this number, then estimate it; 0: always count"},
    {"overhead", kExperts, PercentSlot{&Options::overhead, kMaxOverhead}, "0",
     "stop counting hot methods while counting may cost more than this; 0: no limit"},
    {"rearm", kExperts, &Options::rearm, "2s",
     "how long a method is estimated until it is counted again, then twice as long; 0: for ever"},
    {"samples", kUsers, &Options::samples, "y",
     "sample the stacks of all Java threads, to see where the time goes"},
    {"interval", kUsers, &Options::interval, "auto",
     "time between two samples of a thread; auto: short at first, longer in long runs"},
    {"event", kUsers, ChoiceSlot{"cpu|wall", StoreEvent}, "cpu",
     "cpu: sample threads while they use the CPU; wall: also while they sleep or wait"},
    {"depth", kExperts, NumberSlot{&Options::depth, 1, sampling::kMaxDepth}, "2048",
     "the most frames of a stack; outer ones are cut off"},
    {"threads", kExperts, &Options::threads, "n",
     "samples know their thread by its name, without its numbers: pool-*-thread-*"},
    {"samples-memory", kExperts, &Options::samples_memory, "",
     "the part of memory= for stacks; default: a quarter of it, at most 64m"},
    {"signal", kExperts, SignalSlot{&Options::signal}, "",
     "the signal to sample with; default: SIGURG, or SIGWINCH where SIGURG is in use"},
    {"precise", kExperts, &Options::precise, "y",
     "after a late start: have hot code compiled again, so that its samples have precise lines"},
    {"alloc", kUsers, &Options::alloc, "0",
     "sample what the program allocates, and what stays alive: alloc=512k; 0: do not"},
    {"lock", kUsers, &Options::lock, "0",
     "record waits for locks of at least this time, and by whom: lock=1ms; 0: do not"},
});

template <typename T>
Status Assign(Result<T> parsed, T& target) {
  if (!parsed.ok()) return parsed.status();
  target = std::move(*parsed);
  return Status();
}

Status Store(const OptionSpec& spec, std::string_view value, Options& options) {
  const auto store = Overloaded{
      [&](bool Options::*member) { return Assign(ParseYesNo(value), options.*member); },
      [&](const NumberSlot& slot) {
        return Assign(ParseNumber(value, slot.min, slot.max), options.*slot.member);
      },
      [&](const PercentSlot& slot) {
        return Assign(ParsePercent(value, slot.most), options.*slot.member);
      },
      [&](const ChoiceSlot& slot) {
        const Result<size_t> index = ParseChoice(value, slot.choices);
        if (index.ok()) slot.store(options, *index);
        return index.status();
      },
      [&](const SignalSlot& slot) {
        return Assign(sampling::ParseSignal(value), options.*slot.member);
      },
      [&](const PathSlot& slot) { return Assign(ParsePath(value), options.*slot.member); },
      [&](PatternList Options::*member) {
        return Assign(ParsePatternList(value), options.*member);
      },
      [&](Duration Options::*member) { return Assign(ParseDuration(value), options.*member); },
      [&](Interval Options::*member) { return Assign(ParseInterval(value), options.*member); },
      [&](ByteSize Options::*member) { return Assign(ParseSize(value), options.*member); },
  };
  return std::visit(store, spec.slot);
}

Status Bad(std::string message) { return Status(Code::kUsage, std::move(message)); }

Status BadValue(const OptionSpec& spec, std::string_view value, const Status& why) {
  std::string message =
      fmt::format("option '{}' {}, not '{}'", spec.name, why.message(), ShownOption(value));
  const std::string_view hprof = HintForHprof(spec.name, value);
  if (!hprof.empty()) return Bad(fmt::format("{}; {}", message, hprof));
  const std::string nearest = NearestValue(spec, value);
  if (!nearest.empty()) message += fmt::format("; did you mean {}?", nearest);
  return Bad(std::move(message));
}

std::string_view WithoutFolder(std::string_view path) { return path.substr(path.rfind('/') + 1); }

// A pattern of only=: of a jar's path the name; a class of a module (module/class) as it is.
std::string_view ShownPattern(std::string_view pattern) {
  const size_t slash = pattern.find('/');
  const bool is_path = slash == 0 || slash != pattern.rfind('/') || pattern.ends_with(".jar") ||
                       pattern.starts_with('.');
  return is_path ? WithoutFolder(pattern) : pattern;
}

// An option as the profile shows it: of a path only the name.
std::string Shown(const OptionSpec& spec, std::string_view item) {
  const size_t start = spec.name.size() + 1;  // of the value
  std::string shown(item.substr(0, start));
  std::string_view value = item.substr(start);
  if (std::holds_alternative<PathSlot>(spec.slot)) {
    shown += WithoutFolder(value);
  } else if (spec.name == "only") {
    while (!value.empty()) {
      const size_t length = std::min(value.find_first_of("+;"), value.size());
      shown += ShownPattern(value.substr(0, length));
      shown += value.substr(length, 1);
      value.remove_prefix(std::min(length + 1, value.size()));
    }
  } else {
    shown += value;
  }
  return shown;
}

bool EndsInGz(std::string_view name) { return name.ends_with(".gz"); }

size_t IndexOf(std::string_view name) {
  const auto spec = std::find_if(kTable.begin(), kTable.end(), [&](const OptionSpec& candidate) {
    return candidate.name == name;
  });
  return static_cast<size_t>(std::distance(kTable.begin(), spec));
}

// Stores the options of the mode that the user did not give. The text is known to be valid.
Status ApplyMode(std::string_view text, const std::array<bool, kTable.size()>& given,
                 Options& options) {
  constexpr std::string_view kName = "mode=";
  for (const std::string_view item : SplitOptions(text)) {
    if (!item.starts_with(kName)) continue;
    for (const ModeSpec& mode : kModes) {
      if (mode.name != item.substr(kName.size()) || mode.options.empty()) continue;
      for (const std::string_view preset : SplitOptions(mode.options)) {
        const size_t equals = preset.find('=');
        const size_t index = IndexOf(preset.substr(0, equals));
        if (given[index]) continue;
        const Status stored = Store(kTable[index], preset.substr(equals + 1), options);
        if (!stored.ok()) return Status(Code::kInternal, "the mode is wrong");
      }
    }
  }
  return {};
}

}  // namespace

std::span<const OptionSpec> OptionTable() { return kTable; }
std::span<const ModeSpec> ModeTable() { return kModes; }

std::string ValueSyntax(const OptionSpec& spec) {
  const auto syntax = Overloaded{
      [](bool Options::*) { return std::string("y|n"); },
      [](const NumberSlot& slot) { return fmt::format("{}..{}", slot.min, slot.max); },
      [](const PercentSlot&) { return std::string("N%"); },
      [](const ChoiceSlot& slot) { return std::string(slot.choices); },
      [](const SignalSlot&) { return std::string("SIGNAL"); },
      [](const PathSlot&) { return std::string("FILE"); },
      [](PatternList Options::*) { return std::string("PATTERN+..."); },
      [](Duration Options::*) { return std::string("N{us|ms|s|m|h}"); },
      [](Interval Options::*) { return std::string("auto|N{us|ms|s|m|h}"); },
      [](ByteSize Options::*) { return std::string("N{k|m|g}"); },
  };
  return std::visit(syntax, spec.slot);
}

Result<ParsedOptions> ParseOptions(std::string_view text) {
  ParsedOptions parsed;
  for (const OptionSpec& spec : kTable) {
    if (spec.default_value.empty()) continue;
    const Status stored = Store(spec, spec.default_value, parsed.options);
    if (!stored.ok()) {
      return Status(Code::kInternal,
                    fmt::format("the default of option '{}' {}", spec.name, stored.message()));
    }
  }
  std::array<bool, kTable.size()> given{};
  const OptionSpec* before = nullptr;
  for (std::string_view item : SplitOptions(text)) {
    if (item == "help" || item.starts_with(kHelpAbout)) {
      parsed.help = true;
      if (item == "help") continue;
      parsed.help_about = item.substr(kHelpAbout.size());
      if (!parsed.help_about.empty() && parsed.help_about != kHelpAboutAll &&
          IndexOf(parsed.help_about) == kTable.size())
        return Bad(ExplainUnknownOption(parsed.help_about, nullptr));
      continue;
    }
    if (item.empty()) return Bad("an option is missing between two commas");
    const size_t equals = item.find('=');
    const std::string_view name = item.substr(0, equals);
    const size_t index = IndexOf(name);
    if (index == kTable.size()) return Bad(ExplainUnknownOption(item, before));
    const OptionSpec* const spec = &kTable[index];
    before = spec;
    if (equals == std::string_view::npos) {
      return Bad(fmt::format("option '{}' needs a value: {}={}", name, name, ValueSyntax(*spec)));
    }
    if (given[index]) return Bad(fmt::format("option '{}' is given twice", name));
    given[index] = true;
    const std::string_view value = item.substr(equals + 1);
    const Status stored = Store(*spec, value, parsed.options);
    if (!stored.ok()) {
      return BadValue(*spec, value, stored);
    }
    // What follows reply= is the tool's.
    const bool is_tools = given[IndexOf("reply")];
    // Options so long that reply= has no room beside them go without it.
    if (name == "out") parsed.options.out_is_tools = is_tools || IsInToolsFolder(value);
    const std::string shown = is_tools ? std::string() : Shown(*spec, item);
    std::string& all_shown = parsed.options.given;
    if (!shown.empty()) all_shown += (all_shown.empty() ? "" : ",") + shown;
  }
  if (Status status = ApplyMode(text, given, parsed.options); !status.ok()) return status;
  const Status contradiction = FindContradiction(
      parsed.options, [&](std::string_view name) { return given[IndexOf(name)]; });
  if (!contradiction.ok()) return contradiction;
  if (parsed.options.source == CountSource::kMethodData && !given[IndexOf("receivers-max-lost")])
    parsed.options.receivers_max_lost = kMostLostPercentHarvest;
  if (EndsInGz(parsed.options.out)) parsed.options.gzip = true;
  if (parsed.options.source == CountSource::kMethodData) parsed.options.monitors = false;
  return parsed;
}

bool AsksToIgnoreErrors(std::string_view text) {
  const std::vector<std::string_view> items = SplitOptions(text);
  return std::find(items.begin(), items.end(), "onerror=ignore") != items.end();
}

std::string ReplyPathIn(std::string_view text) {
  constexpr std::string_view kName = "reply=";
  for (const std::string_view item : SplitOptions(text)) {
    if (item.starts_with(kName)) return std::string(item.substr(kName.size()));
  }
  return {};
}

}  // namespace iprof::vm
