// Text that fits the terminal: its width, lines that are cut with "…", paragraphs that are broken between words, numbers
// with commas.
//
// Guarantees: pure, except that TerminalWidth asks the environment and the terminal. A code point counts as one column.
// No line that these functions make is wider than asked for, unless the indentation alone is.
// Threads: any. Failure: none but std::bad_alloc.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>

#include "cli/terminal/console.h"
#include "writer/base/grouped.h"  // IWYU pragma: export

namespace iprof::cli {

// COLUMNS; otherwise the width of the terminal that is standard output; otherwise 100. At least 60.
size_t TerminalWidth(const Console& console);

size_t WidthOf(std::string_view text);
// The text, or as much of its start as fits with a "…" behind it.
std::string CutTo(std::string_view text, size_t width);
// `first` and then the words of the text, on as many lines as it needs. Further lines are indented as far as `first`.
std::string Paragraph(std::string_view first, std::string_view text, size_t width);

// "12.3 %"; "<0.1 %" for what is less, and not 0; ">99.9 %" for what is more, and not all.
std::string PercentOf(int64_t part, int64_t total);

}  // namespace iprof::cli
