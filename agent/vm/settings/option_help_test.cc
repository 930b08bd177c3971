#include "agent/vm/settings/option_help.h"

#include <catch2/catch.hpp>
#include <fstream>
#include <iterator>
#include <set>
#include <string>
#include <vector>

#include "agent/vm/settings/option_details.h"
#include "agent/vm/settings/options.h"

namespace iprof::vm {
namespace {

TEST_CASE("names are unique and help shows every option with its default") {
  std::set<std::string_view> names;
  const std::string help = HelpText();
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
  std::vector<std::string_view> options;
  for (const OptionSpec& spec : OptionTable()) options.push_back(spec.name);
  std::vector<std::string_view> explained;
  for (const OptionDetails& details : AllOptionDetails()) {
    explained.push_back(details.name);
    CHECK(details.text.ends_with('.'));
  }
  CHECK(explained == options);
}

TEST_CASE("docs/options.md has the reference as it is generated: see scripts/option-reference") {
  std::ifstream file(IPROF_SOURCE_DIR "/docs/options.md");
  REQUIRE(file);
  const std::string page((std::istreambuf_iterator<char>(file)), std::istreambuf_iterator<char>());
  const size_t begin = page.find("| option |");
  REQUIRE(begin != std::string::npos);
  CHECK(page.substr(begin, page.find("\n\n", begin) + 1 - begin) == OptionReference());
}

}  // namespace
}  // namespace iprof::vm
