// Text that fits the terminal: its width, names that are cut with "…", paragraphs that are broken between words, numbers
// with commas.
//
// Guarantees: pure, except that LayoutOf asks the environment and the terminal. A code point counts as one column.
// On a terminal no line that these functions make is wider than it, unless the indentation alone is. In a pipe or a file no
// name and no path is cut, so that another program finds it.
// Threads: any. Failure: none but std::bad_alloc.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>

#include "cli/terminal/console.h"
#include "writer/base/grouped.h"  // IWYU pragma: export

namespace iprof::cli {

struct Layout {
  size_t width = 80;  // of a line
  bool cuts = false;  // what has no blanks and is wider, such as a name or a path

  // The columns behind those that are used already; and those for a name: all that it needs, if it is not cut.
  size_t Left(size_t used) const { return width - (used < width ? used : width); }
  size_t Room(size_t used) const { return cuts ? Left(used) : SIZE_MAX; }
};
// Lines of any length.
inline constexpr Layout kWholeLines{SIZE_MAX, false};

// The columns of a terminal: those that COLUMNS names, or else the terminal itself; at least 60. 0 if `fd` is no terminal.
size_t WidthOfTerminal(int fd);
// The text with lines that are wider broken between words. Further lines are indented by two columns more.
std::string WithoutWideLines(std::string_view text, size_t width);

// As wide as COLUMNS says, or as the terminal that is standard output, at least 60; otherwise 80 wide, and nothing is cut.
Layout LayoutOf(const Console& console);

size_t WidthOf(std::string_view text);
// The text, or its start and its end with a "…" between them: "HashMap.getNode line 571" in 15 columns is "HashMap…ine 571".
std::string CutTo(std::string_view text, size_t width);
// `first` and then the words of the text, on as many lines as it needs. Further lines are indented as far as `first`. "99.9 %" is
// one word.
std::string Paragraph(std::string_view first, std::string_view text, const Layout& layout);

// "12.3 %"; "<0.1 %" for what is less, and not 0; ">99.9 %" for what is more, and not all.
std::string PercentOf(int64_t part, int64_t total);

}  // namespace iprof::cli
