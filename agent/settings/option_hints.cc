#include "agent/settings/option_hints.h"

#include <fmt/core.h>

#include <algorithm>
#include <iterator>
#include <vector>

#include "writer/base/nearest_name.h"
#include "writer/base/option_text.h"
#include "writer/base/overloaded.h"

namespace iprof::vm {
namespace {

// Names that other tools use, and ours.
struct Alias {
  std::string_view name;
  std::string_view option;
};
constexpr Alias kAliases[] = {
    {"file", "out"},         {"filename", "out"},      {"output", "out"},
    {"outfile", "out"},      {"destfile", "out"},      {"path", "out"},
    {"profile", "out"},      {"append", "merge"},      {"overwrite", "force"},
    {"compress", "gzip"},    {"zip", "gzip"},          {"debug", "verbose"},
    {"loglevel", "verbose"}, {"main", "only"},         {"mainclass", "only"},
    {"program", "only"},     {"includes", "include"},  {"packages", "include"},
    {"classes", "include"},  {"filter", "include"},    {"excludes", "exclude"},
    {"sampling", "samples"}, {"rate", "interval"},     {"period", "interval"},
    {"stackdepth", "depth"}, {"max-depth", "depth"},   {"timeout", "duration"},
    {"time", "duration"},    {"socket", "control"},    {"heap", "memory"},
    {"maxmemory", "memory"}, {"jdkversion", "target"}, {"version", "format"},
};

// HPROF's options that are none of ours, or have other values. The first one of a name is for the name alone.
struct HprofOption {
  std::string_view name;
  std::string_view value;  // empty: any
  std::string_view hint;
};
constexpr HprofOption kHprofOptions[] = {
    {"cpu", "samples", "did you mean 'samples=y'?"},
    {"cpu", "y", "did you mean 'samples=y'?"},
    {"cpu", "times",
     "did you mean 'calls=y,samples=y', from which 'iprof top --times' makes times?"},
    {"cpu", "old", "did you mean 'contexts=calls', which has calls by caller?"},
    {"heap", "sites", "did you mean 'alloc=512k'?"},
    {"heap", "dump", "did you mean 'jcmd PID GC.heap_dump FILE'?"},
    {"heap", "all", "did you mean 'alloc=512k', and 'jcmd PID GC.heap_dump FILE' for the dump?"},
    {"monitor", "y", "did you mean 'lock=1ms'?"},
    {"monitor", "n", "waits for locks are recorded only with 'lock='"},
    {"format", "a", "did you mean 'iprof convert --to hprof', which writes HPROF's text?"},
    {"format", "b", "did you mean 'jcmd PID GC.heap_dump FILE', which writes HPROF's binary form?"},
    {"net", "", "did you mean 'control=FILE', a Unix socket for the commands of 'iprof'?"},
    {"cutoff", "", "did you mean 'iprof convert --to hprof@cutoff=0.0001'?"},
    {"lineno", "y", "did you mean 'lines=y'?"},
    {"lineno", "n", "did you mean 'lines=n'?"},
    {"thread", "y", "did you mean 'threads=y'?"},
    {"thread", "n", "did you mean 'threads=n'?"},
    {"msa", "", "HPROF had it for Solaris only, and it is not needed"},
    {"verbose", "y", "did you mean 'verbose=1'?"},
    {"verbose", "n", "did you mean 'verbose=0'?"},
};

std::string_view AliasOf(std::string_view name) {
  const auto* const found = std::find_if(std::begin(kAliases), std::end(kAliases),
                                         [&](const Alias& alias) { return alias.name == name; });
  return found == std::end(kAliases) ? std::string_view() : found->option;
}

// What HPROF's option is usually set to; empty for other names.
std::string_view FirstValueOfHprof(std::string_view name) {
  const auto* const found =
      std::find_if(std::begin(kHprofOptions), std::end(kHprofOptions),
                   [&](const HprofOption& option) { return option.name == name; });
  return found == std::end(kHprofOptions) ? std::string_view() : found->value;
}

bool LooksLikeFile(std::string_view text) {
  return text.find_first_of("/.") != std::string_view::npos;
}

std::string Unknown(std::string_view name, const std::string& hint) {
  return fmt::format("unknown option '{}'{}", ShownOption(name), hint);
}

std::string DidYouMean(std::string_view what) {
  return fmt::format("; did you mean '{}'?", ShownOption(what));
}

// "y", "n" for other words that mean the same; else empty.
std::string_view YesOrNo(std::string_view value) {
  for (const std::string_view yes : {"yes", "Y", "true", "on", "1"}) {
    if (value == yes) return "y";
  }
  for (const std::string_view no : {"no", "N", "false", "off", "0"}) {
    if (value == no) return "n";
  }
  return {};
}

}  // namespace

std::string_view HintForHprof(std::string_view name, std::string_view value) {
  for (const HprofOption& option : kHprofOptions) {
    if (option.name == name && (option.value.empty() || option.value == value)) return option.hint;
  }
  return {};
}

std::string ExplainUnknownOption(std::string_view item, const OptionSpec* before) {
  const size_t equals = item.find('=');
  const std::string_view name = item.substr(0, equals);
  std::string_view bare = name;
  bare.remove_prefix(std::min(bare.find_first_not_of('-'), bare.size()));
  if (bare == "h" || name == "?") return Unknown(name, DidYouMean("help"));
  if (equals == std::string_view::npos && before != nullptr) {
    if (std::holds_alternative<PatternList Options::*>(before->slot)) {
      return Unknown(
          name, fmt::format("; the patterns of {}= are joined by '+', not by ','", before->name));
    }
    if (std::holds_alternative<PathSlot>(before->slot) && LooksLikeFile(name)) {
      return Unknown(name, fmt::format("; a comma ends the value of {}=, which cannot contain one",
                                       before->name));
    }
  }
  if (equals == std::string_view::npos && LooksLikeFile(name))
    return Unknown(name, DidYouMean(fmt::format("out={}", name)));
  const bool has_value = equals != std::string_view::npos;
  const std::string_view hprof =
      HintForHprof(bare, has_value ? item.substr(equals + 1) : FirstValueOfHprof(bare));
  if (!hprof.empty()) return Unknown(name, fmt::format("; {}", hprof));
  std::vector<std::string_view> names{"help"};
  for (const OptionSpec& spec : OptionTable()) names.push_back(spec.name);
  const std::string_view alias = AliasOf(bare);
  const std::string_view meant = alias.empty() ? NearestName(bare, names) : alias;
  if (meant.empty()) return Unknown(name, " (\"help=all\" lists them all)");
  if (meant == "out" && equals != std::string_view::npos)
    return Unknown(name, DidYouMean(fmt::format("out{}", item.substr(equals))));
  return Unknown(name, DidYouMean(meant));
}

std::string NearestValue(const OptionSpec& spec, std::string_view value) {
  const auto nearest = Overloaded{
      [&](bool Options::*) { return std::string(YesOrNo(value)); },
      [&](const NumberSlot& slot) {
        const std::string_view digits = value.substr(0, value.find('%'));
        const bool fits = ParseNumber(digits, slot.min, slot.max).ok();
        return fits && digits.size() + 1 == value.size() ? std::string(digits) : std::string();
      },
      [&](const PercentSlot& slot) {
        const std::string percent = std::string(value) + "%";
        return ParsePercent(percent, slot.most).ok() ? percent : std::string();
      },
      [&](const ChoiceSlot& slot) {
        const std::vector<std::string_view> choices = SplitAt(slot.choices, "|");
        const bool yes_no = std::find(choices.begin(), choices.end(), "y") != choices.end();
        const std::string_view word = yes_no ? YesOrNo(value) : std::string_view();
        return std::string(word.empty() ? NearestName(value, choices) : word);
      },
      [](const SignalSlot&) { return std::string(); },
      [](const PathSlot&) { return std::string(); },
      [](PatternList Options::*) { return std::string(); },
      [&](Duration Options::*) {
        return NearestDuration(value, spec.default_value.ends_with("ms") ? "ms" : "s");
      },
      [&](Interval Options::*) {
        const std::string duration = NearestDuration(value, "ms");
        constexpr std::string_view kAuto[] = {"auto"};
        return duration.empty() ? std::string(NearestName(value, kAuto)) : duration;
      },
      [&](ByteSize Options::*) { return NearestSize(value); },
  };
  return std::visit(nearest, spec.slot);
}

}  // namespace iprof::vm
