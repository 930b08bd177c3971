#include "cli/usage_errors.h"
#include "cli/entries.h"

#include <catch2/catch.hpp>
#include <string>
#include <vector>

namespace iprof::cli {
namespace {

using Arguments = std::vector<std::string>;

std::string Unexpected(std::string_view command, const Arguments& extras, bool has_output = false) {
  return DescribeUnexpected(Describe(*FindCommand(command)), extras, has_output);
}

TEST_CASE("an argument that is given as an option") {
  const std::string pid =
      ": give the pid without an option, as in 'iprof profile 4711 --warmup 60s --duration 30s -o "
      "app.iprof'";
  CHECK(Unexpected("profile", {"--pid=1"}) == "unknown option '--pid'" + pid);
  CHECK(Unexpected("profile", {"-p", "1"}) == "unknown option '-p'" + pid);
  CHECK(Unexpected("show", {"--file", "a"}) ==
        "unknown option '--file': give the file without an option, as in 'iprof show app.iprof'");
}

TEST_CASE("a letter that is no option stands for a word that begins with it") {
  CHECK(Unexpected("profile", {"-w", "5s"}) == "unknown option '-w'; did you mean '--warmup'?");
  CHECK(Unexpected("report", {"-s", "src"}) == "unknown option '-s'; did you mean '--sources'?");
  CHECK(Unexpected("list", {"-x"}) == "unknown option '-x'");
  CHECK(Unexpected("show", {"--topnn"}) == "unknown option '--topnn'; did you mean '--topn'?");
}

TEST_CASE("there is nothing more verbose") {
  for (const char* option : {"-v", "--verbose"}) {
    INFO(option);
    const std::string said = std::string("unknown option '") + option +
                             "': nothing prints more; 'iprof --version' prints the version";
    CHECK(Unexpected("show", {option}) == said);
    CHECK(DescribeUnknownCommand(option) == said);
  }
}

TEST_CASE("one argument too many may be the output") {
  CHECK(Unexpected("convert", {"b.json"}) ==
        "unexpected argument 'b.json'; if it is the output, write '-o b.json'");
  CHECK(Unexpected("convert", {"b.json"}, true) == "unexpected argument 'b.json'");
  CHECK(Unexpected("show", {"b"}) == "unexpected argument 'b'");
  CHECK(Unexpected("show", {"--", "b"}) == "unexpected argument 'b' behind '--'");
}

TEST_CASE("what is missing is shown by example") {
  CHECK(DescribeMissing(Describe(*FindCommand("diff")), "b is required") ==
        "b is required, as in 'iprof diff old.iprof new.iprof'");
  for (const CommandDoc& command : DescribeAll()) {
    INFO(command.name);
    CHECK((command.positionals.empty() || !command.positionals.front().required ||
           !command.examples.empty()));
  }
}

TEST_CASE("neither a command nor a profile") {
  CHECK(DescribeUnknownCommand("shwo") == "unknown command 'shwo'; did you mean 'show'?");
  CHECK(DescribeUnknownCommand("nothing") == "unknown command 'nothing'");
  CHECK(DescribeUnknownCommand("--app") ==
        "unknown option '--app': options come after a command, as in 'iprof show --app app.iprof'");
  CHECK(NamesProfile("not/there.iprof"));
  CHECK(NamesProfile("/proc/self/exe"));
  CHECK_FALSE(NamesProfile("nothing"));
  CHECK_FALSE(NamesProfile("/"));
}

}  // namespace
}  // namespace iprof::cli
