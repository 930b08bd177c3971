#include "cli/terminal/text_layout.h"

#include <catch2/catch.hpp>
#include <cstdlib>
#include <sstream>
#include <utility>

namespace iprof::cli {
namespace {

TEST_CASE("text that does not fit is cut in its middle, between code points") {
  CHECK(CutTo("HashMap.getNode line 571", 24) == "HashMap.getNode line 571");
  CHECK(CutTo("HashMap.getNode line 571", 15) == "HashMap…ine 571");
  CHECK(CutTo("HashMap.getNode line 571", 14) == "HashMap…ne 571");
  CHECK(CutTo("größer", 6) == "größer");
  CHECK(CutTo("größenäß", 5) == "gr…äß");
  CHECK(CutTo("größenäß", 7) == "grö…näß");
  CHECK(CutTo("abc", 2) == "a…");
  CHECK(CutTo("abc", 1) == "…");
  CHECK(CutTo("abc", 0).empty());
}

TEST_CASE("what is left of a line is for text, and for names if they are cut") {
  const Layout terminal{60, true};
  CHECK(terminal.Left(10) == 50);
  CHECK(terminal.Room(10) == 50);
  CHECK(terminal.Room(61) == 0);
  const Layout pipe{60, false};
  CHECK(pipe.Left(10) == 50);
  CHECK(pipe.Room(10) == SIZE_MAX);
}

TEST_CASE("paragraphs are broken between words") {
  const auto on_terminal = [](size_t width) { return Layout{width, true}; };
  CHECK(Paragraph("run: ", "app.jar on JDK 17", on_terminal(15)) ==
        "run: app.jar on\n     JDK 17\n");
  CHECK(Paragraph("run: ", "a verylongword b", on_terminal(11)) == "run: a\n     ver…rd\n     b\n");
  CHECK(Paragraph("x ", "", on_terminal(20)) == "x \n");
  CHECK(Paragraph("", "code: 21.4 % of it", on_terminal(11)) == "code:\n21.4 % of\nit\n");
  CHECK(Paragraph("run: ", "a b", kWholeLines) == "run: a b\n");
  CHECK(WithoutWideLines("short\n\n  one two three four\nend", 12) ==
        "short\n\n  one two\n    three\n    four\nend");
  CHECK(WithoutWideLines("", 12).empty());
  const char text[] = "one two three four five six sevenhundredandsome";
  std::istringstream lines(Paragraph("title: ", text, on_terminal(16)));
  for (std::string line; std::getline(lines, line);) CHECK(WidthOf(line) <= 16);
  CHECK(Paragraph("title: ", text, {16, false}).ends_with("\n       sevenhundredandsome\n"));
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
  const auto layout = [&] { return std::pair(LayoutOf(console).width, LayoutOf(console).cuts); };
  setenv("COLUMNS", "72", 1);
  CHECK(layout() == std::pair<size_t, bool>(72, true));
  setenv("COLUMNS", "3", 1);
  CHECK(layout() == std::pair<size_t, bool>(60, true));
  setenv("COLUMNS", "wide", 1);
  CHECK(layout() == std::pair<size_t, bool>(80, false));
  unsetenv("COLUMNS");
  CHECK(layout() == std::pair<size_t, bool>(80, false));
  if (before != nullptr) setenv("COLUMNS", kept.c_str(), 1);
}

}  // namespace
}  // namespace iprof::cli
