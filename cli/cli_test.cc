// Tests the parts of the tool that need no process: suggestions, escaping, JSON, progress,
// generated files. cli_commands_test.py and cli_frame_test.py test the tool as a whole.
#include <catch2/catch.hpp>
#include <string>
#include <vector>

#include "cli/files/merge_inputs.h"
#include "cli/reference.h"
#include "cli/terminal/json_text.h"
#include "cli/terminal/progress.h"
#include "cli/terminal/terminal_text.h"

namespace iprof::cli {
namespace {

TEST_CASE("nothing that drives a terminal survives escaping") {
  CHECK(EscapeForTerminal("a.B.m(int)") == "a.B.m(int)");
  CHECK(EscapeForTerminal("caf\u00e9 \u65e5\u672c \U0001F600") ==
        "caf\u00e9 \u65e5\u672c \U0001F600");
  CHECK(EscapeForTerminal("\x1b[2J\n\t\r") == "\\x1b[2J\\n\\t\\x0d");
  CHECK(EscapeForTerminal("\u009b31m\x7f") == "\\u{9b}31m\\x7f");
  CHECK(EscapeForTerminal("a\u202eb\u2028") == "a\\u{202e}b\\u{2028}");
  CHECK(EscapeForTerminal("\xff\xc0\x80\xed\xa0\x80") == "\\xff\\xc0\\x80\\xed\\xa0\\x80");
  CHECK(EscapeForTerminal(std::string_view("\0x", 2)) == "\\x00x");
  CHECK(EscapeForTerminal("cut \xe6\x97") == "cut \\xe6\\x97");
  CHECK(ToValidUtf8("a\xff") == "a\xEF\xBF\xBD");
}

TEST_CASE("weighted inputs") {
  CHECK(ParseWeighted("3,a,b.iprof")->path == "a,b.iprof");
  CHECK(ParseWeighted("3,a.iprof")->weight == 3);
  for (const char* bad : {"", "a", "0,a", "-1,a", "3,", "3", ",a", "99999999999999999999,a"}) {
    INFO(bad);
    CHECK(ParseWeighted(bad).status().code() == Code::kUsage);
  }
}

TEST_CASE("a progress line fits a terminal and cannot be driven by a file's name") {
  CHECK(ProgressLine("x", 1, 2, "bytes") == "[###############...............]  50%  x");
  CHECK(ProgressLine("x", 5, 2, "bytes").find("100%") != std::string::npos);
  CHECK(ProgressLine("x", 5, 0, "bytes") == "5 bytes  x");
  CHECK(ProgressLine(std::string(500, 'a') + "\x1b", 1, 2, "bytes").size() < 80);
}

TEST_CASE("every command and option is in help, man page and all completions") {
  const std::string man = ManPage();
  const std::string generated[] = {BashCompletion(), ZshCompletion()};
  const std::string fish = FishCompletion();
  for (const CommandDoc& command : DescribeAll()) {
    INFO(command.name);
    CHECK(OverviewText().find("\n  " + command.name + " ") != std::string::npos);
    CHECK(man.find(".SS " + command.name + "\n") != std::string::npos);
    CHECK(!command.description.empty());
    const std::string help = HelpText(command);
    for (const OptionDoc& option : command.options) {
      CHECK(!option.description.empty());
      for (const std::string& flag : option.flags) {
        INFO(flag);
        CHECK(help.find(flag) != std::string::npos);
        for (const std::string& text : generated) CHECK(text.find(flag) != std::string::npos);
        if (flag.starts_with("--")) {
          CHECK(fish.find(" -l " + flag.substr(2)) != std::string::npos);
        }
      }
    }
  }
  CHECK(OverviewText().find("generate") == std::string::npos);
}

}  // namespace
}  // namespace iprof::cli
