#include "cli/terminal/text_layout.h"

#include <catch2/catch.hpp>
#include <cstdlib>
#include <sstream>

namespace iprof::cli {
namespace {

TEST_CASE("text is cut where it does not fit, between code points") {
  CHECK(CutTo("HashMap.get", 11) == "HashMap.get");
  CHECK(CutTo("HashMap.get", 8) == "HashMap…");
  CHECK(CutTo("größer", 6) == "größer");
  CHECK(CutTo("größer", 4) == "grö…");
  CHECK(CutTo("abc", 1) == "…");
  CHECK(CutTo("abc", 0).empty());
}

TEST_CASE("paragraphs are broken between words") {
  CHECK(Paragraph("run: ", "app.jar on JDK 17", 15) == "run: app.jar on\n     JDK 17\n");
  CHECK(Paragraph("run: ", "a verylongword b", 11) == "run: a\n     veryl…\n     b\n");
  CHECK(Paragraph("x ", "", 20) == "x \n");
  std::istringstream lines(
      Paragraph("title: ", "one two three four five six sevenhundredandsome", 16));
  for (std::string line; std::getline(lines, line);) CHECK(WidthOf(line) <= 16);
}

TEST_CASE("numbers have commas, and small shares are not 0") {
  CHECK(PercentOf(1, 3) == "33.3 %");
  CHECK(PercentOf(1, 1'000'000) == "<0.1 %");
  CHECK(PercentOf(999'999, 1'000'000) == ">99.9 %");
  CHECK(PercentOf(10, 10) == "100.0 %");
  CHECK(PercentOf(0, 10) == "0.0 %");
  CHECK(PercentOf(0, 0) == "0.0 %");
}

TEST_CASE("COLUMNS says how wide the terminal is") {
  const Console console(-1, -1);
  const char* before = std::getenv("COLUMNS");
  const std::string kept = before == nullptr ? "" : before;
  setenv("COLUMNS", "72", 1);
  CHECK(TerminalWidth(console) == 72);
  setenv("COLUMNS", "3", 1);
  CHECK(TerminalWidth(console) == 60);
  setenv("COLUMNS", "wide", 1);
  CHECK(TerminalWidth(console) == 100);
  unsetenv("COLUMNS");
  CHECK(TerminalWidth(console) == 100);
  if (before != nullptr) setenv("COLUMNS", kept.c_str(), 1);
}

}  // namespace
}  // namespace iprof::cli
