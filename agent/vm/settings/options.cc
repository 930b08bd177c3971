#include "agent/vm/settings/options.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <iterator>
#include <vector>

#include "agent/sampling/core/sample_signal.h"
#include "agent/sampling/core/trace_table.h"
#include "agent/vm/settings/option_contradictions.h"
#include "agent/vm/settings/option_hints.h"
#include "writer/base/lost_share.h"
#include "writer/base/option_text.h"
#include "writer/base/overloaded.h"

namespace iprof::vm {
namespace {

constexpr int64_t kMaxCountUntil = 1'000'000'000'000;
constexpr int64_t kMaxOverhead = 100;

constexpr std::string_view kHelpAbout = "help=";

// An option that is part of a mode, so that a user needs one word.
constexpr std::array<ModeSpec, 3> kModes{{
    {"exact", ""},
    {"budget", "overhead=5%"},
    {"methoddata", "source=methoddata"},
}};

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
    {"out", PathSlot{&Options::out}, "default.iprof",
     "where the profile goes; %p pid, %h host, %t start time, %% a percent sign"},
    {"force", ChoiceSlot{"y|n|always", StoreForce}, "y",
     "overwrite an existing file; n: number the name instead; always: even if nothing was "
     "recorded"},
    {"merge", &Options::merge, "n",
     "add to an existing profile instead of overwriting it; any number of JVMs may share one"},
    {"onwritefailure", ChoiceSlot{"report|exit", StoreOnWriteFailure}, "report",
     "when the last profile cannot be written: only say so, or also exit with status 74"},
    {"doe", &Options::dump_on_exit, "y", "dump on exit: write the profile when the program ends"},
    {"dump-on-request", &Options::dump_on_request, "y",
     "also write it when a data dump is requested (jcmd PID JVMTI.data_dump, or SIGQUIT)"},
    {"format", ChoiceSlot{"1.0.0|1.1.0", StoreFormat}, "1.0.0",
     "version of the iprof format to write"},
    {"gzip", &Options::gzip, "n", "compress the profile; a name that ends in .gz implies y"},
    {"only", &Options::only, "",
     "profile only programs whose main class or jar matches one of these patterns"},
    {"onerror", ChoiceSlot{"fail|ignore", StoreOnError}, "fail",
     "what to do when the agent cannot start: stop the JVM, or go on without the agent"},
    {"verbose", NumberSlot{&Options::verbose, 0, 3}, "0",
     "0 warnings and the result, 1 also statistics at the end, 2 also steps, 3 everything"},
    {"log", PathSlot{&Options::log}, "", "where messages go instead of stderr; patterns as in out"},
    {"provenance", &Options::provenance, "y",
     "write into the profile how and where it was recorded, and hashes of the methods' code"},
    {"lines", &Options::lines, "y",
     "write into the profile the source lines of its positions, and which method each call names"},
    {"raw", PathSlot{&Options::raw}, "",
     "the raw file, from which iprof recover makes the profile of a killed JVM; default: as out, "
     "ending in .iraw"},
    {"snapshot", &Options::snapshot, "5s",
     "how often the raw file is brought up to date; a partial profile, where there is one instead: "
     "at twelve times that; 0: there is neither"},
    {"keep-raw", &Options::keep_raw, "n",
     "keep the raw file after the profile was written at the program's end"},
    {"raw-max", &Options::raw_max, "256m", "the largest size of the raw file"},
    {"start", &Options::start, "y",
     "record from the start; n: load the agent, and record when the command comes (iprof start)"},
    {"delay", &Options::delay, "0", "how long after the start the recording begins"},
    {"duration", &Options::duration, "0",
     "stop and write the profile after this long; 0: record until a command or the end"},
    {"control", PathSlot{&Options::control}, "",
     "listen for commands on a Unix socket of this name; patterns as in out"},
    {"pause", &Options::pause, "50ms",
     "the longest pause that a batch of classes should cause when their code is swapped"},
    {"reply", PathSlot{&Options::reply}, "",
     "for attaching tools: a new file that gets the result of the attach"},
    {"mode", ChoiceSlot{"exact|budget|methoddata", [](Options&, size_t) {}}, "exact",
     "one word for several options: how exact the counts are, and what they may cost"},
    {"source", ChoiceSlot{"counters|methoddata|both", StoreSource}, "counters",
     "count exactly, take HotSpot's own counters, or both: exactly in the classes of include="},
    {"estimate", &Options::estimate, "y",
     "with source=methoddata, estimate the calls that HotSpot did not count; n: its numbers as "
     "they "
     "are"},
    {"calls", &Options::calls, "y", "count how often each method is called"},
    {"branches", &Options::branches, "y", "count which way every branch and switch goes"},
    {"receivers", &Options::receivers, "y", "count the receivers' classes at virtual calls"},
    {"receivers-max-lost", NumberSlot{&Options::receivers_max_lost, 0, 100}, "2",
     "leave a site out if more than this percentage of its objects are of unknown class; with "
     "source=methoddata, the default is 20"},
    {"monitors", &Options::monitors, "y", "count the classes of objects that are locked"},
    {"instanceofs", &Options::instance_ofs, "n",
     "count the classes of objects at type checks; needs format=1.1.0"},
    {"jdk", &Options::jdk, "y", "count in the JDK's own classes too, from the first bytecode on"},
    {"target", ChoiceSlot{"17|21|23|24|25", StoreTarget}, "",
     "JDK version of the GraalVM that builds the image; default: that of the running JVM"},
    {"image", &Options::image, "y",
     "leave out what an image build cannot use; n: write everything, to analyse HotSpot itself"},
    {"include", &Options::include, "", "count only in classes that match one of these patterns"},
    {"exclude", &Options::exclude, "", "do not count in classes that match one of these patterns"},
    {"placement", ChoiceSlot{"tree|direct", StorePlacement}, "tree",
     "tree: few counters, the rest derived; direct: a counter for everything, slower"},
    {"weights", PathSlot{&Options::weights}, "",
     "an earlier profile of the program: fewer counters are where it was busy"},
    {"memory", &Options::memory, "",
     "limit for the agent, heap and native; default: 256m, at most a tenth of the container's"},
    {"stripes", NumberSlot{&Options::stripes, 1, 64}, "1",
     "copies of every counter, spread over threads; a power of two"},
    {"selfcheck", &Options::self_check, "n",
     "count everything directly, and compare with what placement=tree would have derived"},
    {"count-until", NumberSlot{&Options::count_until, 0, kMaxCountUntil}, "0",
     "take a method's probes out once it has counted this often; 0: never. Its counts are "
     "estimated "
     "from then on"},
    {"overhead", PercentSlot{&Options::overhead, kMaxOverhead}, "0",
     "take out probes of hot methods while counting may cost more than this; 0: none"},
    {"rearm", &Options::rearm, "2s",
     "how long a method stays without probes until it is counted again for a moment; then twice as "
     "long; 0: for ever"},
    {"samples", &Options::samples, "y", "sample the stacks of all Java threads"},
    {"interval", &Options::interval, "auto",
     "CPU time (or wall time) between two samples of a thread; auto: dense at first, then thinner"},
    {"event", ChoiceSlot{"cpu|wall", StoreEvent}, "cpu",
     "cpu: sample threads as they use CPU time; wall: as time passes, including sleeping ones"},
    {"depth", NumberSlot{&Options::depth, 1, sampling::kMaxDepth}, "2048",
     "most frames of a stack; outer ones are cut off"},
    {"samples-memory", &Options::samples_memory, "",
     "the part of memory= for stacks; default: a quarter of it, at most 64m"},
    {"signal", SignalSlot{&Options::signal}, "",
     "the signal to sample with; default: SIGURG, or SIGWINCH where SIGURG is in use"},
    {"precise", &Options::precise, "y",
     "after an attach or a later start, have hot code compiled anew, so that samples have precise "
     "lines"},
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
      if (!parsed.help_about.empty() && IndexOf(parsed.help_about) == kTable.size())
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
    const std::string shown = given[IndexOf("reply")] ? std::string() : Shown(*spec, item);
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
