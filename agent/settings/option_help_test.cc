#include "agent/settings/option_help.h"

#include <algorithm>
#include <catch2/catch.hpp>
#include <fstream>
#include <iterator>
#include <set>
#include <string>
#include <vector>

#include "agent/settings/option_details.h"
#include "agent/settings/options.h"

namespace iprof::vm {
namespace {

using Names = std::vector<std::string_view>;

Names NamesOfAllOptions() {
  Names names;
  for (const OptionSpec& spec : OptionTable()) names.push_back(spec.name);
  return names;
}

// The options that have a line in the text, in the order of the table.
Names NamesIn(std::string_view text) {
  Names names;
  for (const std::string_view name : NamesOfAllOptions()) {
    if (text.find("\n" + std::string(name) + " ") != std::string_view::npos) names.push_back(name);
  }
  return names;
}

// The options that have a row in the part of the reference that begins with this heading.
Names NamesUnder(std::string_view heading) {
  const std::string reference = OptionReference();
  const size_t begin = reference.find(heading);
  REQUIRE(begin != std::string::npos);
  const std::string part = reference.substr(begin, reference.find("\n## ", begin) - begin);
  Names names;
  for (const std::string_view name : NamesOfAllOptions()) {
    if (part.find("\n| `" + std::string(name) + "` |") != std::string::npos) names.push_back(name);
  }
  return names;
}

std::string LastLine(const std::string& text) {
  return text.substr(text.rfind('\n', text.size() - 2) + 1);
}

const Names kForUsers = {"out",     "force",    "merge",     "only",     "onerror",
                         "verbose", "log",      "start",     "mode",     "source",
                         "calls",   "branches", "receivers", "monitors", "jdk",
                         "target",  "include",  "exclude",   "weights",  "memory",
                         "samples", "interval", "event",     "alloc",    "lock"};

TEST_CASE("names are unique and help=all shows every option with its default") {
  std::set<std::string_view> names;
  const std::string help = HelpText(kHelpAboutAll);
  for (const OptionSpec& spec : OptionTable()) {
    INFO(spec.name);
    CHECK(names.insert(spec.name).second);
    const std::string row = "\n" + std::string(spec.name) + " ";
    const size_t start = help.find(row);
    REQUIRE(start != std::string::npos);
    const std::string line = help.substr(start + 1, help.find('\n', start + 1) - start - 1);
    CHECK(line.find(ValueSyntax(spec)) != std::string::npos);
    CHECK(line.find(spec.default_value) != std::string::npos);
    CHECK(line.ends_with(spec.help));
    CHECK(help.find(row, start + 1) == std::string::npos);
  }
  CHECK(names.count(kHelpAboutAll) == 0);
}

TEST_CASE("help shows the options that most users need, and says how many more there are") {
  CHECK(NamesIn(HelpText()) == kForUsers);
  CHECK(kForUsers.size() == 25);  // what fits a screen: if one comes, find one that can go
  CHECK(NamesIn(HelpText(kHelpAboutAll)) == NamesOfAllOptions());
  const size_t more = OptionTable().size() - kForUsers.size();
  CHECK(LastLine(HelpText()) ==
        "help=all also shows " + std::to_string(more) + " options that few users need\n");
}

TEST_CASE("the reference has the options for users first, and each option once") {
  CHECK(NamesUnder("## Options that most users need\n") == kForUsers);
  Names experts;
  for (const std::string_view name : NamesOfAllOptions()) {
    if (std::find(kForUsers.begin(), kForUsers.end(), name) == kForUsers.end())
      experts.push_back(name);
  }
  CHECK(NamesUnder("## Options that few users need\n") == experts);
  CHECK(OptionReference().starts_with("## Options that most users need\n"));
}

TEST_CASE("what help says of an option is short enough to be read in one line") {
  constexpr size_t kMostCharacters = 90;
  for (const OptionSpec& spec : OptionTable()) {
    CAPTURE(spec.name, spec.help);
    CHECK(spec.help.size() <= kMostCharacters);
    CHECK_FALSE(spec.help.ends_with('.'));
  }
}

TEST_CASE("help shows what each mode stands for") {
  const std::string help = HelpText();
  CHECK(help.find("mode=exact is short for the defaults\n") != std::string::npos);
  CHECK(help.find("mode=budget is short for overhead=5%\n") != std::string::npos);
  CHECK(help.find("mode=methoddata is short for source=methoddata\n") != std::string::npos);
}

TEST_CASE("help about one option is all that the reference says, without Markdown") {
  CHECK(HelpText("interval") ==
        "interval=auto|N{us|ms|s|m|h}\n"
        "default: auto\n"
        "\n"
        "Time between two samples of a thread: its CPU time, or with event=wall the time that "
        "passes. auto: 1\n"
        "ms at first, and longer when there are signals enough or when taking them costs more than "
        "0.5 % of\n"
        "the CPU time; the samples in the profile add up to the number of signals (sampling.md). "
        "With\n"
        "event=wall, auto is 10 ms. 100us to 60s: always this. A late signal then has the weight "
        "of all the\n"
        "intervals that it stands for.\n");
  CHECK(HelpText("samples").ends_with("Sample the stacks of all Java threads; see sampling.md.\n"));
  CHECK(HelpText("wxyz").empty());
  for (const OptionSpec& spec : OptionTable()) {
    const std::string text = HelpText(spec.name);
    CAPTURE(text);
    CHECK(text.find_first_of("`") == std::string::npos);
    CHECK(text.find("](") == std::string::npos);
  }
}

TEST_CASE("every option has details, in the order of the table") {
  Names explained;
  for (const OptionDetails& details : AllOptionDetails()) {
    explained.push_back(details.name);
    CHECK(details.text.ends_with('.'));
  }
  CHECK(explained == NamesOfAllOptions());
}

TEST_CASE("docs/options.md has the reference as it is generated: see scripts/option-reference") {
  std::ifstream file(IPROF_SOURCE_DIR "/docs/options.md");
  REQUIRE(file);
  const std::string page((std::istreambuf_iterator<char>(file)), std::istreambuf_iterator<char>());
  constexpr std::string_view kBegin =
      "<!-- scripts/option-reference writes what follows, from agent/settings -->\n";
  const size_t mark = page.find(kBegin);
  REQUIRE(mark != std::string::npos);
  const size_t begin = mark + kBegin.size();
  const size_t end = page.find("<!-- end of what scripts/option-reference writes -->\n", begin);
  REQUIRE(end != std::string::npos);
  CHECK(page.substr(begin, end - begin) == OptionReference());
}

}  // namespace
}  // namespace iprof::vm
